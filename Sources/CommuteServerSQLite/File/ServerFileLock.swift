import CommuteServer
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Held by the one process that serves a database; the system lets go of it when the process ends.
///
/// It is a file of its own beside the database: closing any descriptor of the database itself
/// would drop SQLite's locks.
final class ServerFileLock: Sendable {
  private let descriptor: Mutex<Int32>

  /// Takes the lock.
  ///
  /// - Throws: `ServerStoreError.cannotOpen` where another process has it.
  init(database path: String) throws(ServerStoreError) {
    let descriptor = try Self.open(path + ".lock")
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .cannotOpen(
        reason: "\(path) is served by another process; end that one, or serve another file")
    }
    self.descriptor = Mutex(descriptor)
  }

  /// Opens a file beside a database that is there only to be locked, and makes it where there is
  /// none.
  static func open(_ file: String) throws(ServerStoreError) -> Int32 {
    #if canImport(Darwin)
      let descriptor = Darwin.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #else
      let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #endif
    guard descriptor >= 0 else {
      throw .cannotOpen(
        reason: "\(file) cannot be opened: \(String(cString: strerror(errno)).lowercased())")
    }
    return descriptor
  }

  /// Lets go of it; the second call does nothing.
  func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      // A process that is being started shares the descriptor for a moment: closing is not enough.
      _ = flock(descriptor, LOCK_UN)
      close(descriptor)
      descriptor = -1
    }
  }

  deinit {
    release()
  }
}
