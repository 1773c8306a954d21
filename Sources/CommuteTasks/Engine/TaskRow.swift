package import CommuteCore
package import CommuteSQLite

/// A task as it lies in the table, without its payload.
package struct TaskRow: Sendable {
  package var number: Int64
  package var id: TaskID
  package var kind: String
  package var version: Int
  package var lane: String
  package var life: TaskLife
  package var serialKey: String?
  package var uniqueKey: String?
  package var timeout: UInt64?
  package var owner: Int64?
  package var isUnreadable = false
  package var graph: Int64?
  package var node: String?
  package var join: JoinRule
  package var parents: Int
  package var parentsLeft: Int
  package var parentsBad: Int
  package var created: Int64
  package var reason: String?

  /// The columns in the order in which ``init(_:)`` reads them.
  package static let columns: SQL = """
    id, uid, kind, version, lane, state, requires, urgency, rank, serial_key, unique_key, due_at, \
    delay, expires_at, timeout, attempt, failures, crashes, interruptions, first_delay, growth, \
    delay_limit, failure_limit, owner, started, cancel_requested, unreadable, graph, node, \
    join_rule, parents, parents_left, parents_bad, created_at, reason, start_within
    """

  /// That a task called `other` is before the task in the line of its serial key.
  static let isBehindOther: SQL = """
    other.serial_key = q_task.serial_key
      AND (other.state < 10 OR other.state = 11 AND other.holds = 1) AND other.id < q_task.id
    """

  /// That a task called `other` of the same serial key goes on: also one from further behind, where
  /// the task was over and is tried again.
  static let isBesideOther: SQL = """
    other.serial_key = q_task.serial_key AND other.state IN (3, 4)
    """

  package init(_ row: borrowing Row) throws(SQLiteError) {
    guard let pair = row.pair(1), let state = TaskState(rawValue: UInt8(clamping: row.int64(5))),
      let urgency = TaskUrgency(rawValue: UInt8(clamping: row.int64(7))),
      let join = JoinRule(rawValue: UInt8(clamping: row.int64(29)))
    else { throw .corrupt(reason: "the queue's table holds a task that is none") }
    number = row.int64(0)
    id = TaskID(high: pair.high, low: pair.low)
    kind = row.text(2)
    version = Int(clamping: row.int64(3))
    lane = row.text(4)
    life = TaskLife(
      now: row.int64(11), due: row.int64(11), delay: row.optional(12),
      expires: row.optional(13), startWithin: row.optional(35), urgency: urgency,
      retry: RetryPolicy(
        backoff: .ofTasks(
          firstDelay: UInt64(clamping: row.int64(19)),
          growthPercent: UInt64(clamping: row.int64(20)),
          delayLimit: UInt64(clamping: row.int64(21))),
        failureLimit: UInt32(clamping: row.int64(22))),
      requires: UInt64(bitPattern: row.int64(6)))
    life.state = state
    life.rank = row.int64(8)
    life.attempt = UInt64(clamping: row.int64(15))
    life.failures = UInt32(clamping: row.int64(16))
    life.crashes = UInt32(clamping: row.int64(17))
    life.interruptions = UInt32(clamping: row.int64(18))
    life.hasStarted = row.int64(24) != 0
    life.isCancelRequested = row.int64(25) != 0
    serialKey = row.isNull(9) ? nil : row.text(9)
    uniqueKey = row.isNull(10) ? nil : row.text(10)
    timeout = row.optional(14).map { UInt64(clamping: $0) }
    owner = row.optional(23)
    isUnreadable = row.int64(26) != 0
    graph = row.optional(27)
    node = row.isNull(28) ? nil : row.text(28)
    self.join = join
    parents = Int(clamping: row.int64(30))
    parentsLeft = Int(clamping: row.int64(31))
    parentsBad = Int(clamping: row.int64(32))
    created = row.int64(33)
    reason = row.isNull(34) ? nil : row.text(34)
  }
}

extension Backoff {
  /// A task's backoff as the tables keep it: what they keep no column of is the same for all.
  static func ofTasks(firstDelay: UInt64, growthPercent: UInt64, delayLimit: UInt64) -> Backoff {
    var backoff = RetryPolicy().backoff
    backoff.firstDelay = firstDelay
    backoff.growthPercent = growthPercent
    backoff.delayLimit = delayLimit
    return backoff
  }
}

extension Row {
  /// A column that may be null.
  func optional(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
}
