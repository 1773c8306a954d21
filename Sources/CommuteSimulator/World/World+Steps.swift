import CommuteCore

extension World {
  /// What can happen in a step, in the order of ``weights``.
  enum Step: Int, CaseIterable {
    case nothing, write, nudge, deliver, pass, decide
    case lose, duplicate, garble, timeOut, kill, losePower, jumpClock, switchNetwork
    case restartServer, trouble, strange, restoreFile, restoreMachine, loseHostRecord
    case cloneFile, copyServer, longTime, changeGrant, raiseMinimum
  }

  /// How many steps a history has before the faults stop.
  static let stepCount = 61

  /// Plays the history up to its end, or to the first broken promise.
  mutating func run() {
    let weights = drawWeights()
    let total = weights.reduce(0, +)
    for _ in 0..<Self.stepCount {
      if choices.isOver || violation != nil { break }
      report.steps += 1
      var rest = choices.draw(total)
      var kind = 0
      while rest >= weights[kind] {
        rest -= weights[kind]
        kind += 1
      }
      report.note(kind)
      take(Step(rawValue: kind) ?? .nothing)
      noteState()
    }
    if violation == nil { rest() }
    if violation == nil {
      if book != nil { playRules() } else { playFamily() }
    }
  }

  /// Plays records that refer to each other beside this history.
  private mutating func playFamily() {
    var family = FamilyWorld(choices: choices, story: story)
    family.run()
    choices = family.choices
    report.writes += family.writes
    report.note(family.writes)
    violation = family.violation
  }

  /// Plays a record with fields of other rules beside this history.
  private mutating func playRules() {
    var rules = RuleWorld(choices: choices, story: story)
    rules.run()
    choices = rules.choices
    report.writes += rules.writes
    report.note(rules.time)
    report.note(rules.book.oracle.edits.count)
    report.note(rules.state.clock.last)
    violation = rules.violation
  }

  /// Some classes of faults are off in a history, so that others come together more often.
  private mutating func drawWeights() -> [Int] {
    hotRecords = [3, 1, 3, 4, 5][choices.draw(5)]
    report.hotRecords = hotRecords
    onlyField = choices.oneIn(3) ? choices.draw(Stage.fieldCount) : nil
    hasWildClocks = choices.oneIn(4)
    makesCircles = choices.oneIn(10)
    mayReorder = choices.draw(3) > 0
    mayDieBetween = choices.draw(3) > 0
    // Much is refused, and people look into their inboxes; or little.
    refusal = [20, 20, 6][choices.draw(3)]
    var weights = [1, 24, 14, 24, 4, refusal < 20 ? 9 : 2]
    for weight in [3, 2, 2, 2, 2, 3, 4, 3, 1, 2, 1, 4] {
      weights.append(choices.draw(3) > 0 ? weight : 0)
    }
    weights.append(losesMachines ? 8 : 0)
    weights.append(choices.oneIn(2) ? 1 : 0)
    for (chance, weight) in [(6, 2), (3, 4), (3, 3)] {
      weights.append(choices.oneIn(chance) ? weight : 0)
    }
    weights.append([0, 0, 0, 3, 12][choices.draw(5)])
    weights.append(choices.oneIn(4) ? 1 : 0)
    // What is rare comes together on purpose: tombstones and purges, a server that was put back and
    // clocks that were astray.
    deletesOften = weights[Step.longTime.rawValue] > 0 && choices.draw(4) > 0
    if weights[Step.copyServer.rawValue] > 0, choices.oneIn(3) {
      hasWildClocks = true
      weights[Step.jumpClock.rawValue] = 4
      weights[Step.lose.rawValue] = 4
    }
    if weights[Step.losePower.rawValue] == 0 {
      for number in devices.indices { devices[number].isCareful = true }
    }
    return weights
  }

  private mutating func take(_ step: Step) {
    switch step {
    case .nothing: break
    case .write: write(on: choices.draw(devices.count))
    case .nudge: nudge(choices.draw(devices.count))
    case .deliver: deliver()
    case .pass: time += Int64(1 + choices.draw(600_000))
    case .decide: decide()
    case .lose: lose()
    case .duplicate: duplicate()
    case .garble: garble()
    case .timeOut: timeOut(choices.draw(devices.count))
    case .kill: kill(choices.draw(devices.count))
    case .losePower: losePower(choices.draw(devices.count))
    case .jumpClock: jumpClock(choices.draw(devices.count))
    case .switchNetwork: switchNetwork(choices.draw(devices.count))
    case .restartServer: restartServer()
    case .trouble: serverTrouble += 1
    case .strange: strangeAnswers += 1
    case .restoreFile: copyOrRestore(choices.draw(devices.count), wholeMachine: false)
    case .restoreMachine: copyOrRestore(choices.draw(devices.count), wholeMachine: true)
    case .loseHostRecord: loseHostRecord(choices.draw(devices.count))
    case .cloneFile: clone(choices.draw(devices.count))
    case .copyServer: copyOrRestoreServer()
    case .longTime: letLongTimePass()
    case .raiseMinimum:
      minimumSchema = 2
      tell("the server no longer takes the older schema")
    case .changeGrant: changeGrant(choices.draw(2), of: choices.draw(2))
    }
    time += 1
  }

  /// Makes the trace depend on where everything stands.
  private mutating func noteState() {
    report.note(time)
    report.note(network.count)
    for number in devices.indices {
      report.note(devices[number].file.device.clock.last)
      report.note(devices[number].file.version)
    }
  }
}
