/// A run of the program.
struct Run {
  let options: Options
  let output = Output()
  let stage = Stage()

  init(_ options: Options) {
    self.options = options
  }

  /// Does what was asked.
  ///
  /// - Returns: The exit status.
  func perform() -> Int32 {
    switch options.mode {
    case .help:
      output.say(Options.help)
      return 0
    case .replay(let seed): return replay(seed)
    case .hunt: return hunt()
    case .simulate: return simulate()
    }
  }

  // MARK: - Histories

  private func simulate() -> Int32 {
    var summary = playHistories()
    for finding in summary.findings { explain(finding) }
    if let planted = options.planted {
      do throws(Hunt.Refusal) {
        summary.hunted = try Hunt(
          output: output, seed: options.seed, patience: options.patience
        ).quarries(with: planted)
      } catch {
        output.complain("simulate: \(error.message)")
        return 2
      }
    }
    if options.isJSON {
      output.say(summary.json)
    } else {
      for quarry in summary.hunted { output.say(quarry.line) }
      for line in summary.lines { output.say(line) }
    }
    return summary.isGood ? 0 : 1
  }

  private func playHistories() -> Summary {
    var summary = Summary()
    TrapReport.install()
    let start = Output.processorTime()
    for index in 0..<options.histories {
      let history = History(seed: options.seed &+ UInt64(index))
      TrapReport.note(history.seed)
      let world = history.played(on: stage)
      summary.add(world, seed: history.seed)
      if index % 100 == 0 { playAgain(history, first: world, in: &summary) }
      if index % 512 == 0, output.isWatched {
        output.progress("\(index) of \(options.histories) histories")
      }
    }
    summary.processorSeconds = Output.processorTime() - start
    output.endProgress()
    return summary
  }

  /// One seed, one story.
  private func playAgain(_ history: History, first: World, in summary: inout Summary) {
    let again = history.played(on: stage)
    guard again.report.traceHash != first.report.traceHash else {
      summary.playedTwice += 1
      return
    }
    summary.add(
      Violation(invariant: 19, text: "the same seed played twice went two ways"),
      seed: history.seed)
  }

  /// Says what broke, how to see it again, and the shortest story of it that was found.
  private func explain(_ finding: Summary.Finding) {
    let history = History(seed: finding.seed)
    let world = history.played(on: stage)
    output.complain(
      "simulate: seed \(finding.seed) breaks invariant \(finding.violation.invariant):"
        + " \(finding.violation.text)")
    output.complain("simulate: see it again with --replay \(finding.seed) --trace")
    tellShortest(history, world)
  }

  private func tellShortest(_ history: History, _ world: World) {
    guard let violation = world.violation else { return }
    var shrinker = Shrinker(history, on: stage, invariant: violation.invariant)
    let choices = shrinker.shrink(world.choices.drawn)
    let story = Story()
    let short = history.play(Choices(playing: choices), on: stage, story: story)
    output.complain("simulate: the same in \(short.report.writes) writes:")
    for line in story.lines { output.complain("  \(line)") }
    output.complain("  => \(short.violation?.text ?? "")")
  }

  // MARK: - One history

  private func replay(_ seed: UInt64) -> Int32 {
    let history = History(seed: seed)
    let story = Story()
    let world = history.played(on: stage, story: story)
    if options.tellsStory {
      for line in story.lines { output.say(line) }
    }
    output.say(
      "replay: seed \(seed), \(world.report.steps) steps, \(world.report.writes) writes,"
        + " \(world.report.faultCount) faults, \(world.report.devices) devices,"
        + " trace \(world.report.traceHash)")
    guard let violation = world.violation else {
      if let limit = world.knownLimit {
        output.say("replay: a known limit, in which all agree: \(limit)")
      } else {
        output.say("replay: every promise was kept")
      }
      return 0
    }
    output.say("replay: invariant \(violation.invariant): \(violation.text)")
    tellShortest(history, world)
    return 1
  }

  private func hunt() -> Int32 {
    #if PLANTED
      Hunt(output: output, seed: options.seed, patience: options.patience).run(only: options.quarry)
      return 0
    #else
      output.complain("simulate: this build has no planted bugs; build it with -D PLANTED")
      return 2
    #endif
  }
}
