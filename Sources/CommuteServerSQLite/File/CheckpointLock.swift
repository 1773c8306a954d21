import CommuteServer
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Held while the log is copied back, and by a second process while it writes.
///
/// SQLite before 3.51.3 can damage the log where one connection writes while another copies it
/// back. The server's writer does both in turn and takes this only to copy; whoever purges beside
/// it takes it to write, and never copies. It is a file of its own beside the database.
final class CheckpointLock: Sendable {
  private let descriptor: Mutex<Int32>

  /// Opens the file, which is made where there is none.
  init(database path: String) throws(ServerStoreError) {
    descriptor = Mutex(try ServerFileLock.open(path + ".checkpoint"))
  }

  /// Runs the body while holding it, where nobody else does.
  ///
  /// - Returns: Whether it ran.
  @discardableResult
  func tryHolding(_ body: () -> Void) -> Bool {
    guard take(LOCK_EX | LOCK_NB) else { return false }
    defer { take(LOCK_UN) }
    body()
    return true
  }

  /// Runs the body while holding it, after whoever has it.
  func holding<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    take(LOCK_EX)
    defer { take(LOCK_UN) }
    return try body()
  }

  @discardableResult
  private func take(_ operation: Int32) -> Bool {
    let descriptor = descriptor.withLock { $0 }
    while flock(descriptor, operation) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  deinit {
    descriptor.withLock { _ = close($0) }
  }
}
