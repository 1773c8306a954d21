import CommuteCore
package import CommuteSQLite

/// What becomes of tasks by themselves: time passes, processes die.
extension QueueEngine {
  /// Tasks whose time has come are ready, those whose time is up have expired, those parked for
  /// want of a handler are taken up by whoever has one, and leases that ran out are taken over.
  func wake(_ terms: ClaimTerms) throws(SQLiteError) {
    try fireSchedules()
    // Before the rest: what is taken up may have to wait, or come too late.
    for var row in try tasks(
      where: "state = 5 AND unreadable = 1 AND kind IN \(terms.kinds.sorted())")
    {
      guard !terms.unreadable.contains(row.number) else { continue }
      row.life.takeUp(now: now)
      row.isUnreadable = false
      row.reason = nil
      try save(row)
      try note(.revived, row)
    }
    for var row in try tasks(where: "state = 1 AND due_at <= \(now)") {
      row.life.comeDue()
      try save(row)
    }
    for late in try tasks(
      where: "expires_at IS NOT NULL AND state < 3 AND expires_at <= \(now)")
    {
      // A node may have been skipped or released by the end of one before it.
      guard var row = try task(number: late.number), !row.life.state.isTerminal else { continue }
      row.life.expire()
      try settle(row)
    }
    for var row in try tasks(
      where: "state = 3 AND lease_until <= \(now) AND owner <> \(terms.session)")
    {
      #if PLANTED
        if PlantedTask.isActive(.leaseIgnored) { continue }
      #endif
      row.life.end(.interrupted, now: now, draw: draw())
      row.reason = "its process gave no sign of life"
      try settle(row, row.life.state.isTerminal ? nil : .leaseLost)
    }
  }

  /// The earliest time at which something is due by itself; nil where nothing is.
  func nextDue() throws(SQLiteError) -> Int64? {
    try connection.first(
      """
      SELECT min(at) FROM (
        SELECT min(due_at) AS at FROM q_task WHERE state = 1
        UNION ALL SELECT min(lease_until) FROM q_task WHERE state = 3
        UNION ALL SELECT min(expires_at) FROM q_task WHERE expires_at IS NOT NULL AND state < 3
        UNION ALL SELECT min(paused_until) FROM q_lane WHERE paused_until > \(now)
        UNION ALL SELECT min(next_at) FROM q_schedule WHERE enabled = 1)
      """
    ) { (row) throws(SQLiteError) in row.optional(0) } ?? nil
  }

  /// Gives the tasks of a process that has died back, and forgets it.
  package func reap(session: Int64) throws(SQLiteError) {
    try observeClock()
    for var row in try tasks(where: "state = 3 AND owner = \(session)") {
      #if PLANTED
        if PlantedTask.isActive(.reapForgets) { row.life.hasStarted = false }
      #endif
      let failure = row.life.end(.ownerDied, now: now, draw: draw())
      row.reason = "its process died"
      if failure == .poison { try mark(row, .poison) }
      try settle(row, row.life.state.isTerminal ? nil : .crashed)
    }
    try connection.run("DELETE FROM q_session WHERE id = \(session)")
  }

  /// Notes why the queue itself gave a task up.
  func mark(_ row: TaskRow, _ failure: TaskFailure) throws(SQLiteError) {
    try connection.run(
      "UPDATE q_task SET code = \(Int64(failure.rawValue)) WHERE id = \(row.number)")
  }

  /// Moves what is relative when the wall clock was set, and shortens it after a restart.
  ///
  /// `boot` names this run of the machine, `offset` is what the wall clock is ahead of the
  /// monotonic one.
  func observe(boot: String, offset: Int64) throws(SQLiteError) {
    let found = try connection.first("SELECT boot, offset FROM q_clock") {
      (row) throws(SQLiteError) in (boot: row.text(0), offset: row.int64(1))
    }
    if let found, found.boot == boot {
      let change = offset &- found.offset
      // The clock is read twice, and may be nudged in between.
      guard abs(change) > Self.clockTolerance else { return }
      for var row in try tasks(where: "state < 10") {
        row.life.shift(by: change)
        try save(row)
      }
      try connection.run(
        "UPDATE q_task SET lease_until = lease_until + \(change) WHERE state = 3")
      try connection.run(
        "UPDATE q_lane SET paused_until = paused_until + \(change) WHERE paused_until IS NOT NULL")
    } else if found != nil {
      for var row in try tasks(where: "state < 10") {
        row.life.clamp(now: now)
        try save(row)
      }
    }
    try connection.run(
      """
      INSERT INTO q_clock(one, boot, offset) VALUES (1, \(boot), \(offset))
      ON CONFLICT (one) DO UPDATE SET boot = excluded.boot, offset = excluded.offset
      """)
  }

  /// By how much the wall clock may part from the other one before it counts as set.
  private static var clockTolerance: Int64 { 200 }
}
