public import CommuteCore
import CommuteSQLite
import CommuteStore

/// All that is known of one task.
public struct TaskDetails: Hashable, Sendable {
  /// What lists show.
  public var summary: TaskSummary
  /// The version of its payload.
  public var version: Int
  /// How many bytes its payload has.
  public var payloadLength: Int
  /// The payload as JSON; nil unless it was asked for, since it may hold what nobody should see.
  public var payload: [UInt8]?
  /// What it brought as JSON; nil unless it was asked for, and where it brought nothing.
  public var result: [UInt8]?
  /// Its retries.
  public var retry: RetryPolicy
  /// How long its handler may take, in milliseconds.
  public var timeout: UInt64?
  /// When it must have started, in milliseconds of the wall clock.
  public var expires: Int64?
  /// Tasks with the same one run one after another.
  public var serialKey: String?
  /// Whether tasks behind it with the same serial key are held up while it has failed for good.
  public var holdsSerialKey: Bool
  /// No two tasks that are not over have the same one.
  public var uniqueKey: String?
  /// Words to find it by, in order.
  public var tags: [String]
  /// The graph it is a node of.
  public var graph: TaskID?
  /// The steps that gave a result.
  public var steps: [String]
}

extension TaskQueue {
  /// All that is known of a task; nil where there is none, or not any more.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - showingPayload: Whether payload and result are wanted; they may hold what a log or a
  ///     screen should not.
  /// - Throws: What the store throws.
  /// - Returns: The task.
  public func details(
    of id: TaskID, showingPayload: Bool = false
  ) async throws(QueueError) -> TaskDetails? {
    try await reading { connection in
      guard let row = try Self.rows("uid = \(id.bytes)", connection).first else { return nil }
      return try Self.details(of: row, showingPayload, connection)
    }
  }

  private static func details(
    of row: TaskRow, _ showingPayload: Bool, _ connection: Connection
  ) throws(SQLiteError) -> TaskDetails? {
    let tags = try connection.all(
      "SELECT tag FROM q_tag WHERE task = \(row.number) ORDER BY tag"
    ) { (row) throws(SQLiteError) in row.text(0) }
    let steps = try connection.all(
      "SELECT name FROM q_step WHERE task = \(row.number) ORDER BY at, name"
    ) { (row) throws(SQLiteError) in row.text(0) }
    return try connection.first(
      """
      SELECT length(payload), payload, result, holds,
        (SELECT uid FROM q_graph WHERE q_graph.id = q_task.graph)
      FROM q_task WHERE id = \(row.number)
      """
    ) { (columns) throws(SQLiteError) in
      TaskDetails(
        summary: TaskSummary(row), version: row.version,
        payloadLength: Int(clamping: columns.int64(0)),
        payload: showingPayload ? columns.bytes(1) : nil,
        result: showingPayload && !columns.isNull(2) ? columns.bytes(2) : nil,
        retry: row.life.retry, timeout: row.timeout, expires: row.life.expires,
        serialKey: row.serialKey, holdsSerialKey: columns.int64(3) != 0, uniqueKey: row.uniqueKey,
        tags: tags,
        graph: columns.pair(4).map { TaskID(high: $0.high, low: $0.low) }, steps: steps)
    }
  }
}
