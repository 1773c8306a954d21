import CommuteCore
import CommuteSQLite
public import CommuteStore
import Synchronization

/// A durable queue of work in the store's own file.
///
/// ```swift
/// var handlers = Handlers()
/// handlers.on(Upload.self) { upload, context in
///   try await send(upload.file, key: context.idempotencyKey)
///   return .done
/// }
/// let queue = try await TaskQueue(store, handlers)
/// try await store.write { tx in
///   try tx.insert(photo)
///   try queue.enqueue(Upload(file: photo.file), in: tx)
/// }
/// try await queue.run()
/// ```
/// A task exists when the transaction that queued it is committed, and not before. Handlers run at
/// least once; what they hand back as `effects` happens exactly once.
public final class TaskQueue: Sendable {
  /// The largest payload, in bytes.
  public static let payloadLimit = 65_536
  /// How many tasks a lane runs at a time unless told otherwise.
  public static let defaultWidth = 4

  /// The store that holds the queue.
  public let store: Store
  let handlers: Handlers
  let settings: QueueSettings
  let bell = Bell()
  let flight = Flight()
  let signals = Mutex(Signals())
  let state = Mutex(State())

  /// What calls share.
  struct State: Sendable {
    /// The calls that are running.
    var workers: [Worker] = []
    /// Tasks that have a handler here which could not read them.
    var unreadable: Set<Int64> = []
    /// Who wants to know whether tasks wait for the network, and that it failed one.
    var listener: (@Sendable (Connectivity.Event) -> Void)?
    /// Whether ready tasks want the network.
    var wantsNetwork = false
  }

  /// What is set, and how often it was said.
  struct Signals: Sendable {
    var bits: UInt64 = 0
    var edition = 0
  }

  /// Opens the queue of a store, and makes its tables where there are none.
  ///
  /// - Throws: ``QueueError/handledTwice(kind:)``, ``QueueError/newerSchema(found:known:)`` and
  ///   what the store throws.
  public init(
    _ store: Store, _ handlers: Handlers, settings: QueueSettings = QueueSettings()
  ) async throws(QueueError) {
    if let fault = handlers.fault { throw fault }
    self.store = store
    self.handlers = handlers
    self.settings = settings
    do {
      let isThere = try await store.read { tx in try QueueSchema.isThere(tx.engineConnection) }
      if !isThere {
        try await store.write { tx in try QueueSchema.prepare(tx.connection) }
      }
    } catch {
      throw .of(error)
    }
  }

  // MARK: - Queueing

  /// Queues a task in a transaction: it exists when that is committed, and not at all otherwise.
  ///
  /// - Throws: ``QueueError/payloadTooLarge(bytes:limit:)`` and
  ///   ``QueueError/notCodable(kind:reason:)``, with nothing queued.
  @discardableResult
  public func enqueue<Work: QueueTask>(
    _ work: Work, _ options: EnqueueOptions = EnqueueOptions(), in tx: borrowing WriteTransaction
  ) throws(QueueError) -> Enqueued {
    let draft = try TaskDraft(work, options)
    do {
      let enqueued = try QueueEngine(tx).enqueue(draft)
      let bell = bell
      tx.afterCommit { bell.ring() }
      return enqueued
    } catch {
      throw .store(StoreError(error))
    }
  }

  /// Queues a task in a transaction of its own.
  @discardableResult
  public func enqueue<Work: QueueTask>(
    _ work: Work, _ options: EnqueueOptions = EnqueueOptions(), durability: Durability = .normal
  ) async throws(QueueError) -> Enqueued {
    try await writing(durability) { queue, tx in try queue.enqueue(work, options, in: tx) }
  }

  /// Queues a graph whole.
  ///
  /// No two graphs that are not over have the same unique key.
  ///
  /// - Throws: ``QueueError/graph(_:)`` and what is wrong with a payload, with nothing queued.
  /// - Returns: The graph's id, or that of the one that has the key.
  @discardableResult
  public func submit(
    _ graph: Graph, uniqueKey: String? = nil, in tx: borrowing WriteTransaction
  ) throws(QueueError) -> Enqueued {
    let plan = try graph.plan()
    let submitted = try QueueEngine(tx).submit(graph, plan, uniqueKey: uniqueKey)
    let bell = bell
    tx.afterCommit { bell.ring() }
    return submitted
  }

  /// Queues a graph in a transaction of its own.
  @discardableResult
  public func submit(
    _ graph: Graph, uniqueKey: String? = nil, durability: Durability = .normal
  ) async throws(QueueError) -> Enqueued {
    try await writing(durability) { queue, tx in
      try queue.submit(graph, uniqueKey: uniqueKey, in: tx)
    }
  }

  // MARK: - Control

  /// Takes a task back; one that runs is told, and ends as cancelled; one that has failed and holds
  /// up those behind it with the same serial key lets them go.
  ///
  /// - Throws: ``QueueError/unknownTask(_:)``.
  public func cancel(_ id: TaskID) async throws(QueueError) {
    let number = try await writing { queue, tx in
      let engine = QueueEngine(tx)
      guard let row = try engine.task(id) else { throw QueueError.unknownTask(id) }
      try engine.cancel(row)
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
      return row.number
    }
    for worker in state.withLock({ $0.workers }) { worker.cancel(number) }
  }

  /// Takes the task back that has a unique key, unless it runs.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func withdraw(uniqueKey: String) async throws(QueueError) -> Bool {
    try await writing { _, tx in
      let engine = QueueEngine(tx)
      let found = try engine.tasks(where: "unique_key = \(uniqueKey) AND state < 10").first
      guard let row = found, row.life.state != .running else { return false }
      try engine.cancel(row)
      return true
    }
  }

  /// Tries a task again that is over or parked, with a fresh budget; of a graph, with all that was
  /// skipped because of it.
  ///
  /// - Throws: ``QueueError/unknownTask(_:)``.
  /// - Returns: Whether there was anything to do.
  @discardableResult
  public func retry(_ id: TaskID) async throws(QueueError) -> Bool {
    try await writing { queue, tx in
      let engine = QueueEngine(tx)
      guard let row = try engine.task(id) else { throw QueueError.unknownTask(id) }
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
      return try engine.revive(row)
    }
  }

  /// Completes a task that was handed off, with what it brought; nil where it failed and is to be
  /// tried again.
  ///
  /// - Throws: ``QueueError/unknownToken(_:)`` where nothing waits for the token any more.
  public func complete<Output: Codable & Sendable>(
    token: String, with output: Output?
  ) async throws(QueueError) {
    var outcome = PlainOutcome(output == nil ? .retry(after: nil) : .done)
    if let output, Output.self != Nothing.self {
      outcome.result = try Payload.write(output, kind: "output")
    }
    let isKnown = try await writing { [outcome] queue, tx in
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
      return try QueueEngine(tx).complete(token: token, outcome)
    }
    if !isKnown { throw .unknownToken(token) }
  }

  /// Sets how many tasks of a lane run at a time, over all processes.
  public func setWidth(_ width: Int, ofLane lane: String) async throws(QueueError) {
    try await writing { queue, tx in
      try tx.connection.run(
        """
        INSERT INTO q_lane(name, width) VALUES (\(lane), \(max(0, width)))
        ON CONFLICT (name) DO UPDATE SET width = excluded.width
        """)
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
    }
  }

  /// Starts nothing of a lane until a time in milliseconds of the wall clock, or until it is
  /// resumed; what runs of it is stopped, at no cost to the tasks.
  ///
  /// It holds over all processes and survives them.
  public func pauseLane(
    _ lane: String, until time: Int64? = nil, because reason: String? = nil
  ) async throws(QueueError) {
    // A time that a clock which is set cannot move out of range: the end of the year 9999.
    let latest: Int64 = 253_402_300_799_000
    try await changeLane(lane, pausedUntil: min(time ?? latest, latest), because: reason)
  }

  /// Goes on with a lane that was paused.
  public func resumeLane(_ lane: String) async throws(QueueError) {
    try await changeLane(lane, pausedUntil: nil, because: nil)
  }

  private func changeLane(
    _ lane: String, pausedUntil: Int64?, because reason: String?
  ) async throws(QueueError) {
    try await writing { queue, tx in
      try QueueEngine(tx).observeClock()
      try tx.connection.run(
        """
        INSERT INTO q_lane(name, width, paused_until, pause_reason)
        VALUES (\(lane), \(Self.defaultWidth), \(pausedUntil), \(reason))
        ON CONFLICT (name) DO UPDATE SET paused_until = excluded.paused_until,
          pause_reason = excluded.pause_reason
        """)
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
    }
  }

  /// Says which signals are set; tasks that wait for others do not start.
  ///
  /// A handler that ends with ``Outcome/wait(for:because:)`` clears its signals, for all tasks,
  /// until they are set again.
  public func setSignals(_ set: Requirements) {
    let isNews = signals.withLock { known in
      defer { known = Signals(bits: set.rawValue, edition: known.edition + 1) }
      return known.bits != set.rawValue
    }
    if isNews { bell.ring() }
  }

  /// Says of some signals that they are set, or not.
  public func set(_ some: Requirements, _ isSet: Bool) {
    let isNews = signals.withLock { known in
      let bits = isSet ? known.bits | some.rawValue : known.bits & ~some.rawValue
      defer { known = Signals(bits: bits, edition: known.edition + 1) }
      return known.bits != bits
    }
    if isNews { bell.ring() }
  }

  /// Has somebody told whether tasks wait for the network, now and whenever that changes.
  func listen(_ listener: (@Sendable (Connectivity.Event) -> Void)?) {
    let wantsNetwork = state.withLock { state in
      state.listener = listener
      return state.wantsNetwork
    }
    listener?(.demand(wantsNetwork))
    bell.ring()
  }

  /// Takes note of whether ready tasks want the network.
  func noteWish(for signals: UInt64) {
    let wish = signals & Requirements.network.rawValue != 0
    let listener = state.withLock { state in
      defer { state.wantsNetwork = wish }
      return state.wantsNetwork == wish ? nil : state.listener
    }
    listener?(.demand(wish))
  }

  /// Clears signals that a handler found missing, unless somebody has said more since it began.
  func clearSignals(_ missing: UInt64, asOf edition: Int) {
    let isOld = signals.withLock { known in
      guard known.edition == edition else { return true }
      known.bits &= ~missing
      return false
    }
    guard !isOld, missing & Requirements.network.rawValue != 0 else { return }
    state.withLock { $0.listener }?(.connectFailed)
  }

  /// Whether a task that must run alone goes on here.
  var runsSuspect: Bool {
    state.withLock { $0.workers }.contains { $0.holdsSuspect }
  }

  /// Tasks whose handlers have not returned, whatever the table says of them by now.
  var busy: [Int64] {
    state.withLock { $0.workers }.flatMap { $0.held }
  }

  /// Runs a piece of work in a transaction of its own.
  func writing<Result: Sendable>(
    _ durability: Durability = .normal,
    _ body: @escaping @Sendable (TaskQueue, borrowing WriteTransaction) throws -> Result
  ) async throws(QueueError) -> Result {
    do {
      return try await store.write(durability: durability) { tx in try body(self, tx) }
    } catch {
      throw .of(error)
    }
  }
}
