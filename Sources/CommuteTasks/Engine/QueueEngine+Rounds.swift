import CommuteCore
package import CommuteSQLite

/// What one look at the queue came to.
package struct ClaimRound: Sendable {
  /// Tasks that begin now.
  package var claimed: [ClaimedTask] = []
  /// Tasks that run here and are another's by now, or were taken back.
  package var lost: [Int64] = []
  /// When something is due by itself.
  package var nextDue: Int64?
  /// The signals that ready tasks want; nothing unless somebody asks.
  package var wanted: UInt64 = 0
}

/// What a process does in one transaction, again and again.
extension QueueEngine {
  /// Looks what there is to do, and takes as much as may run.
  ///
  /// - Parameters:
  ///   - terms: What the process claims by.
  ///   - running: What it runs, with the attempts.
  ///   - runsSuspect: Whether something of that must run alone.
  ///   - asksWishes: Whether it is told what ready tasks want.
  /// - Throws: What SQLite throws; nothing is written then.
  /// - Returns: What begins, what was lost, and when to look again.
  package func round(
    _ terms: ClaimTerms, running: [Int64: UInt64], runsSuspect: Bool, asksWishes: Bool = false
  ) throws(SQLiteError) -> ClaimRound {
    try observeClock()
    try wake(terms)
    var round = ClaimRound()
    round.lost = try lost(running, session: terms.session)
    try beat(session: terms.session, lease: terms.lease)
    let suspect = terms.busy.isEmpty ? try claimSuspect(terms) : nil
    if let suspect { round.claimed = [suspect] }
    let isOverdue = try hasOverdueSuspect(terms)
    let isFree = suspect == nil && !runsSuspect && !isOverdue
    for lane in try readyLanes() {
      if isFree { round.claimed += try claim(Int.max, in: lane, terms) }
      guard asksWishes else { continue }
      for wanted in try Self.requirements(in: lane, connection) { round.wanted |= wanted }
    }
    round.nextDue = try nextDue()
    return round
  }

  /// Notes a process that runs tasks.
  ///
  /// - Returns: The number of its session.
  package func openSession(process: Int64, lock: String) throws(SQLiteError) -> Int64 {
    try observeClock()
    try connection.run(
      """
      INSERT INTO q_session(boot, pid, lock, started_at, beat_at)
      VALUES (\(boot), \(process), \(lock), \(now), \(now))
      """)
    return connection.lastInsertRowID
  }

  /// Gives what a process still runs back, at no cost to the tasks, and forgets the process.
  ///
  /// - Returns: The name of its lock; nil where it is forgotten already.
  package func closeSession(_ session: Int64) throws(SQLiteError) -> String? {
    try observeClock()
    for var row in try tasks(where: "state = 3 AND owner = \(session)") {
      row.life.end(.interrupted, now: now, draw: draw())
      #if PLANTED
        if PlantedTask.isActive(.closingCharged) { row.life.crashes += 1 }
      #endif
      row.reason = "the queue was stopped"
      try settle(row, row.life.state.isTerminal ? nil : .interrupted)
    }
    let name = try connection.first("SELECT lock FROM q_session WHERE id = \(session)") {
      (row) throws(SQLiteError) in row.text(0)
    }
    try connection.run("DELETE FROM q_session WHERE id = \(session)")
    return name
  }
}
