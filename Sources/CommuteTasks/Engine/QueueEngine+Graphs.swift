package import CommuteCore
package import CommuteSQLite
import CommuteStore

/// Graphs: inserted whole, settled node by node.
extension QueueEngine {
  /// Adds a graph whole.
  package func submit(
    _ graph: Graph, _ plan: GraphPlan, uniqueKey: String?
  ) throws(QueueError) -> Enqueued {
    do throws(SQLiteError) {
      try observeClock()
      if let uniqueKey {
        let other = try connection.first(
          "SELECT uid FROM q_graph WHERE unique_key = \(uniqueKey) AND state < 10"
        ) { (row) throws(SQLiteError) in row.pair(0) }
        if let pair = other ?? nil { return .existing(TaskID(high: pair.high, low: pair.low)) }
      }
    } catch {
      throw .store(StoreError(error))
    }
    let members = Dictionary(
      graph.members.map { (Key($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    var drafts: [(draft: TaskDraft, member: Graph.Member)] = []
    for name in plan.order {
      guard let member = members[Key(name)] else { throw .graph(.unknownNode(name, in: name)) }
      drafts.append((try member.draft.get(), member))
    }
    do throws(SQLiteError) {
      return .inserted(try insert(graph, drafts, plan, uniqueKey: uniqueKey))
    } catch {
      throw .store(StoreError(error))
    }
  }

  private func insert(
    _ graph: Graph, _ drafts: [(draft: TaskDraft, member: Graph.Member)], _ plan: GraphPlan,
    uniqueKey: String?
  ) throws(SQLiteError) -> TaskID {
    let id = newID()
    try connection.run(
      """
      INSERT INTO q_graph(uid, name, unique_key, on_failure, state, total, open, created_at)
      VALUES (\(id.bytes), \(graph.name), \(uniqueKey), \(Int64(graph.onFailure.rawValue)), 0,
        \(drafts.count), \(drafts.count), \(now))
      """)
    let number = connection.lastInsertRowID
    var numbers: [Int64] = []
    for (place, (draft, member)) in drafts.enumerated() {
      let parents = plan.parents[place]
      let row = try insert(
        draft, graph: number, node: member.name, join: member.join, parents: parents.count)
      numbers.append(row.number)
      for parent in parents {
        try connection.run(
          "INSERT INTO q_edge(parent, child) VALUES (\(numbers[parent]), \(row.number))")
      }
    }
    return id
  }

  /// Tells the nodes that come after what has ended, and those after them, without recursion.
  ///
  /// It touches the children of each node that ended, and the graph's own row.
  func settleGraph(_ graph: Int64, after ended: [TaskRow]) throws(SQLiteError) {
    let rule = try failureRule(of: graph)
    var left = ended
    var closed = 0
    var bad = 0
    while let row = left.popLast() {
      closed += 1
      let isGood = row.life.state == .succeeded
      if !isGood { bad += 1 }
      let counts = isGood || rule == .carryOn
      for var child in try tasks(
        where: "id IN (SELECT child FROM q_edge WHERE parent = \(row.number))")
      {
        child.parentsLeft -= 1
        #if PLANTED
          if PlantedTask.isActive(.parentsCountedTwice) {
            child.parentsLeft = max(child.parentsLeft - 1, 0)
          }
        #endif
        if !counts { child.parentsBad += 1 }
        if child.life.state == .blocked { try decide(&child, into: &left) }
        try connection.run(
          """
          UPDATE q_task SET parents_left = \(child.parentsLeft), parents_bad = \(child.parentsBad)
          WHERE id = \(child.number)
          """)
      }
      guard !isGood, rule == .failFast, row.life.state != .skipped else { continue }
      #if PLANTED
        if PlantedTask.isActive(.failFastSpares) { continue }
      #endif
      for var other in try tasks(where: "graph = \(graph) AND state IN (0, 1, 2, 5)") {
        other.life.cancel()
        try save(other)
        try note(.ended(.cancelled), other)
        left.append(other)
      }
    }
    try connection.run(
      """
      UPDATE q_graph SET open = open - \(closed), bad = bad + \(bad) WHERE id = \(graph)
      """)
    try close(graph)
  }

  /// Releases or skips a blocked node, where its rule says so.
  private func decide(
    _ child: inout TaskRow, into left: inout [TaskRow]
  ) throws(SQLiteError) {
    let verdict = child.join.verdict(
      total: child.parents, left: child.parentsLeft, bad: child.parentsBad)
    switch verdict {
    case .wait: return
    case .release:
      child.life.release(now: now)
      try save(child)
      try note(.released, child)
    case .skip:
      child.life.skip()
      try save(child)
      try note(.ended(.skipped), child)
      #if PLANTED
        if PlantedTask.isActive(.skipStops) { return }
      #endif
      left.append(child)
    }
  }

  private func failureRule(of graph: Int64) throws(SQLiteError) -> GraphFailureRule {
    let number = try connection.statement(
      "SELECT on_failure FROM q_graph WHERE id = \(graph)"
    ).firstInt64()
    return GraphFailureRule(rawValue: UInt8(clamping: number ?? 0)) ?? .skipDescendants
  }

  /// Ends a graph whose nodes are all over, or opens one of which a node was revived.
  private func close(_ graph: Int64) throws(SQLiteError) {
    #if PLANTED
      if PlantedTask.isActive(.graphStaysOpen) { return }
    #endif
    let ended = try connection.run(
      """
      UPDATE q_graph SET state = CASE WHEN bad > 0 THEN 11 ELSE 10 END, finished_at = \(now)
      WHERE id = \(graph) AND open = 0 AND state < 10
      """)
    if ended > 0 { try note(.graphEnded, task: nil, graph: graph, attempt: nil) }
  }

  /// Tries a task once more that is over or parked; of a graph, with everything that was skipped
  /// because of it.
  ///
  /// A node that was skipped comes back with the one it was skipped for, not before it.
  ///
  /// - Returns: Whether there was anything to do.
  package func revive(_ row: TaskRow) throws(SQLiteError) -> Bool {
    try observeClock()
    var row = row
    let wasOver = row.life.state.isTerminal
    guard row.life.state != .skipped else { return false }
    let verdict = row.join.verdict(total: row.parents, left: row.parentsLeft, bad: row.parentsBad)
    guard verdict != .skip, row.life.revive(now: now, isBlocked: verdict == .wait) else {
      return false
    }
    if wasOver { try releaseTakenKey(of: row) }
    row.reason = nil
    row.isUnreadable = false
    try save(row)
    try note(.revived, row)
    if wasOver, let graph = row.graph { try reopen(graph, behind: row) }
    return true
  }

  private func reopen(_ graph: Int64, behind row: TaskRow) throws(SQLiteError) {
    var opened = 1
    var left = [row]
    while let parent = left.popLast() {
      for var child in try tasks(
        where: "id IN (SELECT child FROM q_edge WHERE parent = \(parent.number))")
      {
        child.parentsLeft += 1
        if child.parentsBad > 0 { child.parentsBad -= 1 }
        let verdict = child.join.verdict(
          total: child.parents, left: child.parentsLeft, bad: child.parentsBad)
        let returns = comesBack(child, verdict)
        if returns {
          _ = child.life.revive(now: now, isBlocked: true)
          try releaseTakenKey(of: child)
          opened += 1
          left.append(child)
        }
        try connection.run(
          """
          UPDATE q_task SET parents_left = \(child.parentsLeft), parents_bad = \(child.parentsBad)
          WHERE id = \(child.number)
          """)
        if returns {
          try save(child)
          try note(.revived, child)
        }
      }
    }
    try connection.run(
      """
      UPDATE q_graph SET open = open + \(opened), bad = max(bad - \(opened), 0), state = 0,
        finished_at = NULL, unique_key = CASE WHEN NOT EXISTS (
          SELECT 1 FROM q_graph AS other WHERE other.unique_key = q_graph.unique_key
            AND other.state < 10 AND other.id <> q_graph.id) THEN unique_key END
      WHERE id = \(graph)
      """)
  }

  /// Whether a node that was skipped for one that comes back does so, too: not where another one
  /// before it keeps it from ever starting.
  private func comesBack(_ child: TaskRow, _ verdict: JoinRule.Verdict) -> Bool {
    #if PLANTED
      if PlantedTask.isActive(.descendantsStay) { return false }
      if PlantedTask.isActive(.anyStartsAgain) { return child.life.state.isTerminal }
    #endif
    return child.life.state == .skipped && verdict != .skip
  }

  /// Lets go of a unique key that another has taken since: no task fails to come back for it.
  private func releaseTakenKey(of row: TaskRow) throws(SQLiteError) {
    guard let key = row.uniqueKey else { return }
    try connection.run(
      """
      UPDATE q_task SET unique_key = NULL WHERE id = \(row.number) AND EXISTS (
        SELECT 1 FROM q_task AS other WHERE other.unique_key = \(key) AND other.state < 10
          AND other.id <> \(row.number))
      """)
  }
}
