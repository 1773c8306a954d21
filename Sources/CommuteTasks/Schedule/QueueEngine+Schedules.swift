import CommuteCore
import CommuteSQLite

/// Recurring tasks: each nominal instant once, whatever process looks first.
extension QueueEngine {
  /// A schedule as it lies in the table.
  private struct Schedule {
    var number: Int64
    var draft: TaskDraft
    var stored: StoredSchedule
    var overlap: Overlap
    var last: Int64
  }

  /// How late a time may be noticed and still counts as on time, in milliseconds.
  private static var punctuality: Int64 { 60_000 }

  /// Writes a schedule; one of the name that is there is replaced, and goes on from now.
  func schedule(
    _ name: String, _ draft: TaskDraft, _ stored: StoredSchedule, rule: String, policy: String,
    overlap: Overlap
  ) throws(SQLiteError) {
    let next = stored.recurrence.next(after: now, offset: stored.offset)
    try connection.run(
      """
      INSERT INTO q_schedule(name, kind, version, payload, policy, rule, overlap, catch_up, next_at,
        last_at)
      VALUES (\(name), \(draft.kind), \(draft.version), \(draft.payload), \(policy), \(rule),
        \(Int64(overlap.rawValue)), \(stored.catchUpMost), \(next), \(now))
      ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, version = excluded.version,
        payload = excluded.payload, policy = excluded.policy, rule = excluded.rule,
        overlap = excluded.overlap, catch_up = excluded.catch_up, next_at = excluded.next_at,
        last_at = excluded.last_at, enabled = 1
      """)
  }

  /// Queues what is due by a schedule, and moves each to its next time.
  func fireSchedules() throws(SQLiteError) {
    for schedule in try dueSchedules() {
      for instant in dueInstants(of: schedule) {
        try fire(schedule, at: instant)
      }
      let stored = schedule.stored
      let next = stored.recurrence.next(after: now, offset: stored.offset)
      try connection.run(
        """
        UPDATE q_schedule SET next_at = \(next), last_at = \(now) WHERE id = \(schedule.number)
        """)
    }
  }

  private func dueSchedules() throws(SQLiteError) -> [Schedule] {
    try connection.all(
      """
      SELECT id, kind, version, payload, policy, rule, overlap, last_at FROM q_schedule
      WHERE enabled = 1 AND next_at <= \(now) ORDER BY next_at
      """
    ) { (row) throws(SQLiteError) in
      let policy = try StoredJSON.value(StoredPolicy.self, row.text(4))
      return Schedule(
        number: row.int64(0),
        draft: TaskDraft(
          kind: row.text(1), version: Int(clamping: row.int64(2)), payload: row.bytes(3),
          policy: policy.policy, options: policy.options),
        stored: try StoredJSON.value(StoredSchedule.self, row.text(5)),
        overlap: Overlap(rawValue: UInt8(clamping: row.int64(6))) ?? .skip, last: row.int64(7))
    }
  }

  /// What is on time, and what is made up for of the times that were missed.
  private func dueInstants(of schedule: Schedule) -> [Int64] {
    let stored = schedule.stored
    let instants = stored.recurrence.instants(
      after: schedule.last, through: now, most: max(1, stored.catchUpMost), offset: stored.offset)
    guard stored.catchUpMost == 0 else { return instants }
    return instants.filter { $0 >= now - Self.punctuality }
  }

  private func fire(_ schedule: Schedule, at instant: Int64) throws(SQLiteError) {
    let before = try tasks(where: "schedule = \(schedule.number) AND state < 10 ORDER BY id")
    var draft = schedule.draft
    switch schedule.overlap {
    case .allow: break
    case .skip where !before.isEmpty: return
    case .skip: break
    case .queueOne where before.count > 1: return
    case .queueOne:
      draft.options.serialKey = draft.options.serialKey ?? "schedule-\(schedule.number)"
    case .cancelRunning: for row in before { try cancel(row) }
    }
    let isThere = try connection.statement(
      """
      SELECT 1 FROM q_task WHERE schedule = \(schedule.number) AND occurrence = \(instant)
      """
    ).firstInt64()
    guard isThere == nil else { return }
    let row = try insert(draft)
    try connection.run(
      """
      UPDATE q_task SET schedule = \(schedule.number), occurrence = \(instant)
      WHERE id = \(row.number)
      """)
  }
}
