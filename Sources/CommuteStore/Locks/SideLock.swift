#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock that processes take on a file of its own beside the database.
///
/// It is released when the process dies, however it dies. It is never taken on the database or its
/// log: closing such a descriptor would drop SQLite's own locks.
package final class SideLock: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Opens the file, which is made where there is none.
  package init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw SystemFailure.error(path: path) }
  }

  /// A lock for what nobody else can reach: whoever asks has it.
  init() {
    path = ""
    descriptor = -1
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Takes the lock if nobody has it.
  package func tryLock() -> Bool {
    if descriptor < 0 { return true }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Takes the lock, waiting for whoever has it.
  ///
  /// - Throws: ``StoreError/busy(holder:)`` after that long.
  func lock(waiting milliseconds: Int) throws(StoreError) {
    var waited = 0
    while !tryLock() {
      guard waited < milliseconds else { throw .busy(holder: holder ?? "another process") }
      let pause = min(1 + waited / 4, 20)
      usleep(UInt32(pause) * 1_000)
      waited += pause
    }
  }

  /// Gives the lock back.
  package func unlock() {
    guard descriptor >= 0 else { return }
    _ = flock(descriptor, LOCK_UN)
  }

  /// Writes into the file who has it, for messages.
  func sign(_ name: String) {
    guard descriptor >= 0 else { return }
    let line = Array("\(name)\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, line, line.count, 0)
  }

  /// Who last signed; nil where nobody did.
  var holder: String? {
    guard descriptor >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let line = bytes[..<count].prefix { $0 != 0x0A }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}

/// What the system says about the last call that went wrong.
enum SystemFailure {
  static func error(path: String) -> StoreError {
    let number = errno
    switch number {
    case ENOSPC, EDQUOT: return .diskFull
    case EROFS: return .readOnly(path: path)
    default: return .unreadable(path: path, reason: reason(number))
    }
  }

  static func reason(_ number: Int32) -> String {
    guard let words = strerror(number) else { return "error \(number)" }
    return String(cString: words)
  }
}
