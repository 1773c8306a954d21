import CommuteCore
import CommuteSQLite
import Synchronization

/// Where reads are done: on connections of their own, or, in memory, on the writer's.
enum ReadSource: Sendable {
  case own(DatabasePlace, Shapes)
  case shared(Writer)

  /// Lends a connection, which is kept in `kept` where it is one's own.
  func lend(
    _ kept: inout StoreConnection?, _ body: (Result<StoreConnection, StoreError>) -> Void
  ) {
    switch self {
    case .own(let place, let shapes):
      do throws(StoreError) {
        if let kept { return body(.success(kept)) }
        let fresh = StoreConnection(try place.connectForReading(), shapes: shapes)
        kept = fresh
        body(.success(fresh))
      } catch {
        body(.failure(error))
      }
    case .shared(let writer):
      writer.withCore { core in
        body(core.ending.map { .failure($0) } ?? .success(core.session))
      }
    }
  }
}

/// The threads that read, each with a connection of its own, begun when first needed.
final class Readers: Sendable {
  /// One read that waits for a thread.
  typealias Job = @Sendable (Result<StoreConnection, StoreError>) -> Void

  /// One thread and what it reads with.
  private final class Reader: Sendable {
    private let session = Locked<StoreConnection?>(nil)

    func serve(_ jobs: [Job], from source: ReadSource, isSuspended: borrowing Atomic<Bool>) {
      session.withLock { session in
        for job in jobs {
          // Asked with the session in hand: whoever suspends takes it afterwards and closes it.
          if isSuspended.load(ordering: .acquiring) {
            job(.failure(.suspended))
          } else {
            source.lend(&session, job)
          }
        }
      }
    }

    /// Lends the connection to the calling thread if it is open and nobody has it.
    func lendInPlace(
      isSuspended: borrowing Atomic<Bool>,
      _ body: (StoreConnection) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
      let isDone = try session.withLockIfAvailable { (session) throws(StoreError) -> Bool in
        guard let session, !isSuspended.load(ordering: .acquiring) else { return false }
        try body(session)
        return true
      }
      return isDone ?? false
    }

    func close() {
      session.withLock { session in
        session?.connection.close()
        session = nil
      }
    }
  }

  private struct Pool {
    var threads: [StoreThread<Job>] = []
    var readers: [Reader] = []
    var next = 0
    var isClosed = false
  }

  private let source: ReadSource
  private let count: Int
  private let pool = Locked(Pool())
  private let isSuspended = Atomic(false)

  init(_ source: ReadSource, count: Int) {
    self.source = source
    self.count = max(1, count)
  }

  /// Leaves a read for a thread that is idle, or the next one in turn.
  func add(_ job: @escaping Job) {
    let thread = pool.withLock { pool -> StoreThread<Job>? in
      if pool.isClosed { return nil }
      if let idle = pool.threads.first(where: \.isFree) { return idle }
      if pool.threads.count < count {
        let reader = Reader()
        pool.readers.append(reader)
        pool.threads.append(makeThread(reader))
        return pool.threads.last
      }
      pool.next = (pool.next + 1) % pool.threads.count
      return pool.threads[pool.next]
    }
    guard let thread, thread.add(job) else { return job(.failure(.closed)) }
  }

  /// Reads on the calling thread, with a connection that a thread has opened and does not use now.
  ///
  /// It is for what takes a few microseconds: two wake-ups of a thread would cost more.
  ///
  /// - Returns: False where there is none; nothing was read then.
  func readInPlace(
    _ body: (StoreConnection) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    // In memory there is one connection, and whoever writes may have it for long.
    guard case .own = source else { return false }
    for reader in pool.withLock({ $0.readers }) {
      if try reader.lendInPlace(isSuspended: isSuspended, body) { return true }
    }
    return false
  }

  private func makeThread(_ reader: Reader) -> StoreThread<Job> {
    StoreThread("commute.reader") { [self] jobs in
      reader.serve(jobs, from: source, isSuspended: isSuspended)
    } end: {
      reader.close()
    }
  }

  /// Closes every connection, after the reads that are under way; later reads are refused.
  ///
  /// It waits, so it is not for a thread that others share.
  func suspend() {
    isSuspended.store(true, ordering: .releasing)
    for reader in pool.withLock({ $0.readers }) { reader.close() }
  }

  /// Lets reads be done again.
  func resume() {
    isSuspended.store(false, ordering: .releasing)
  }

  /// Lets everything that waits be read, and closes the connections.
  func end() async {
    for thread in stop() { await thread.end() }
  }

  /// The same without waiting for it.
  @discardableResult
  func stop() -> [StoreThread<Job>] {
    let threads = pool.withLock { pool in
      pool.isClosed = true
      return pool.threads
    }
    for thread in threads { thread.stop() }
    return threads
  }
}
