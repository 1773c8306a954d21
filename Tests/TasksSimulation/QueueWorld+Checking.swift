import CommuteCore
import CommuteSQLite
import CommuteTasks

/// What must hold after every commit, read by SQL and compared with what the world knows.
extension QueueWorld {
  func check() throws {
    let rows = try rows()
    let effects = Dictionary(
      try connection.all("SELECT task, count(*) FROM effect GROUP BY task") {
        ($0.int64(0), Int($0.int64(1)))
      }, uniquingKeysWith: +)
    var serial: [String: Int64] = [:]
    for row in rows {
      guard let model = models[row.number] else { continue }
      let life = row.life
      guard Int(life.failures) == model.failures, Int(life.crashes) == model.crashes,
        Int(life.interruptions) == model.interruptions
      else {
        try fail(
          "G13",
          "task \(row.number) counts \(life.failures), \(life.crashes), \(life.interruptions)"
            + " and not \(model.failures), \(model.crashes), \(model.interruptions)")
      }
      let isRight =
        life.state == .running
        ? row.owner == model.owner?.session && life.attempt == model.owner?.attempt
        : model.owner == nil
      guard isRight else { try fail("G8", "task \(row.number) is \(life.state) of another") }
      if life.state == .failed, !model.mayHaveFailed {
        try fail("G12", "task \(row.number) failed and had no part in it")
      }
      if life.state != .failed, model.crashes >= 3, !life.state.isTerminal {
        try fail("G12", "task \(row.number) has crashed \(model.crashes) times and goes on")
      }
      let done = effects[row.number] ?? 0
      guard done == model.effects, done <= 1 else {
        try fail("G7", "the effects of task \(row.number) happened \(done) times")
      }
      if life.state == .running, let key = row.serialKey {
        if let other = serial[key] {
          try fail("G16", "tasks \(other) and \(row.number) of one line run at once")
        }
        serial[key] = row.number
      }
    }
    let known = Set(rows.map(\.number))
    for number in models.keys where !known.contains(number) {
      try fail("G5", "task \(number) is gone")
    }
    try checkGraphs(rows)
    try readEvents()
  }

  /// Reads on where it stopped, as an observer does.
  private func readEvents() throws {
    let events = try connection.all(
      "SELECT \(TaskEvent.columns) FROM q_event WHERE seq > \(lastEvent) ORDER BY seq"
    ) { row in try TaskEvent(row) }
    for event in events {
      guard event.number == lastEvent + 1 else {
        try fail("G46", "event \(event.number) comes after event \(lastEvent)")
      }
      lastEvent = event.number
      guard let task = event.task, (20...24).contains(event.type.rawValue) else { continue }
      ends[task, default: 0] += 1
    }
  }

  private func checkGraphs(_ rows: [TaskRow]) throws {
    let counts = try connection.all("SELECT id, state, open FROM q_graph") {
      (id: $0.int64(0), state: $0.int64(1), open: $0.int64(2))
    }
    let byNumber = Dictionary(uniqueKeysWithValues: rows.map { ($0.number, $0) })
    for count in counts {
      guard let graph = graphs[count.id] else { continue }
      let nodes = graph.numbers.compactMapValues { byNumber[$0] }
      let open = nodes.values.filter { !$0.life.state.isTerminal }.count
      guard Int(count.open) == open, (count.state < 10) == (open > 0) else {
        try fail("G40", "graph \(count.id) counts \(count.open) open nodes and has \(open)")
      }
      let hasFailed = nodes.values.contains { $0.life.state == .failed }
      if graph.rule == .failFast, hasFailed, !graph.wasRevived,
        let row = nodes.values.filter({ $0.life.state.isWaiting && $0.life.attempt == 0 })
          .min(by: { $0.number < $1.number })
      {
        try fail("G40", "task \(row.number) waits though its graph has failed")
      }
      for (name, row) in nodes {
        try check(row, graph, parents: (graph.parents[name] ?? []).compactMap { nodes[$0] })
      }
    }
  }

  private func check(_ row: TaskRow, _ graph: GraphModel, parents: [TaskRow]) throws {
    let rule = graph.joins[row.node ?? ""] ?? .allSucceeded
    let isOpen = parents.contains { !$0.life.state.isTerminal }
    let hasSucceeded = parents.contains { $0.life.state == .succeeded }
    let isBad = parents.contains { $0.life.state.isTerminal && $0.life.state != .succeeded }
    if row.life.state == .blocked {
      if !isOpen { try fail("G38", "node \(row.node ?? "") waits for nothing") }
      if rule == .anySucceeded, hasSucceeded {
        try fail("G38", "node \(row.node ?? "") waits though one before it has succeeded")
      }
      if rule == .allSucceeded, isBad, graph.rule != .carryOn {
        try fail("G38", "node \(row.node ?? "") waits though one before it has not succeeded")
      }
    }
    let hasStarted = row.life.attempt > 0
    if hasStarted, rule == .allSucceeded, graph.rule != .carryOn, isOpen || isBad {
      try fail("G39", "node \(row.node ?? "") started before those it comes after")
    }
    if hasStarted, rule == .allFinished, isOpen, !graph.wasRevived {
      try fail("G39", "node \(row.node ?? "") started before those it comes after were over")
    }
    if row.life.state == .skipped, !parents.contains(where: { $0.life.state.isTerminal }) {
      try fail("G38", "node \(row.node ?? "") is skipped for nothing")
    }
  }

  /// Serial keys in order, lanes within their widths.
  func checkLines(_ claimed: [TaskRow], _ after: [Int64: TaskRow]) throws {
    for row in claimed {
      if let key = row.serialKey {
        let earlier = after.values.first { other in
          other.serialKey == key && other.number < row.number && !other.life.state.isTerminal
        }
        if let earlier {
          try fail("G16", "task \(row.number) begins before \(earlier.number) of its line")
        }
      }
      let running = after.values.filter { $0.lane == row.lane && $0.life.state == .running }.count
      let width = widths[row.lane] ?? TaskQueue.defaultWidth
      if running > width { try fail("G19", "lane \(row.lane) runs \(running) of \(width)") }
    }
  }

  /// What may run by `explain` is what was claimed, and in the order of deadlines.
  func compare(
    _ claimed: Set<Int64>, with free: Set<Int64>, _ before: [TaskRow], _ after: [Int64: TaskRow],
    isMoved: Bool, runsSuspect: Bool
  ) throws {
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.number, $0) })
    if !isMoved, let other = claimed.subtracting(free).min() {
      try fail("G47", "task \(other) began though explain told why it could not")
    }
    // A task that must run alone keeps others waiting.
    if runsSuspect { return }
    if before.contains(where: { $0.life.crashes > 0 && !$0.life.state.isTerminal }) { return }
    for number in free.subtracting(claimed).sorted() {
      guard let row = after[number], let was = old[number], row.life.state == .ready else {
        continue
      }
      let running = after.values.filter { $0.lane == row.lane && $0.life.state == .running }.count
      if running < widths[row.lane] ?? TaskQueue.defaultWidth {
        try fail("G47", "task \(number) did not begin though explain told nothing against it")
      }
      guard was.life.state == .ready else { continue }
      for other in claimed {
        guard let first = old[other], first.lane == row.lane, first.life.state == .ready,
          (was.life.rank, number) < (first.life.rank, other)
        else { continue }
        try fail("G17", "task \(other) began before \(number), which must start first")
      }
    }
  }
}

extension TaskState {
  /// Whether a task of this state has not started and still may.
  var isWaiting: Bool { [.blocked, .scheduled, .ready, .parked].contains(self) }
}
