import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Synchronization

/// A folder for one store that is gone when the test is over, with a clock that tests turn.
final class TemporaryStore: Sendable {
  let path: String
  let time: VirtualTime

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "commute-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    time = VirtualTime()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var device: String { "\(path)/device" }
  var hosts: String { "\(path)/hosts" }

  /// Options whose time, ids and host records belong to the test.
  func options(seed: UInt64 = 1) -> StoreOptions {
    var options = StoreOptions(deviceName: "laptop")
    options.clock = time.clock
    options.randomSeed = seed
    options.hostDirectory = hosts
    return options
  }

  /// Opens the store.
  func open(
    _ tables: [any TableDeclaration] = [Book.table],
    change: (inout StoreOptions) -> Void = { _ in }
  ) throws(StoreError) -> Store {
    var options = options()
    change(&options)
    return try Store(device, tables: tables, options: options)
  }

  /// Reads the file by a connection of its own.
  func rows(_ sql: SQL) throws -> [[SQLValue]] {
    let connection = try Connection(.file("\(device)/commute.db"), Configuration(.readOnly))
    defer { connection.close() }
    let statement = try connection.statement(sql)
    return try statement.all { row in
      (0..<statement.columnCount).map { row.value($0) }
    }
  }

  /// The first column of the first row.
  func value(_ sql: SQL) throws -> SQLValue? {
    try rows(sql).first?.first
  }

  /// Table and id of the records below whose changes the file keeps what the server last told.
  func bases() throws -> [[SQLValue]] {
    try rows(
      """
      SELECT tbl, id FROM c_outbox WHERE told IS NOT NULL
      UNION ALL SELECT tbl, id FROM c_base ORDER BY tbl, id
      """)
  }

  /// Writes into the file by a connection of its own.
  func execute(_ sql: String) throws {
    let connection = try Connection(.file("\(device)/commute.db"), Configuration(.readWrite))
    defer { connection.close() }
    try connection.execute(sql)
  }
}

/// Clocks that stand still until a test turns them.
final class VirtualTime: Sendable {
  private struct Reading {
    var wall: Int64 = 1_700_000_000_000
    var monotonic: Int64 = 5_000
    var boot = "boot-1"
  }

  private let reading = Mutex(Reading())

  var clock: StoreClock {
    StoreClock(
      wall: { self.reading.withLock { $0.wall } },
      monotonic: { self.reading.withLock { $0.monotonic } },
      bootID: { self.reading.withLock { $0.boot } })
  }

  func advance(_ milliseconds: Int64) {
    reading.withLock {
      $0.wall += milliseconds
      $0.monotonic += milliseconds
    }
  }

  func setWall(_ milliseconds: Int64) {
    reading.withLock { $0.wall = milliseconds }
  }

  func restartMachine() {
    reading.withLock {
      $0.boot += "+"
      $0.monotonic = 10
    }
  }
}

/// An id that tests can name.
func id(_ number: UInt64) -> RecordID {
  RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}
