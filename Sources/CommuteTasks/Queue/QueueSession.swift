import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation

/// This process among those that work on one queue: a row, and a lock that the system lets go of
/// when the process dies, however it dies.
final class QueueSession: Sendable {
  let number: Int64
  private let lock: SideLock?

  /// Opens a session and gives the tasks of processes that have died back.
  static func open(_ store: Store) async throws -> QueueSession {
    let name = store.isInMemory ? "" : "\(prefix)\(store.newID().text)\(suffix)"
    let path = path(name, of: store)
    let (number, lock) = try await store.write { tx in
      // File, lock and row under one lock of the database: whoever sweeps sees all or nothing.
      var lock: SideLock?
      if !name.isEmpty {
        let made = try SideLock(path)
        guard made.tryLock() else { throw QueueError.closed }
        lock = made
      }
      let number = try QueueEngine(tx).openSession(
        process: Int64(ProcessInfo.processInfo.processIdentifier), lock: name)
      return (number, lock)
    }
    let session = QueueSession(number, lock)
    try await session.reap(store)
    try await session.sweep(store)
    return session
  }

  private static let prefix = "queue-"
  private static let suffix = ".lock"

  /// Removes the files of processes that died before their row was written or after it was gone.
  private func sweep(_ store: Store) async throws {
    guard !store.isInMemory else { return }
    let found = try FileManager.default.contentsOfDirectory(atPath: store.directory)
    let files = found.filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix) }
    guard files.count > 1 else { return }
    try await store.write { tx in
      let known = try tx.engineConnection.all("SELECT lock FROM q_session") {
        (row) throws(SQLiteError) in row.text(0)
      }
      for file in files where !known.contains(file) {
        let path = Self.path(file, of: store)
        guard try SideLock(path).tryLock() else { continue }
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }

  private init(_ number: Int64, _ lock: SideLock?) {
    self.number = number
    self.lock = lock
  }

  private static func path(_ name: String, of store: Store) -> String {
    "\(store.directory)/\(name)"
  }

  /// Gives the tasks of processes that have died back: those whose lock can be taken.
  ///
  /// - Returns: How many had died.
  @discardableResult
  func reap(_ store: Store) async throws -> Int {
    // What is in memory is this process's alone.
    guard !store.isInMemory else { return 0 }
    let own = number
    let others = try await store.read { tx in
      try tx.engineConnection.all("SELECT id, lock FROM q_session WHERE id <> \(own)") {
        (row) throws(SQLiteError) in (number: row.int64(0), lock: row.text(1))
      }
    }
    var dead = 0
    for other in others {
      // A name that leads elsewhere is nobody's lock.
      let isOurs = other.lock.hasPrefix(Self.prefix) && !other.lock.contains("/")
      let path = Self.path(other.lock, of: store)
      if isOurs, FileManager.default.fileExists(atPath: path) {
        guard try SideLock(path).tryLock() else { continue }
      }
      try await store.write { tx in try QueueEngine(tx).reap(session: other.number) }
      if isOurs { try? FileManager.default.removeItem(atPath: path) }
      dead += 1
    }
    return dead
  }

  /// Ends the session; its tasks were given back before.
  func close(_ store: Store) async throws {
    let own = number
    try await store.write { tx in
      try QueueEngine(tx).closeSession(own)
    }.map { name in
      if !name.isEmpty { try? FileManager.default.removeItem(atPath: Self.path(name, of: store)) }
    }
    lock?.unlock()
  }
}
