import CommuteCore
package import CommuteSQLite

/// How attempts end.
extension QueueEngine {
  /// The task of an attempt as it is now; nil where the attempt is not the one that counts.
  package func owned(_ claimed: TaskRow) throws(SQLiteError) -> TaskRow? {
    #if PLANTED
      if PlantedTask.isActive(.fenceIgnored) { return try task(number: claimed.number) }
    #endif
    guard let row = try task(number: claimed.number), row.life.state == .running,
      row.life.attempt == claimed.life.attempt, row.owner == claimed.owner
    else { return nil }
    return row
  }

  /// Ends an attempt.
  ///
  /// - Returns: The task as it is now; nil where the attempt was given to another.
  package func end(_ claimed: TaskRow, _ outcome: PlainOutcome) throws(SQLiteError) -> TaskRow? {
    try observeClock()
    guard let row = try owned(claimed) else { return nil }
    return try finish(row, outcome)
  }

  /// Writes what became of a task that ran or was handed off.
  private func finish(_ row: TaskRow, _ outcome: PlainOutcome) throws(SQLiteError) -> TaskRow {
    var row = row
    row.reason = outcome.reason
    row.isUnreadable = outcome.isUnreadable
    let failure = row.life.end(outcome.ending, now: now, draw: draw())
    if let failure { try mark(row, failure) }
    if let result = outcome.result, row.life.state == .succeeded {
      try connection.run("UPDATE q_task SET result = \(result) WHERE id = \(row.number)")
    }
    try settle(row, row.life.state.isTerminal ? nil : .of(outcome.ending))
    if let token = outcome.token, row.life.state == .external {
      try connection.run("UPDATE q_task SET token = \(token) WHERE id = \(row.number)")
    }
    return row
  }

  /// Tasks that run here and must stop: they are another's by now, were taken back, or their lane
  /// is paused.
  package func lost(
    _ running: [Int64: UInt64], session: Int64
  ) throws(SQLiteError) -> [Int64] {
    guard !running.isEmpty else { return [] }
    #if PLANTED
      if PlantedTask.isActive(.lossUntold) { return [] }
    #endif
    let kept = try connection.all(
      """
      SELECT id, attempt FROM q_task
      WHERE state = 3 AND owner = \(session) AND cancel_requested = 0 AND NOT EXISTS (
        SELECT 1 FROM q_lane WHERE name = q_task.lane AND paused_until > \(now))
      """
    ) { (row) throws(SQLiteError) in (number: row.int64(0), attempt: row.int64(1)) }
    let attempts = Dictionary(kept.map { ($0.number, $0.attempt) }, uniquingKeysWith: max)
    return running.filter { attempts[$0.key] != Int64($0.value) }.map(\.key)
  }

  /// Gives a sign of life for all this process runs.
  func beat(session: Int64, lease: Int64) throws(SQLiteError) {
    #if PLANTED
      if PlantedTask.isActive(.beatForgotten) { return }
    #endif
    try connection.run(
      """
      UPDATE q_task SET lease_until = \(now &+ lease)
      WHERE state = 3 AND owner = \(session) AND lease_until < \(now &+ lease * 2 / 3)
      """)
  }

  /// Completes what was handed off.
  ///
  /// - Returns: Whether somebody waited for the token.
  package func complete(token: String, _ outcome: PlainOutcome) throws(SQLiteError) -> Bool {
    try observeClock()
    guard let row = try tasks(where: "state = 4 AND token = \(token)").first else { return false }
    _ = try finish(row, outcome)
    return true
  }
}
