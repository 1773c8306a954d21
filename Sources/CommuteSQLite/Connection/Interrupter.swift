import CSQLite
import Synchronization

/// Stops what a connection is doing, from any thread.
///
/// A connection belongs to one thread; this is the one thing of it that others may hold.
public final class Interrupter: Sendable {
  /// The address of the open database, or 0 once it is closed.
  private let address: Mutex<UInt>

  init(_ database: OpaquePointer) {
    address = Mutex(UInt(bitPattern: database))
  }

  /// Makes every running statement of the connection end with ``SQLiteError/interrupted``.
  ///
  /// Statements that begin later are not affected, and nothing happens once the connection is
  /// closed.
  public func interrupt() {
    address.withLock { address in
      guard let database = unsafe OpaquePointer(bitPattern: address) else { return }
      unsafe sqlite3_interrupt(database)
    }
  }

  /// Called before the database is closed.
  func forget() {
    address.withLock { $0 = 0 }
  }
}
