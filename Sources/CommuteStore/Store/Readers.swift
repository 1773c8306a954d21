import CommuteCore
import CommuteSQLite

/// The threads that read, each with a connection of its own, begun when first needed.
final class Readers: Sendable {
  /// One read that waits for a thread.
  typealias Job = @Sendable (Result<StoreConnection, StoreError>) -> Void

  /// One thread and what it reads with.
  private final class Reader: Sendable {
    private let session = Locked<StoreConnection?>(nil)

    func serve(_ jobs: [Job], database: String, shapes: Shapes) {
      session.withLock { session in
        for job in jobs {
          do throws(StoreError) {
            job(.success(try session.opened(database, shapes: shapes)))
          } catch {
            job(.failure(error))
          }
        }
      }
    }

    func close() {
      session.withLock { $0?.connection.close() }
    }
  }

  private struct Pool {
    var threads: [StoreThread<Job>] = []
    var next = 0
    var isClosed = false
  }

  private let database: String
  private let shapes: Shapes
  private let count: Int
  private let pool = Locked(Pool())

  init(database: String, shapes: Shapes, count: Int) {
    self.database = database
    self.shapes = shapes
    self.count = max(1, count)
  }

  /// Opens a connection that only reads.
  static func open(_ database: String, shapes: Shapes) throws(StoreError) -> StoreConnection {
    let connection = try speaking { () throws(SQLiteError) in
      try Connection(.file(database), Configuration(.readOnly))
    }
    return StoreConnection(connection, shapes: shapes)
  }

  /// Leaves a read for a thread that is idle, or the next one in turn.
  func add(_ job: @escaping Job) {
    let thread = pool.withLock { pool -> StoreThread<Job>? in
      if pool.isClosed { return nil }
      if let idle = pool.threads.first(where: \.isFree) { return idle }
      if pool.threads.count < count {
        pool.threads.append(makeThread())
        return pool.threads.last
      }
      pool.next = (pool.next + 1) % pool.threads.count
      return pool.threads[pool.next]
    }
    guard let thread, thread.add(job) else { return job(.failure(.closed)) }
  }

  private func makeThread() -> StoreThread<Job> {
    let reader = Reader()
    return StoreThread("commute.reader") { [database, shapes] jobs in
      reader.serve(jobs, database: database, shapes: shapes)
    } end: {
      reader.close()
    }
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

extension StoreConnection? {
  /// The connection, which is opened now where it was not.
  mutating func opened(_ database: String, shapes: Shapes) throws(StoreError) -> StoreConnection {
    if let self { return self }
    let fresh = try Readers.open(database, shapes: shapes)
    self = fresh
    return fresh
  }
}
