import CommuteCore
import CommuteSQLite
import CommuteTasks

/// What people do, what the system asks for, and how all ends well.
extension QueueWorld {
  /// Takes note that somebody took a task back.
  func noteCancel(_ row: TaskRow) {
    if row.life.state == .running { models[row.number]?.isCancelRequested = true }
  }

  func cancelSomething() throws {
    let open = try rows().filter { !$0.life.state.isTerminal && !$0.life.isCancelRequested }
    guard let row = draws.pick(open) else { return }
    tell("task \(row.number) is taken back")
    try commit(nil) { engine in
      try engine.cancel(row)
    } note: { _ in
      count(.cancelled)
      noteCancel(row)
      let state = try rows().first { $0.number == row.number }?.life.state
      let expected: TaskState = row.life.state == .running ? .running : .cancelled
      guard state == expected else {
        try fail(
          "G15", "task \(row.number) was taken back and is \(state.map { "\($0)" } ?? "gone")")
      }
    }
  }

  func retrySomething(_ wanted: TaskState? = nil) throws {
    let before = try rows()
    let over = before.filter { row in
      guard let wanted else { return row.life.state.isTerminal || row.life.state == .parked }
      return row.life.state == wanted
    }
    guard let row = draws.pick(over) else { return }
    tell("task \(row.number), \(row.life.state), is tried again")
    try commit(nil) { engine in
      try engine.revive(row)
    } note: { isRevived in
      guard isRevived else {
        let isRefused: Set<TaskState> = [.succeeded, .skipped, .cancelled, .expired]
        guard isRefused.contains(row.life.state) else {
          try fail("G24", "task \(row.number), \(row.life.state), is not tried again")
        }
        return
      }
      count(.retried)
      if let graph = row.graph { graphs[graph]?.wasRevived = true }
      let after = Dictionary(uniqueKeysWithValues: try rows().map { ($0.number, $0) })
      for old in before {
        guard let now = after[old.number], !now.life.state.isTerminal,
          old.life.state.isTerminal || old.number == row.number
        else { continue }
        if old.number != row.number, old.life.state != .skipped {
          try fail("G24", "task \(old.number), \(old.life.state), came back with another")
        }
        models[old.number]?.revive()
      }
      for (node, parents) in graphs[row.graph ?? 0]?.parents ?? [:] {
        guard parents.contains(row.node ?? ""), row.life.state.isTerminal,
          let number = graphs[row.graph ?? 0]?.numbers[node]
        else { continue }
        let others = parents.compactMap { graphs[row.graph ?? 0]?.numbers[$0] }
        let isKept =
          graphs[row.graph ?? 0]?.joins[node] == .allSucceeded
          && others.contains { other in
            guard let state = after[other]?.life.state else { return false }
            return state.isTerminal && state != .succeeded
          }
        if after[number]?.life.state == .skipped, !isKept {
          try fail("G24", "node \(node) stays skipped though the one before it is tried again")
        }
      }
    }
  }

  func completeSomething() throws {
    let waiting = try rows().filter { $0.life.state == .external }.map(\.number)
    let known = tokens.filter { waiting.contains($0.value) }.sorted { $0.key < $1.key }
    guard let token = draws.pick(known) else { return }
    try commit(nil) { engine in
      try engine.complete(token: token.key, PlainOutcome(.done))
    } note: { isKnown in
      guard isKnown else { try fail("G4", "nobody waits for \(token.key)") }
      tokens[token.key] = nil
    }
    try commit(nil) { engine in
      try engine.complete(token: token.key, PlainOutcome(.done))
    } note: { isKnown in
      if isKnown { try fail("G4", "\(token.key) completes a second time") }
    }
  }

  func suspend(_ place: Int) throws {
    guard processes[place].isActive, let session = processes[place].session else { return }
    tell("process \(place) is suspended")
    try commit(place) { engine in
      try engine.closeSession(session)
    } note: { _ in
      count(.suspend)
      for (number, model) in models where model.owner?.session == session {
        models[number]?.owner = nil
        if !model.isCancelRequested { models[number]?.interruptions += 1 }
      }
      processes[place] = SimulatedProcess()
    }
  }

  // MARK: - Healing

  /// Everything that went wrong is over: now every task must end.
  func heal() throws {
    isHealing = true
    tell("everything heals")
    for place in processes.indices { kill(place) }
    signals = Self.signalBits.reduce(0, |)
    try connection.execute("DELETE FROM q_lane")
    widths = [:]
    for _ in 0..<600 {
      try look(0)
      let isIdle = processes[0].running.isEmpty
      while !processes[0].running.isEmpty { try endSomething(0, healing: true) }
      signals = Self.signalBits.reduce(0, |)
      try completeSomething()
      while try rows().contains(where: { $0.life.state == .parked && !$0.isUnreadable }) {
        try retrySomething(.parked)
      }
      let holding = try connection.all("SELECT id FROM q_task WHERE state = 11 AND holds = 1") {
        $0.int64(0)
      }
      for row in try rows() where holding.contains(row.number) {
        try commit(nil) { engine in
          try engine.cancel(row)
        } note: { _ in
        }
      }
      let open = try rows().filter { !$0.life.state.isTerminal }
      if open.isEmpty { return try checkEnd() }
      pass(60_000)
      // What has a date comes with it.
      if isIdle, let date = open.map(\.life.due).filter({ $0 > wall }).min() {
        pass(min(date - wall, 172_800_000))
      }
    }
    let open = try rows().filter { !$0.life.state.isTerminal }
    let states = open.map { "\($0.number) \($0.life.state)" }.joined(separator: ", ")
    try fail("G40", "these never end: \(states)")
  }

  private func checkEnd() throws {
    for (number, graph) in graphs {
      let state = try connection.statement(
        "SELECT state FROM q_graph WHERE id = \(number)"
      ).firstInt64()
      if let state, state < 10 {
        try fail("G40", "graph \(graph.id) is open and its nodes are not")
      }
    }
    let numbers = try connection.all("SELECT seq FROM q_event ORDER BY seq") { $0.int64(0) }
    for (first, second) in zip(numbers, numbers.dropFirst()) where second != first + 1 {
      try fail("G46", "what is left of the events has a gap between \(first) and \(second)")
    }
    for model in models.values.sorted(by: { $0.number < $1.number }) {
      guard ends[model.id] == nil else { continue }
      try fail("G46", "no event tells the end of task \(model.number)")
    }
  }
}
