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
    var lock: SideLock?
    var name = ""
    if !store.isInMemory {
      name = "queue-\(store.newID().text).lock"
      let made = try SideLock(path(name, of: store))
      guard made.tryLock() else { throw QueueError.closed }
      lock = made
    }
    let clock = store.clock
    let number = try await store.write { [name] tx in
      let engine = QueueEngine(tx)
      try engine.observeClock(boot: clock.bootID(), monotonic: clock.monotonic())
      try engine.connection.run(
        """
        INSERT INTO q_session(boot, pid, lock, started_at, beat_at)
        VALUES (\(clock.bootID()), \(Int64(ProcessInfo.processInfo.processIdentifier)), \(name),
          \(engine.now), \(engine.now))
        """)
      return engine.connection.lastInsertRowID
    }
    let session = QueueSession(number, lock)
    try await session.reap(store)
    return session
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
    let own = number
    let others = try await store.read { tx in
      try tx.engineConnection.all("SELECT id, lock FROM q_session WHERE id <> \(own)") {
        (row) throws(SQLiteError) in (number: row.int64(0), lock: row.text(1))
      }
    }
    var dead = 0
    for other in others {
      // A name that leads elsewhere is nobody's lock.
      let isOurs = other.lock.hasPrefix("queue-") && !other.lock.contains("/")
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
      let engine = QueueEngine(tx)
      for var row in try engine.tasks(where: "state = 3 AND owner = \(own)") {
        row.life.end(.interrupted, now: engine.now, draw: engine.draw())
        row.reason = "the queue was stopped"
        try engine.settle(row, row.life.state.isTerminal ? nil : .interrupted)
      }
      let name = try engine.connection.first("SELECT lock FROM q_session WHERE id = \(own)") {
        (row) throws(SQLiteError) in row.text(0)
      }
      try engine.connection.run("DELETE FROM q_session WHERE id = \(own)")
      return name
    }.map { name in
      if !name.isEmpty { try? FileManager.default.removeItem(atPath: Self.path(name, of: store)) }
    }
    lock?.unlock()
  }
}
