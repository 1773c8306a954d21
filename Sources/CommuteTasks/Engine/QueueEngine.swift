package import CommuteCore
package import CommuteSQLite
package import CommuteStore

/// The queue's side of one transaction: it reads rows, lets the values of the core decide, and
/// writes rows.
///
/// It lives as long as the closure of a write.
package struct QueueEngine {
  package let connection: Connection
  /// The wall clock in milliseconds.
  package let now: Int64
  /// Draws 64 random bits.
  let draw: () -> UInt64
  private let makeID: () -> RecordID
  private let clock: StoreClock

  init(_ tx: borrowing WriteTransaction) {
    self.init(tx.connection, clock: tx.clock, draw: tx.drawing, makeID: tx.idMaking)
  }

  /// Makes an engine on a connection with an open transaction.
  package init(
    _ connection: Connection, clock: StoreClock, draw: @escaping () -> UInt64,
    makeID: @escaping () -> RecordID
  ) {
    self.connection = connection
    self.clock = clock
    self.draw = draw
    self.makeID = makeID
    now = clock.wall()
  }

  /// Which run of the machine it is.
  var boot: String { clock.bootID() }

  /// Moves what is relative if the wall clock was set, before anything is written by it.
  package func observeClock() throws(SQLiteError) {
    try observe(boot: boot, offset: now &- clock.monotonic())
  }

  /// Draws an id.
  func newID() -> TaskID {
    let id = makeID()
    return TaskID(high: id.high, low: id.low)
  }

  // MARK: - Reading

  /// A task by its id; nil where there is none.
  package func task(_ id: TaskID) throws(SQLiteError) -> TaskRow? {
    try tasks(where: "uid = \(id.bytes)").first
  }

  /// A task by its number in the table.
  package func task(number: Int64) throws(SQLiteError) -> TaskRow? {
    try tasks(where: "id = \(number)").first
  }

  /// Tasks of a condition.
  package func tasks(where condition: SQL) throws(SQLiteError) -> [TaskRow] {
    try connection.all("SELECT \(TaskRow.columns) FROM q_task WHERE \(condition)") {
      (row) throws(SQLiteError) in try TaskRow(row)
    }
  }

  // MARK: - Queueing

  /// Queues a task as its options say.
  package func enqueue(_ draft: TaskDraft) throws(SQLiteError) -> Enqueued {
    try observeClock()
    guard let key = draft.options.uniqueKey,
      let other = try tasks(where: "unique_key = \(key) AND state < 10").first
    else { return .inserted(try insert(draft).id) }
    switch draft.options.duplicate {
    case .keep: return .existing(other.id)
    case .replace:
      try release(uniqueKeyOf: other)
      #if PLANTED
        if PlantedTask.isActive(.replacedGoesOn) {
          return .replaced(old: other.id, new: try insert(draft).id)
        }
      #endif
      try cancel(other)
      return .replaced(old: other.id, new: try insert(draft).id)
    case .supersedeIfWaiting, .debounce:
      guard other.graph == nil, [.scheduled, .ready].contains(other.life.state) else {
        return .existing(other.id)
      }
      try merge(draft, into: other)
      return .merged(other.id)
    }
  }

  /// Gives a task that waits all that the new one says; it keeps its id, and what it has been
  /// through.
  private func merge(_ draft: TaskDraft, into other: TaskRow) throws(SQLiteError) {
    var merged = other
    merged.life = draft.life(now: now)
    merged.life.attempt = other.life.attempt
    merged.life.interruptions = other.life.interruptions
    let retry = merged.life.retry
    try connection.run(
      """
      UPDATE q_task SET kind = \(draft.kind), version = \(draft.version),
        payload = \(draft.payload), lane = \(draft.policy.lane),
        urgency = \(Int64(draft.policy.urgency.rawValue)),
        serial_key = \(draft.options.serialKey), holds = \(draft.options.holdsSerialKey),
        timeout = \(draft.policy.timeout.map { Int64(clamping: $0) }),
        first_delay = \(Int64(clamping: retry.backoff.firstDelay)),
        growth = \(Int64(clamping: retry.backoff.growthPercent)),
        delay_limit = \(Int64(clamping: retry.backoff.delayLimit)),
        failure_limit = \(Int64(retry.failureLimit))
      WHERE id = \(other.number)
      """)
    #if PLANTED
      if PlantedTask.isActive(.mergeKeepsPayload) {
        try connection.run("UPDATE q_task SET payload = x'' WHERE id = \(other.number)")
      }
    #endif
    try connection.run("DELETE FROM q_tag WHERE task = \(other.number)")
    try tag(other.number, draft.options.tags)
    try save(merged)
    try note(.merged, merged)
  }

  /// Adds a row.
  func insert(
    _ draft: TaskDraft, graph: Int64? = nil, node: String? = nil, join: JoinRule = .allSucceeded,
    parents: Int = 0
  ) throws(SQLiteError) -> (number: Int64, id: TaskID) {
    let id = newID()
    let life = draft.life(now: now, isBlocked: parents > 0)
    let insert = try connection.statement(Self.inserting)
    insert.bind(high: id.high, low: id.low, at: 1)
    insert.bind(draft.kind, at: 2)
    insert.bind(draft.version, at: 3)
    insert.bind(draft.policy.lane, at: 4)
    insert.bind(Int64(life.state.rawValue), at: 5)
    insert.bind(Int64(bitPattern: life.requires), at: 6)
    insert.bind(Int64(life.urgency.rawValue), at: 7)
    insert.bind(life.rank, at: 8)
    if let key = draft.options.serialKey { insert.bind(key, at: 9) }
    insert.bind(draft.options.holdsSerialKey, at: 10)
    if let key = draft.options.uniqueKey { insert.bind(key, at: 11) }
    insert.bind(life.due, at: 12)
    if let delay = life.delay { insert.bind(delay, at: 13) }
    if let expires = life.expires { insert.bind(expires, at: 14) }
    if let timeout = draft.policy.timeout { insert.bind(Int64(clamping: timeout), at: 15) }
    insert.bind(Int64(clamping: life.retry.backoff.firstDelay), at: 16)
    insert.bind(Int64(clamping: life.retry.backoff.growthPercent), at: 17)
    insert.bind(Int64(clamping: life.retry.backoff.delayLimit), at: 18)
    insert.bind(Int64(life.retry.failureLimit), at: 19)
    insert.bind(draft.payload, at: 20)
    insert.bind(now, at: 21)
    if let graph { insert.bind(graph, at: 22) }
    if let node { insert.bind(node, at: 23) }
    insert.bind(Int64(join.rawValue), at: 24)
    insert.bind(parents, at: 25)
    if let startWithin = life.startWithin { insert.bind(startWithin, at: 26) }
    try insert.run()
    let number = connection.lastInsertRowID
    try tag(number, draft.options.tags)
    try note(.enqueued, task: id, graph: graph, attempt: nil)
    return (number, id)
  }

  private func tag(_ number: Int64, _ tags: Set<String>) throws(SQLiteError) {
    for tag in tags.sorted() {
      try connection.run("INSERT INTO q_tag(tag, task) VALUES (\(tag), \(number))")
    }
  }

  private static let inserting: StaticString = """
    INSERT INTO q_task(uid, kind, version, lane, state, requires, urgency, rank, serial_key, holds,
      unique_key, due_at, delay, expires_at, timeout, first_delay, growth, delay_limit,
      failure_limit, payload, created_at, graph, node, join_rule, parents, parents_left,
      start_within)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
      ?20, ?21, ?22, ?23, ?24, ?25, ?25, ?26)
    """

  /// Lets go of a task's unique key, so that another can have it in the same transaction while a
  /// running one has yet to hear that it is cancelled.
  private func release(uniqueKeyOf row: TaskRow) throws(SQLiteError) {
    try connection.run("UPDATE q_task SET unique_key = NULL WHERE id = \(row.number)")
  }

  // MARK: - Writing

  /// Writes a task's life.
  func save(_ row: TaskRow) throws(SQLiteError) {
    let life = row.life
    let isRunning = life.state == .running
    try connection.run(
      """
      UPDATE q_task SET state = \(Int64(life.state.rawValue)),
        requires = \(Int64(bitPattern: life.requires)), rank = \(life.rank), due_at = \(life.due),
        delay = \(life.delay), expires_at = \(life.expires),
        start_within = \(life.startWithin), attempt = \(Int64(life.attempt)),
        failures = \(Int64(life.failures)), crashes = \(Int64(life.crashes)),
        interruptions = \(Int64(life.interruptions)), started = \(life.hasStarted),
        cancel_requested = \(life.isCancelRequested),
        stuck = CASE WHEN \(isRunning) THEN stuck ELSE 0 END,
        owner = \(isRunning ? row.owner : nil),
        lease_until = CASE WHEN \(isRunning) THEN lease_until END,
        token = CASE WHEN \(life.state == .external) THEN token END,
        unreadable = \(row.isUnreadable), reason = \(row.reason),
        finished_at = \(life.state.isTerminal ? now : nil)
      WHERE id = \(row.number)
      """)
  }

  /// Writes a life that may have ended, and tells what comes after it.
  package func settle(_ row: TaskRow, _ type: TaskEventType? = nil) throws(SQLiteError) {
    try save(row)
    #if PLANTED
      if PlantedTask.isActive(.endUntold), row.life.state.isTerminal, row.graph == nil { return }
    #endif
    try note(type ?? .ended(row.life.state), row)
    guard row.life.state.isTerminal, let graph = row.graph else { return }
    try settleGraph(graph, after: [row])
  }

  /// Takes a task back; one that has failed and holds up those behind it with the same serial key
  /// lets them go.
  package func cancel(_ row: TaskRow) throws(SQLiteError) {
    let held = try connection.run(
      "UPDATE q_task SET holds = 0 WHERE id = \(row.number) AND state = 11 AND holds = 1")
    if held > 0 { return try note(.lineReleased, row) }
    var row = row
    guard !row.life.state.isTerminal, !row.life.isCancelRequested else { return }
    row.life.cancel()
    #if PLANTED
      if PlantedTask.isActive(.cancelUntold) { return try save(row) }
    #endif
    try settle(row, row.life.state == .running ? .cancelRequested : nil)
  }

  // MARK: - Events

  func note(_ type: TaskEventType, _ row: TaskRow) throws(SQLiteError) {
    try note(
      type, task: row.id, graph: row.graph, attempt: Int64(row.life.attempt),
      detail: row.reason)
  }

  func note(
    _ type: TaskEventType, task: TaskID?, graph: Int64?, attempt: Int64?, detail: String? = nil
  ) throws(SQLiteError) {
    let insert = try connection.statement(
      """
      INSERT INTO q_event(at, task, graph, type, attempt, detail)
      VALUES (?1, ?2, (SELECT uid FROM q_graph WHERE id = ?3), ?4, ?5, ?6)
      """)
    insert.bind(now, at: 1)
    if let task { insert.bind(high: task.high, low: task.low, at: 2) }
    if let graph { insert.bind(graph, at: 3) }
    insert.bind(Int64(type.rawValue), at: 4)
    if let attempt { insert.bind(attempt, at: 5) }
    if let detail { insert.bind(detail, at: 6) }
    try insert.run()
  }
}
