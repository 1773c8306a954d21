import CommuteCore
import CommuteSQLite
import CommuteTasks

/// What may happen next.
extension QueueWorld {
  func step() throws {
    pass(Int64(draws.draw(1_500)))
    let place = draws.draw(processes.count)
    switch draws.draw(100) {
    case 0..<20: try enqueue()
    case 20..<26: try submit()
    case 26..<58: try look(place)
    case 58..<84: try endSomething(place)
    case 84..<87: try cancelSomething()
    case 87..<90: try retrySomething()
    case 90: try completeSomething()
    case 91:
      if processes[place].session != nil {
        count(.killRunning)
        kill(place)
      }
    case 92: stopOrGoOn(place)
    case 93: pass(Int64(draws.draw(600_000)))
    case 94: setClock()
    case 95: reboot()
    case 96: changeSignals()
    case 97: try changeWidth()
    case 98: try suspend(place)
    default: try prune()
    }
  }

  func pass(_ milliseconds: Int64) {
    wall += milliseconds
    monotonic += milliseconds
    noteDates()
  }

  /// A date that has come once does not go away when the clock is set back.
  private func noteDates() {
    for (number, model) in models where model.notBeforeWall ?? .max <= wall {
      models[number]?.notBeforeWall = nil
    }
  }

  private func stopOrGoOn(_ place: Int) {
    guard processes[place].session != nil else { return }
    processes[place].isStopped.toggle()
    if processes[place].isStopped { count(.stop) }
    tell("process \(place) \(processes[place].isStopped ? "is stopped" : "goes on")")
  }

  private func setClock() {
    let lengths: [Int64] = [1_000, 60_000, 7_200_000, 172_800_000]
    let step = (draws.pick(lengths) ?? 0) * (draws.draw(2) == 0 ? 1 : -1)
    wall += step
    count(.clockStep)
    tell("the clock is set by \(step)")
    noteDates()
  }

  private func reboot() {
    for place in processes.indices { kill(place) }
    boot += 1
    monotonic = 1_000
    wall += Int64(draws.draw(7_200_000)) - 3_600_000
    noteDates()
    for number in models.keys {
      models[number]?.notBefore = nil
      models[number]?.startBy = nil
    }
    count(.reboot)
    tell("the machine starts anew")
  }

  private func changeSignals() {
    let bit = draws.pick(Self.signalBits) ?? 1
    signals ^= bit
    if signals & bit == 0 { count(.signalsLost) }
    tell("signals are \(signals)")
  }

  private func changeWidth() throws {
    let lane = draws.draw(2) == 0 ? "one" : "two"
    let width = draws.draw(4)
    widths[lane] = width
    count(.narrowed)
    tell("lane \(lane) has width \(width)")
    try connection.run(
      """
      INSERT INTO q_lane(name, width) VALUES (\(lane), \(width))
      ON CONFLICT (name) DO UPDATE SET width = excluded.width
      """)
  }

  private func prune() throws {
    let before = try rows()
    try commit(nil) { engine in
      try engine.prune(olderThan: 600_000)
    } note: { count in
      guard count > 0 else { return }
      self.count(.pruned)
      let left = Set(try rows().map(\.number))
      for row in before where !left.contains(row.number) {
        guard row.life.state.isTerminal else {
          try fail("G5", "task \(row.number) was pruned in state \(row.life.state)")
        }
        let graph = row.graph
        if let graph, before.contains(where: { $0.graph == graph && !$0.life.state.isTerminal }) {
          try fail("G5", "task \(row.number) was pruned, and its graph is open")
        }
        models[row.number] = nil
        pruned += 1
      }
    }
  }

  // MARK: - Queueing

  private func options() -> (options: EnqueueOptions, change: (inout TaskModel) -> Void) {
    var options = EnqueueOptions()
    var policy = TaskPolicy()
    policy.lane = draws.draw(3) == 0 ? "two" : "one"
    policy.urgency = draws.pick(TaskUrgency.allCases) ?? .normal
    if draws.once(in: 5) {
      policy.requires = Requirements(rawValue: draws.pick(Self.signalBits) ?? 1)
    }
    policy.retry = RetryPolicy(
      backoff: Backoff(
        firstDelay: UInt64(1_000 + draws.draw(20_000)), delayLimit: 60_000, leastDelay: 0,
        jitter: .equal),
      failureLimit: UInt32(1 + draws.draw(4)))
    var startBy: Int64?
    if draws.once(in: 8) {
      policy.startWithin = UInt64(1_000 + draws.draw(120_000))
      startBy = monotonic + Int64(policy.startWithin ?? 0)
    }
    if draws.once(in: 4) { options.serialKey = "line \(draws.draw(2))" }
    options.holdsSerialKey = draws.once(in: 8)
    var notBefore: Int64?
    var notBeforeWall: Int64?
    switch draws.draw(8) {
    case 0:
      let delay = UInt64(draws.draw(90_000))
      options.when = .after(milliseconds: delay)
      notBefore = monotonic + Int64(delay)
    case 1:
      let time = wall + Int64(draws.draw(90_000))
      options.when = .at(milliseconds: time)
      notBeforeWall = time
    default: break
    }
    options.policy = policy
    let (serial, urgency) = (options.serialKey, policy.urgency)
    let retry = policy.retry
    return (
      options,
      { model in
        (model.notBefore, model.notBeforeWall, model.startBy) = (notBefore, notBeforeWall, startBy)
        model.mayExpire = startBy != nil
        (model.serialKey, model.urgency) = (serial, urgency)
        model.failureLimit = Int(retry.failureLimit)
        model.firstDelay = Int64(retry.backoff.firstDelay)
        model.delayLimit = Int64(retry.backoff.delayLimit)
      }
    )
  }

  private func draft(_ options: EnqueueOptions) -> (draft: TaskDraft, isPoison: Bool) {
    let isPoison = draws.once(in: 25)
    let kind = draws.once(in: 12) ? "c" : draws.draw(2) == 0 ? "a" : "b"
    return (
      TaskDraft(
        kind: kind, version: 1, payload: Array((isPoison ? "poison" : "usual").utf8),
        policy: options.policy ?? TaskPolicy(), options: options), isPoison
    )
  }

  private func model(_ id: TaskID, _ change: (inout TaskModel) -> Void) throws -> TaskModel {
    guard let row = try rows().first(where: { $0.id == id }) else {
      try fail("G1", "what was queued is not there: \(id)")
    }
    var model = TaskModel(
      id: id, number: row.number, urgency: .normal, failureLimit: 8, firstDelay: 2_000,
      delayLimit: 900_000)
    change(&model)
    return model
  }

  private func enqueue() throws {
    var (options, change) = options()
    if draws.once(in: 5) {
      options.uniqueKey = "key \(draws.draw(2))"
      options.duplicate = [.keep, .replace, .supersedeIfWaiting][draws.draw(3)]
    }
    let (draft, isPoison) = draft(options)
    let before = try rows().filter { $0.uniqueKey != nil && $0.uniqueKey == options.uniqueKey }
    let other = before.first { !$0.life.state.isTerminal }
    tell(
      "enqueue \(draft.kind) \(options.when), key \(options.uniqueKey ?? "-"), line "
        + "\(options.serialKey ?? "-"), \(draft.policy.lane), within "
        + "\(draft.policy.startWithin ?? 0)")
    try commit(nil) { engine in
      try engine.enqueue(draft)
    } note: { queued in
      enqueued += 1
      switch queued {
      case .existing(let id), .merged(let id):
        guard other?.id == id else { try fail("G20", "\(queued) is not what had the key") }
      case .inserted: if other != nil { try fail("G20", "two open tasks have one unique key") }
      case .replaced(let old, _):
        guard other?.id == old, let other else {
          try fail("G20", "\(queued) replaces what had no key")
        }
        noteCancel(other)
        let now = try rows().first { $0.id == old }?.life
        guard now?.state == .cancelled || now?.isCancelRequested == true else {
          try fail("G20", "task \(other.number) was replaced and goes on")
        }
      }
      guard case .existing = queued else {
        var model = try model(queued.id, change)
        if case .merged = queued, let known = models[model.number] {
          (model.interruptions, model.attempts) = (known.interruptions, known.attempts)
          let payload = try connection.first(
            "SELECT payload FROM q_task WHERE id = \(model.number)"
          ) { $0.bytes(0) }
          guard payload == draft.payload else {
            try fail("G20", "task \(model.number) was merged and has its old payload")
          }
        }
        model.nature = isPoison ? .poison : .usual
        models[model.number] = model
        try checkRank(of: model, draft)
        return
      }
    }
  }

  /// A task that may start at once has the rank of its class.
  private func checkRank(of model: TaskModel, _ draft: TaskDraft) throws {
    guard case .now = draft.options.when, let row = try rows().first(where: { $0.id == model.id })
    else { return }
    let slack: Int64 = [.interactive: 0, .normal: 30_000, .background: 600_000][model.urgency] ?? 0
    guard row.life.rank == wall + slack else {
      try fail("G17", "task \(row.number) has rank \(row.life.rank - wall) from now")
    }
  }

  private func submit() throws {
    let size = 2 + draws.draw(4)
    var graph = Graph("graph")
    graph.onFailure = draws.pick(GraphFailureRule.allCases) ?? .skipDescendants
    var model = GraphModel(
      id: TaskID(high: 0, low: 0), rule: graph.onFailure, joins: [:], parents: [:])
    var changes: [String: ((inout TaskModel) -> Void, Bool)] = [:]
    for place in 0..<size {
      let name = "n\(place)"
      let parents = (0..<place).filter { _ in draws.draw(2) == 0 }.map { "n\($0)" }
      let join = draws.pick(JoinRule.allCases) ?? .allSucceeded
      let (options, change) = options()
      let isPoison = draws.once(in: 25)
      graph.add(
        name, SimulatedWork(word: isPoison ? "poison" : "usual"), after: parents,
        join: join, options)
      (model.joins[name], model.parents[name]) = (join, parents)
      changes[name] = (change, isPoison)
    }
    let plan = try graph.plan()
    tell("submit \(graph.onFailure): \(plan.parents)")
    try commit(nil) { engine in
      try engine.submit(graph, plan, uniqueKey: nil)
    } note: { queued in
      enqueued += size
      model.id = queued.id
      let all = try rows()
      guard let number = all.map({ $0.graph ?? 0 }).max(), number > 0 else {
        try fail("G37", "no node of a graph is there")
      }
      for row in all where row.graph == number {
        guard let node = row.node, let (change, isPoison) = changes[node] else {
          try fail("G37", "a node is there that nobody submitted")
        }
        model.numbers[node] = row.number
        var task = try self.model(row.id, change)
        (task.graph, task.node, task.nature) = (Int(number), node, isPoison ? .poison : .usual)
        models[row.number] = task
      }
      guard model.numbers.count == size else { try fail("G37", "a graph is there by halves") }
      graphs[number] = model
    }
  }
}

/// The payload of a graph's nodes.
struct SimulatedWork: QueueTask {
  static let kind = "a"
  var word: String
}
