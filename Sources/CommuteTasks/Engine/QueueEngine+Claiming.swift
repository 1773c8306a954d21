import CommuteCore
import CommuteSQLite

/// A task that this process may run now.
struct ClaimedTask: Sendable {
  var row: TaskRow
  var payload: [UInt8]
}

/// What a claim goes by.
struct ClaimTerms: Sendable {
  /// The number of this process's session.
  var session: Int64
  /// The signals that are set.
  var signals: UInt64
  /// How long the claim stands without a sign of life, in milliseconds.
  var lease: Int64
  /// The kinds this process has handlers for.
  var kinds: Set<String>
  /// Tasks whose handlers have not returned in this process, whatever the table says of them.
  var busy: [Int64] = []
  /// Tasks that this process has a handler for and could not read.
  var unreadable: Set<Int64> = []
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
    guard terms.kinds.contains(row.kind) else {
      row.life.setAside()
      row.isUnreadable = true
      row.reason = "this app has no handler for \(row.kind)"
      try settle(row)
      return nil
    }
    row.life.claim()
    row.life.hasStarted = true
    row.owner = terms.session
    return ClaimedTask(row: row, payload: try take(row, until: now &+ terms.lease))
  }

  private func take(_ row: TaskRow, until lease: Int64) throws(SQLiteError) -> [UInt8] {
    let statement = try connection.statement(
      """
      UPDATE q_task SET state = 3, attempt = ?2, started = 1, owner = ?3, lease_until = ?4
      WHERE id = ?1 RETURNING payload
      """)
    statement.bind(row.number, at: 1)
    statement.bind(Int64(row.life.attempt), at: 2)
    statement.bind(row.owner ?? 0, at: 3)
    statement.bind(lease, at: 4)
    // Run to its end: the change belongs to the last step.
    return try statement.all { (row) throws(SQLiteError) in row.bytes(0) }.first ?? []
  }

  /// The task of a lane that must start first among those whose signals are set and that are at the
  /// head of their serial key.
  private func next(in lane: String, _ terms: ClaimTerms) throws(SQLiteError) -> TaskRow? {
    var best: TaskRow?
    let kinds = try Self.requirements(in: lane, connection)
    for requires in kinds where requires & ~terms.signals == 0 {
      let row = try tasks(
        where: """
          lane = \(lane) AND state = 2 AND requires = \(Int64(bitPattern: requires))
            AND crashes = 0 AND \(Self.isFree(terms)) ORDER BY rank, id LIMIT 1
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

  /// That a task is at the head of its serial key and nothing of it goes on in this process.
  private static func isFree(_ terms: ClaimTerms) -> SQL {
    """
    (serial_key IS NULL OR NOT EXISTS (
      SELECT 1 FROM q_task AS other WHERE \(TaskRow.isBehindOther)))
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

/// What becomes of tasks by themselves: time passes, processes die.
extension QueueEngine {
  /// Tasks whose time has come are ready, those whose time is up have expired, those parked for
  /// want of a handler are taken up by whoever has one, and leases that ran out are taken over.
  func wake(_ terms: ClaimTerms) throws(SQLiteError) {
    try fireSchedules()
    for var row in try tasks(where: "state = 1 AND due_at <= \(now)") {
      row.life.comeDue()
      try save(row)
    }
    for var row in try tasks(
      where: "expires_at IS NOT NULL AND state < 3 AND expires_at <= \(now)")
    {
      // A node may have been skipped by the end of one before it.
      guard try task(number: row.number)?.life.state == row.life.state else { continue }
      row.life.expire()
      try settle(row)
    }
    for var row in try tasks(
      where: "state = 5 AND unreadable = 1 AND kind IN \(terms.kinds.sorted())")
    {
      guard !terms.unreadable.contains(row.number), row.life.revive(now: now) else { continue }
      row.isUnreadable = false
      row.reason = nil
      try save(row)
      try note(.revived, row)
    }
    for var row in try tasks(
      where: "state = 3 AND lease_until <= \(now) AND owner <> \(terms.session)")
    {
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
  func reap(session: Int64) throws(SQLiteError) {
    try observeClock()
    for var row in try tasks(where: "state = 3 AND owner = \(session)") {
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
      for var row in try tasks(where: "state < 3") {
        row.life.shift(by: change)
        try save(row)
      }
      try connection.run(
        "UPDATE q_task SET lease_until = lease_until + \(change) WHERE state = 3")
      try connection.run(
        "UPDATE q_lane SET paused_until = paused_until + \(change) WHERE paused_until IS NOT NULL")
    } else if found != nil {
      for var row in try tasks(where: "state < 3") {
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

/// How attempts end.
extension QueueEngine {
  /// The task of an attempt as it is now; nil where the attempt is not the one that counts.
  func owned(_ claimed: TaskRow) throws(SQLiteError) -> TaskRow? {
    guard let row = try task(number: claimed.number), row.life.state == .running,
      row.life.attempt == claimed.life.attempt, row.owner == claimed.owner
    else { return nil }
    return row
  }

  /// Ends an attempt.
  ///
  /// - Returns: The task as it is now; nil where the attempt was given to another.
  func end(_ claimed: TaskRow, _ outcome: PlainOutcome) throws(SQLiteError) -> TaskRow? {
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

  /// Tasks that run here and are another's by now, or were taken back.
  func lost(
    _ running: [Int64: UInt64], session: Int64
  ) throws(SQLiteError) -> [Int64] {
    guard !running.isEmpty else { return [] }
    let kept = try connection.all(
      """
      SELECT id, attempt FROM q_task
      WHERE state = 3 AND owner = \(session) AND cancel_requested = 0
      """
    ) { (row) throws(SQLiteError) in (number: row.int64(0), attempt: row.int64(1)) }
    let attempts = Dictionary(kept.map { ($0.number, $0.attempt) }, uniquingKeysWith: max)
    return running.filter { attempts[$0.key] != Int64($0.value) }.map(\.key)
  }

  /// Gives a sign of life for all this process runs.
  func beat(session: Int64, lease: Int64) throws(SQLiteError) {
    try connection.run(
      """
      UPDATE q_task SET lease_until = \(now &+ lease)
      WHERE state = 3 AND owner = \(session) AND lease_until < \(now &+ lease * 2 / 3)
      """)
  }

  /// Completes what was handed off.
  ///
  /// - Returns: Whether somebody waited for the token.
  func complete(token: String, _ outcome: PlainOutcome) throws(SQLiteError) -> Bool {
    try observeClock()
    guard let row = try tasks(where: "state = 4 AND token = \(token)").first else { return false }
    _ = try finish(row, outcome)
    return true
  }
}
