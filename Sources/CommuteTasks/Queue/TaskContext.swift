import CommuteCore
import CommuteSQLite
import CommuteStore

/// What a handler is told about its attempt, and what it can ask of the queue.
public struct TaskContext: Sendable {
  /// The task.
  public let id: TaskID
  /// Which attempt this is, from 1.
  public let attempt: Int
  /// How often a process died in the middle of an earlier attempt.
  public let crashes: Int
  let row: TaskRow
  let store: Store
  let retention: Int64

  /// What a remote service tells a repeated call by: the same for every attempt.
  public var idempotencyKey: String { id.text }

  /// Runs a part of the work, and keeps what it gave: a later attempt gets that and does not run it
  /// again.
  ///
  /// It runs again only where the process died before its result was kept. The name is what it is
  /// known by, so that steps may be renamed or put in another order: a name that is not known is
  /// run.
  ///
  /// - Throws: What the body throws; ``QueueError/leaseLost`` where another process has the task.
  public func step<Value: Codable & Sendable>(
    _ name: String, version: Int = 1, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let number = row.number
    let known: [UInt8]? = try await store.read { tx in
      try tx.engineConnection.first(
        """
        SELECT result FROM q_step WHERE task = \(number) AND name = \(name)
          AND version = \(version)
        """
      ) { (row) throws(SQLiteError) in row.bytes(0) }
    }
    if let known { return try Payload.value(Value.self, known, kind: row.kind) }
    let value = try await body()
    let bytes = try Payload.write(value, kind: row.kind)
    try await whileOwned { engine in
      try engine.connection.run(
        """
        INSERT INTO q_step(task, name, version, result, at)
        VALUES (\(number), \(name), \(version), \(bytes), \(engine.now))
        ON CONFLICT (task, name) DO UPDATE SET version = excluded.version,
          result = excluded.result, at = excluded.at
        """)
    }
    return value
  }

  /// What a reference of the payload stands for.
  ///
  /// - Throws: ``QueueError/graph(_:)`` where no node of the graph has that name.
  public func value<Value: Codable & Sendable>(_ ref: Ref<Value>) async throws -> Value {
    let node: String
    switch ref.kind {
    case .value(let value): return value
    case .output(let name): node = name
    }
    let graph = row.graph
    let result: [UInt8]?? = try await store.read { tx in
      try tx.engineConnection.first(
        "SELECT result FROM q_task WHERE graph = \(graph) AND node = \(node)"
      ) { (row) throws(SQLiteError) in row.isNull(0) ? nil : row.bytes(0) }
    }
    guard let result else {
      throw QueueError.graph(.unknownNode(node, in: row.node ?? ""))
    }
    return try Payload.value(Value.self, result ?? [], kind: row.kind)
  }

  /// Tells how far the work is, as an event.
  public func report(_ fraction: Double, _ message: String? = nil) async throws {
    let row = row
    let share = Int((min(max(fraction, 0), 1) * 100).rounded())
    try await whileOwned { engine in
      try engine.note(
        .progress, task: row.id, graph: row.graph, attempt: Int64(row.life.attempt),
        detail: message.map { "\(share) % · \($0)" } ?? "\(share) %")
    }
  }

  /// Forgets what has been over for longer than it is kept, as ``TaskQueue/prune()``.
  public func prune() async throws -> Int {
    let retention = retention
    return try await store.write { tx in try QueueEngine(tx).prune(olderThan: retention) }
  }

  /// Ends a handler that was cancelled, or whose task another process has.
  ///
  /// - Throws: `CancellationError` and ``QueueError/leaseLost``.
  public func checkpoint() async throws {
    try Task.checkCancellation()
    try await whileOwned { _ in }
  }

  private func whileOwned(
    _ body: @escaping @Sendable (QueueEngine) throws -> Void
  ) async throws {
    let claimed = row
    try await store.write { tx in
      let engine = QueueEngine(tx)
      guard try engine.owned(claimed) != nil else { throw QueueError.leaseLost }
      try body(engine)
    }
  }
}
