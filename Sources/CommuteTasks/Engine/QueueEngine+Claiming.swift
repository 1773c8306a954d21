import CommuteCore
import CommuteSQLite

/// A task that this process may run now.
package struct ClaimedTask: Sendable {
  package var row: TaskRow
  package var payload: [UInt8]
}

/// What a claim goes by.
package struct ClaimTerms: Sendable {
  /// The number of this process's session.
  package var session: Int64
  /// The signals that are set.
  package var signals: UInt64
  /// How long the claim stands without a sign of life, in milliseconds.
  package var lease: Int64
  /// The kinds this process has handlers for.
  package var kinds: Set<String>
  /// Tasks whose handlers have not returned in this process, whatever the table says of them.
  package var busy: [Int64] = []
  /// Tasks that this process has a handler for and could not read.
  package var unreadable: Set<Int64> = []

  package init(
    session: Int64, signals: UInt64, lease: Int64, kinds: Set<String>, busy: [Int64] = [],
    unreadable: Set<Int64> = []
  ) {
    self.session = session
    self.signals = signals
    self.lease = lease
    self.kinds = kinds
    self.busy = busy
    self.unreadable = unreadable
  }
}

/// Claiming: whose turn it is.
extension QueueEngine {
  /// Lanes with tasks that are ready.
  func readyLanes() throws(SQLiteError) -> [String] {
    // One step of the index for each lane, not for each task.
    try connection.all(
      """
      WITH RECURSIVE lane(name) AS (
        SELECT min(lane) FROM q_task WHERE state = 2
        UNION ALL
        SELECT (SELECT min(lane) FROM q_task WHERE state = 2 AND lane > lane.name) FROM lane
        WHERE lane.name IS NOT NULL)
      SELECT name FROM lane WHERE name IS NOT NULL
      """
    ) { (row) throws(SQLiteError) in row.text(0) }
  }

  /// How many more tasks a lane may run, over all processes; 0 while it is paused.
  func room(in lane: String) throws(SQLiteError) -> Int {
    let lane = try LaneState(of: lane, connection, now: now)
    #if PLANTED
      if PlantedTask.isActive(.widthIgnored) { return 8 }
    #endif
    return lane.isPaused ? 0 : lane.room
  }

  /// Claims up to a number of tasks of a lane, those that must start first; a task whose kind has
  /// no handler here is parked, one whose time is up has expired.
  func claim(
    _ most: Int, in lane: String, _ terms: ClaimTerms
  ) throws(SQLiteError) -> [ClaimedTask] {
    var claimed: [ClaimedTask] = []
    let room = min(most, try room(in: lane))
    while claimed.count < room, let row = try next(in: lane, terms) {
      if let task = try claim(row, terms) { claimed.append(task) }
    }
    return claimed
  }

  /// Claims a task, or parks it where nobody here handles its kind.
  private func claim(_ row: TaskRow, _ terms: ClaimTerms) throws(SQLiteError) -> ClaimedTask? {
    var row = row
    guard isKnown(row, terms) else {
      row.life.setAside()
      row.isUnreadable = true
      row.reason = "this app has no handler for \(row.kind)"
      try settle(row)
      return nil
    }
    let payload = try take(&row, terms)
    return ClaimedTask(row: row, payload: payload)
  }

  /// Whether this process has a handler for a task.
  private func isKnown(_ row: TaskRow, _ terms: ClaimTerms) -> Bool {
    #if PLANTED
      if PlantedTask.isActive(.unknownKindsRun) { return true }
    #endif
    return terms.kinds.contains(row.kind)
  }

  /// Writes that a process runs a task from now on.
  ///
  /// - Returns: The payload.
  private func take(_ row: inout TaskRow, _ terms: ClaimTerms) throws(SQLiteError) -> [UInt8] {
    #if PLANTED
      let before = row
    #endif
    row.life.claim()
    row.life.hasStarted = true
    row.owner = terms.session
    let statement = try connection.statement(
      """
      UPDATE q_task SET state = 3, attempt = ?2, started = 1, owner = ?3, lease_until = ?4,
        expires_at = NULL, start_within = NULL
      WHERE id = ?1 RETURNING payload
      """)
    statement.bind(row.number, at: 1)
    statement.bind(Int64(row.life.attempt), at: 2)
    statement.bind(row.owner ?? 0, at: 3)
    statement.bind(now &+ terms.lease, at: 4)
    // Run to its end: the change belongs to the last step.
    let payload = try statement.all { (row) throws(SQLiteError) in row.bytes(0) }.first ?? []
    #if PLANTED
      if PlantedTask.isActive(.expiryKept) {
        try connection.run(
          "UPDATE q_task SET expires_at = \(before.life.expires) WHERE id = \(row.number)")
      }
    #endif
    return payload
  }

  /// The task of a lane that must start first among those whose signals are set and that are at the
  /// head of their serial key.
  private func next(in lane: String, _ terms: ClaimTerms) throws(SQLiteError) -> TaskRow? {
    var best: TaskRow?
    let kinds = try Self.requirements(in: lane, connection)
    for requires in kinds where Self.isMet(requires, terms) {
      let row = try tasks(
        where: """
          lane = \(lane) AND state = 2 AND requires = \(Int64(bitPattern: requires))
            AND \(Self.isUnsuspected) AND \(Self.isFree(terms)) ORDER BY \(Self.order) LIMIT 1
          """
      ).first
      guard let row else { continue }
      if let known = best,
        (known.life.rank, known.number) <= (row.life.rank, row.number)
      {
        continue
      }
      best = row
    }
    return best
  }

  /// Whether signals that a task wants are set.
  private static func isMet(_ requires: UInt64, _ terms: ClaimTerms) -> Bool {
    #if PLANTED
      if PlantedTask.isActive(.signalsIgnored) { return true }
    #endif
    return requires & ~terms.signals == 0
  }

  /// That no process has died in a task.
  private static var isUnsuspected: SQL {
    #if PLANTED
      if PlantedTask.isActive(.suspectsTogether) { return "1" }
    #endif
    return "crashes = 0"
  }

  /// Whose turn it is first.
  private static var order: SQL {
    #if PLANTED
      if PlantedTask.isActive(.oldestFirst) { return "id" }
    #endif
    return "rank, id"
  }

  /// That a task is at the head of its serial key, nothing of that key goes on, and nothing of the
  /// task itself in this process.
  private static func isFree(_ terms: ClaimTerms) -> SQL {
    #if PLANTED
      let isFirst =
        "NOT EXISTS (SELECT 1 FROM q_task AS other WHERE \(TaskRow.isBehindOther))" as SQL
      if PlantedTask.isActive(.serialIgnored) { return "id NOT IN \(terms.busy)" }
      if PlantedTask.isActive(.besideIgnored) {
        return "(serial_key IS NULL OR \(isFirst)) AND id NOT IN \(terms.busy)"
      }
      if PlantedTask.isActive(.busyIgnored) { return "(serial_key IS NULL OR \(isFirst))" }
    #endif
    return """
      (serial_key IS NULL OR NOT EXISTS (
        SELECT 1 FROM q_task AS other WHERE \(TaskRow.isBehindOther))
        AND NOT EXISTS (SELECT 1 FROM q_task AS other WHERE \(TaskRow.isBesideOther)))
        AND id NOT IN \(terms.busy)
      """
  }

  /// Claims a task in which a process has died, for a process that runs nothing else: if it dies
  /// again, no neighbour is to blame.
  func claimSuspect(_ terms: ClaimTerms) throws(SQLiteError) -> ClaimedTask? {
    let suspects = try tasks(
      where: """
        state = 2 AND crashes > 0 AND requires & ~\(Int64(bitPattern: terms.signals)) = 0
          AND \(Self.isFree(terms)) ORDER BY rank, id LIMIT 100
        """)
    for row in suspects where try room(in: row.lane) > 0 {
      if let claimed = try claim(row, terms) { return claimed }
    }
    return nil
  }

  /// Whether such a task should have started by now: nothing else begins before it then.
  func hasOverdueSuspect(_ terms: ClaimTerms) throws(SQLiteError) -> Bool {
    try connection.statement(
      """
      SELECT 1 FROM q_task WHERE state = 2 AND crashes > 0 AND rank <= \(now)
        AND requires & ~\(Int64(bitPattern: terms.signals)) = 0 AND \(Self.isFree(terms)) LIMIT 1
      """
    ).firstInt64() != nil
  }

  /// What ready tasks of a lane wait for: each set of signals once, by steps of the index, so that
  /// ten thousand that wait for the network cost as much as one.
  static func requirements(
    in lane: String, _ connection: Connection
  ) throws(SQLiteError) -> [UInt64] {
    try connection.all(
      """
      WITH RECURSIVE kind(requires) AS (
        SELECT min(requires) FROM q_task WHERE state = 2 AND lane = \(lane)
        UNION ALL
        SELECT (SELECT min(requires) FROM q_task
          WHERE state = 2 AND lane = \(lane) AND requires > kind.requires) FROM kind
        WHERE kind.requires IS NOT NULL)
      SELECT requires FROM kind WHERE requires IS NOT NULL
      """
    ) { (row) throws(SQLiteError) in UInt64(bitPattern: row.int64(0)) }
  }
}

/// How full a lane is, over all processes.
struct LaneState {
  /// Whether nothing of it is started for now.
  var isPaused: Bool
  /// How many more tasks it may run.
  var room: Int

  init(of lane: String, _ connection: Connection, now: Int64) throws(SQLiteError) {
    let found = try connection.first(
      "SELECT width, paused_until FROM q_lane WHERE name = \(lane)"
    ) { (row) throws(SQLiteError) in (width: row.int64(0), pausedUntil: row.optional(1)) }
    let running = try connection.statement(
      "SELECT count(*) FROM q_task WHERE state = 3 AND lane = \(lane) AND stuck = 0"
    ).firstInt64()
    isPaused = found?.pausedUntil.map { $0 > now } ?? false
    room = max(0, Int(clamping: (found?.width ?? Int64(TaskQueue.defaultWidth)) - (running ?? 0)))
  }
}
