import Foundation
import Synchronization

/// A value that one thread at a time may touch.
///
/// `Mutex` alone would do. On Linux it waits by system calls of its own, which the thread
/// sanitizer does not see, so that every protected access looks like a race; the outer lock is one
/// that it knows, and makes its silence mean something. It costs some 20 ns.
final class Locked<Value: ~Copyable>: Sendable {
  private let lock = NSLock()
  private let value: Mutex<Value>

  init(_ value: consuming sending Value) {
    self.value = Mutex(value)
  }

  /// Lends the value, after waiting for whoever has it.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try value.withLock(body)
  }

  /// Lends the value if nobody has it.
  func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try value.withLock(body)
  }
}
