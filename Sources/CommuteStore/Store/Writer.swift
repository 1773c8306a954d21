import CommuteCore
import Synchronization

/// The writer of a store: who writes next, and where.
///
/// A write at ``Durability/normal`` that finds nobody writing is run where it stands, which saves
/// two wake-ups of a thread; everything else waits for the thread and shares a transaction. An
/// fsync, a checkpoint, and waiting for another process happen on the thread only.
final class Writer: Sendable {
  /// What the thread is given.
  private enum Work: Sendable {
    case write(WriteJob)
    case checkpoint
    /// Something else to do between writes, with nobody writing.
    case other(@Sendable () -> Void)
  }

  /// What the thread and the callers share.
  private final class Desk: Sendable {
    let core: Locked<WriterCore>
    /// Whether writes come faster than they are done: groups are worth more than a saved wake-up.
    let isCrowded = Atomic(false)

    init(_ core: sending WriterCore) {
      self.core = Locked(core)
    }
  }

  /// What was committed so far.
  let commits: CommitCount
  private let desk: Desk
  private let thread: StoreThread<Work>

  init(_ core: sending WriterCore) {
    commits = core.commits
    let desk = Desk(core)
    self.desk = desk
    thread = StoreThread("commute.writer") { work in
      Self.serve(work, at: desk)
    } end: {
      desk.core.withLock { $0.close(.closed) }
    }
  }

  /// Runs a body in a transaction of its own or shared with others; a long one on the thread.
  func write<Result: Sendable>(
    _ durability: Durability, onThread: Bool = false,
    _ body: @escaping @Sendable (WriterCore) throws -> Result
  ) async throws -> Result {
    if durability == .normal, !onThread, let result = try writeInPlace(body) { return result }
    return try await withCheckedThrowingContinuation { continuation in
      let job = WriteJob(durability: durability) { core in
        let result = try body(core)
        return { continuation.resume(returning: result) }
      } fail: { error in
        continuation.resume(throwing: error)
      }
      if !thread.add(.write(job)) { continuation.resume(throwing: StoreError.closed) }
    }
  }

  /// Runs the body here and now; nil where somebody else is writing.
  private func writeInPlace<Result: Sendable>(
    _ body: @Sendable (WriterCore) throws -> Result
  ) throws -> Result? {
    guard !desk.isCrowded.load(ordering: .relaxed), thread.isIdle else { return nil }
    var result: Result?
    let isCheckpointDue = try desk.core.withLockIfAvailable { core in
      try core.runInPlace { result = try body($0) }
      return core.isCheckpointDue
    }
    guard let isCheckpointDue else {
      desk.isCrowded.store(true, ordering: .relaxed)
      return nil
    }
    if isCheckpointDue { _ = thread.add(.checkpoint) }
    return result
  }

  /// Runs a body on the connection outside any transaction, on the calling thread, which waits.
  func withCore<Result: Sendable>(_ body: (WriterCore) -> Result) -> Result {
    desk.core.withLock { body($0) }
  }

  /// Why nothing can be written; nil where it can.
  var refusal: StoreError? { desk.core.withLock { $0.refusal } }

  /// Lets what waits be written and closes the connection, on the thread, after `close`.
  func suspend(closing close: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let isTaken = thread.add(
        .other { [desk] in
          close()
          desk.core.withLock { $0.close(.suspended) }
          continuation.resume()
        })
      if !isTaken { continuation.resume() }
    }
  }

  /// Opens the file again where it was suspended.
  ///
  /// - Returns: Whether it was.
  func resume(_ opening: StoreOpening) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = thread.add(
        .other { [desk] in
          continuation.resume(
            with: Result {
              try desk.core.withLock { core in
                guard core.ending == .suspended else {
                  if let ending = core.ending { throw ending }
                  return false
                }
                core = try opening.open().taking(core.carried)
                return true
              }
            })
        })
      if !isTaken { continuation.resume(throwing: StoreError.closed) }
    }
  }

  /// Lets everything that waits be written, and closes the connection.
  func end() async {
    await thread.end()
  }

  /// The same without waiting for it.
  func stop() {
    thread.stop()
  }

  private static func serve(_ work: [Work], at desk: Desk) {
    let jobs = work.compactMap { work -> WriteJob? in
      if case .write(let job) = work { job } else { nil }
    }
    if !jobs.isEmpty {
      for tell in desk.core.withLock({ core in core.run(jobs) }) { tell() }
    }
    for case .other(let task) in work { task() }
    if jobs.count < 2 { desk.isCrowded.store(false, ordering: .relaxed) }
    desk.core.withLock { core in
      if core.isCheckpointDue { core.checkpoint(.passive) }
    }
  }
}

/// How many transactions were committed, and how many writes they held.
final class CommitCount: Sendable {
  let transactions = Atomic(0)
  let writes = Atomic(0)

  func add(writes count: Int) {
    transactions.add(1, ordering: .relaxed)
    writes.add(count, ordering: .relaxed)
  }
}
