public import CommuteCore
package import CommuteSQLite
import CommuteStore
import Synchronization

/// A task as it is shown to people.
public struct TaskSummary: Hashable, Sendable {
  /// Its number in this file, in the order of queueing; no other task of the file ever has it.
  public var number: Int64
  /// Its id.
  public var id: TaskID
  /// What it does.
  public var kind: String
  /// Its lane.
  public var lane: String
  /// Where it stands.
  public var state: TaskState
  /// Its class.
  public var urgency: TaskUrgency
  /// The signals it waits for.
  public var requires: Requirements
  /// When it may start or could start, in milliseconds of the wall clock.
  public var due: Int64
  /// How often it was claimed.
  public var attempt: Int
  /// How often its handler said no.
  public var failures: Int
  /// How often a process died in it.
  public var crashes: Int
  /// How often it was stopped.
  public var interruptions: Int
  /// Its node's name in a graph.
  public var node: String?
  /// The last word on it.
  public var reason: String?
  /// When it was queued, in milliseconds of the wall clock.
  public var created: Int64

  init(_ row: TaskRow) {
    number = row.number
    id = row.id
    kind = row.kind
    lane = row.lane
    state = row.life.state
    urgency = row.life.urgency
    requires = Requirements(rawValue: row.life.requires)
    due = row.life.due
    attempt = Int(clamping: row.life.attempt)
    failures = Int(row.life.failures)
    crashes = Int(row.life.crashes)
    interruptions = Int(row.life.interruptions)
    node = row.node
    reason = row.reason
    created = row.created
  }
}

/// Looking at a queue takes no lock that keeps anyone from writing.
extension TaskQueue {
  /// Tasks in the order of queueing, the newest last; without those that are over unless asked for.
  public func tasks(
    includingOver: Bool = false, limit: Int = 1_000
  ) async throws(QueueError) -> [TaskSummary] {
    try await reading { connection in
      let last = includingOver ? Int64(TaskState.expired.rawValue) : 9
      return try Self.rows(
        "state <= \(last) ORDER BY id DESC LIMIT \(max(0, limit))", connection
      ).reversed().map(TaskSummary.init)
    }
  }

  /// One task; nil where there is none, or not any more.
  public func task(_ id: TaskID) async throws(QueueError) -> TaskSummary? {
    try await reading { connection in
      try Self.rows("uid = \(id.bytes)", connection).first.map(TaskSummary.init)
    }
  }

  /// One task by its number in this file; nil where there is none, or not any more.
  public func task(number: Int64) async throws(QueueError) -> TaskSummary? {
    try await reading { connection in
      try Self.rows("id = \(number)", connection).first.map(TaskSummary.init)
    }
  }

  /// Why a task does not run now; nothing exactly where the next claim would take it.
  ///
  /// - Throws: ``QueueError/unknownTask(_:)``.
  public func explain(_ id: TaskID) async throws(QueueError) -> [Blocker] {
    let now = store.clock.wall()
    let terms = ClaimTerms(
      session: 0, signals: signals.withLock { $0.bits }, lease: 0, kinds: handlers.kinds,
      busy: busy, unreadable: state.withLock { $0.unreadable })
    return try await reading { connection in
      guard let row = try Self.rows("uid = \(id.bytes)", connection).first else {
        throw QueueError.unknownTask(id)
      }
      return try Explanation(connection: connection, now: now, terms: terms).blockers(of: row)
    }
  }

  /// Events that an observer has not acknowledged, in order; none is ever left out.
  ///
  /// - Parameters:
  ///   - observer: The name under which the observer's place is kept in the file.
  ///   - limit: The most events.
  /// - Throws: What the store throws.
  /// - Returns: The events, the oldest first.
  public func events(
    observer: String, limit: Int = 1_000
  ) async throws(QueueError) -> [TaskEvent] {
    try await events(
      "seq > coalesce((SELECT seq FROM q_cursor WHERE observer = \(observer)), 0)", limit)
  }

  /// Events after a number, for whoever keeps its place itself; older ones may have been pruned.
  public func events(
    after number: Int64, limit: Int = 1_000
  ) async throws(QueueError) -> [TaskEvent] {
    try await events("seq > \(number)", limit)
  }

  /// The number of the last event; 0 before the first.
  public func lastEvent() async throws(QueueError) -> Int64 {
    try await reading { connection in
      try connection.statement(
        "SELECT seq FROM sqlite_sequence WHERE name = 'q_event'"
      ).firstInt64() ?? 0
    }
  }

  /// What has happened to one task, the oldest first, as far as it is kept.
  public func history(of id: TaskID, limit: Int = 1_000) async throws(QueueError) -> [TaskEvent] {
    try await events("task = \(id.bytes)", limit)
  }

  private func events(_ condition: SQL, _ limit: Int) async throws(QueueError) -> [TaskEvent] {
    try await reading { connection in
      try connection.all(
        """
        SELECT \(TaskEvent.columns) FROM q_event
        WHERE \(condition) ORDER BY seq LIMIT \(max(0, limit))
        """
      ) { (row) throws(SQLiteError) in try TaskEvent(row) }
    }
  }

  /// Takes note that an observer has dealt with all events up to a number; it never goes back.
  public func acknowledge(observer: String, through number: Int64) async throws(QueueError) {
    _ = try await writing { _, tx in
      try tx.connection.run(
        """
        INSERT INTO q_cursor(observer, seq) VALUES (\(observer), \(number))
        ON CONFLICT (observer) DO UPDATE SET seq = max(seq, excluded.seq)
        """)
    }
  }

  /// Forgets what has been over for longer than the retention, tasks of open graphs excepted, and
  /// events that every observer has acknowledged.
  ///
  /// - Returns: How many tasks are gone.
  @discardableResult
  public func prune() async throws(QueueError) -> Int {
    let retention = settings.retention
    return try await writing { _, tx in try QueueEngine(tx).prune(olderThan: retention) }
  }

  static func rows(
    _ condition: SQL, _ connection: Connection
  ) throws(SQLiteError) -> [TaskRow] {
    try connection.all("SELECT \(TaskRow.columns) FROM q_task WHERE \(condition)") {
      (row) throws(SQLiteError) in try TaskRow(row)
    }
  }

  /// Reads a state of the file.
  func reading<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws(QueueError) -> Result {
    do {
      return try await store.read { tx in try body(tx.engineConnection) }
    } catch {
      throw .of((error as? SQLiteError).map { StoreError($0) } ?? error)
    }
  }
}

extension TaskEvent {
  /// The columns in the order in which ``init(_:)`` reads them.
  package static let columns: SQL = "seq, at, task, graph, type, attempt, detail"

  package init(_ row: borrowing Row) throws(SQLiteError) {
    guard let type = TaskEventType(rawValue: UInt8(clamping: row.int64(4))) else {
      throw .corrupt(reason: "the queue's table holds an event that is none")
    }
    self.init(
      number: row.int64(0), at: row.int64(1),
      task: row.pair(2).map { TaskID(high: $0.high, low: $0.low) },
      graph: row.pair(3).map { TaskID(high: $0.high, low: $0.low) }, type: type,
      attempt: row.optional(5), detail: row.isNull(6) ? nil : row.text(6))
  }
}

/// Finds out why a task does not run, by the same conditions as a claim.
package struct Explanation {
  package let connection: Connection
  package let now: Int64
  package let terms: ClaimTerms

  package init(connection: Connection, now: Int64, terms: ClaimTerms) {
    self.connection = connection
    self.now = now
    self.terms = terms
  }

  package func blockers(of row: TaskRow) throws(SQLiteError) -> [Blocker] {
    let life = row.life
    // Whoever has a handler for what was parked for want of one takes it up with the next claim.
    let isTakenUp =
      life.state == .parked && row.isUnreadable && terms.kinds.contains(row.kind)
      && !terms.unreadable.contains(row.number)
    let isWaiting = isTakenUp || [.blocked, .scheduled, .ready].contains(life.state)
    if isWaiting, let expires = life.expires, expires <= now { return [.over(.expired)] }
    switch life.state {
    case .blocked: return try parents(of: row)
    case .running: return [.running(process: try process(of: row))]
    case .external: return [.external(token: try token(of: row))]
    case .parked:
      guard isTakenUp else { return [.parked(row.reason ?? "")] }
    case .succeeded, .failed, .cancelled, .skipped, .expired: return [.over(life.state)]
    case .scheduled, .ready: break
    }
    var blockers: [Blocker] = []
    if life.state != .ready, life.due > now {
      blockers.append(
        life.failures > 0
          ? .backoff(until: life.due, failures: Int(life.failures)) : .due(life.due))
    }
    let missing = life.requires & ~terms.signals
    if missing != 0 { blockers.append(.missing(Requirements(rawValue: missing))) }
    if let other = try inFront(of: row) { blockers.append(.serial(behind: other)) }
    if let lane = try lane(of: row) { blockers.append(lane) }
    if !terms.kinds.contains(row.kind) { blockers.append(.noHandler(row.kind)) }
    if terms.busy.contains(row.number) {
      blockers.append(.stopping)
    } else if life.crashes > 0, !terms.busy.isEmpty {
      blockers.append(.alone)
    }
    return blockers
  }

  private func parents(of row: TaskRow) throws(SQLiteError) -> [Blocker] {
    try connection.all(
      """
      SELECT uid FROM q_task JOIN q_edge ON q_edge.parent = q_task.id
      WHERE q_edge.child = \(row.number) AND state < 10 ORDER BY q_task.id
      """
    ) { (row) throws(SQLiteError) in row.pair(0) }
    .compactMap { pair in pair.map { .dependency(TaskID(high: $0.high, low: $0.low)) } }
  }

  private func inFront(of row: TaskRow) throws(SQLiteError) -> TaskID? {
    let pair = try connection.first(
      """
      SELECT other.uid FROM q_task JOIN q_task AS other
        ON \(TaskRow.isBehindOther) OR \(TaskRow.isBesideOther)
      WHERE q_task.id = \(row.number) AND other.id <> q_task.id ORDER BY other.id LIMIT 1
      """
    ) { (row) throws(SQLiteError) in row.pair(0) }
    return (pair ?? nil).map { TaskID(high: $0.high, low: $0.low) }
  }

  private func lane(of row: TaskRow) throws(SQLiteError) -> Blocker? {
    let lane = try LaneState(of: row.lane, connection, now: now)
    if lane.isPaused { return .lanePaused(row.lane) }
    return lane.room > 0 ? nil : .laneFull(row.lane)
  }

  private func process(of row: TaskRow) throws(SQLiteError) -> Int64 {
    try connection.statement(
      "SELECT pid FROM q_session WHERE id = \(row.owner ?? 0)"
    ).firstInt64() ?? 0
  }

  private func token(of row: TaskRow) throws(SQLiteError) -> String {
    try connection.first("SELECT token FROM q_task WHERE id = \(row.number)") {
      (row) throws(SQLiteError) in row.text(0)
    } ?? ""
  }
}

extension QueueEngine {
  /// Forgets what has been over for long; a graph goes as a whole.
  ///
  /// Of the events the oldest go, up to the first that is young enough by its date or that an
  /// observer has not seen: what is left has no gaps, however often the clock was set.
  package func prune(olderThan retention: Int64) throws(SQLiteError) -> Int {
    let limit = now &- retention
    let chosen = Self.forgettable(since: limit)
    try connection.run("DELETE FROM q_step WHERE task IN (\(chosen))")
    try connection.run("DELETE FROM q_tag WHERE task IN (\(chosen))")
    try connection.run("DELETE FROM q_edge WHERE child IN (\(chosen)) OR parent IN (\(chosen))")
    let count = try connection.run("DELETE FROM q_task WHERE id IN (\(chosen))")
    try connection.run(
      """
      DELETE FROM q_graph WHERE state >= 10 AND finished_at < \(limit)
        AND NOT EXISTS (SELECT 1 FROM q_task WHERE graph = q_graph.id)
      """)
    try connection.run(
      """
      DELETE FROM q_event WHERE seq <= coalesce((SELECT min(seq) FROM q_cursor), \(Int64.max))
        AND seq < coalesce((SELECT min(seq) FROM q_event WHERE at >= \(limit)), \(Int64.max))
      """)
    #if PLANTED
      if PlantedTask.isActive(.eventsPrunedByDate) {
        try connection.run("DELETE FROM q_event WHERE at < \(limit)")
      }
    #endif
    return count
  }

  /// Tasks that may go: those over since a time, of graphs that are.
  private static func forgettable(since limit: Int64) -> SQL {
    #if PLANTED
      if PlantedTask.isActive(.openGraphsPruned) {
        return "SELECT id FROM q_task WHERE state >= 10 AND finished_at < \(limit)"
      }
    #endif
    return """
      SELECT id FROM q_task WHERE state >= 10 AND finished_at < \(limit) AND (graph IS NULL
        OR graph IN (SELECT id FROM q_graph WHERE state >= 10 AND finished_at < \(limit)))
      """
  }
}
