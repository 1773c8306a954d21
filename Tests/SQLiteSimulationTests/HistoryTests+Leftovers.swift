import CommuteSQLite
import CommuteStore
import Foundation
import Testing

@testable import SQLiteSimulator

/// What a commit that failed leaves in the log, as whoever opens the file next finds it.
extension HistoryTests {
  /// How a durable commit ended whose disk failed, and what is there after the process is killed.
  private struct Ending {
    var error: SQLiteError?
    var hasHappened: Bool
    var rows: SQLValue
  }

  /// Lets one operation of a durable commit fail, in a file of its own.
  private func commit(failingAt operation: Int, _ kind: FaultKind) throws -> Ending {
    let folder = "\(place)/\(kind.name)-\(operation)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    FaultLayer.watch("\(folder)/")
    defer { FaultLayer.watch("\(place)/") }
    let file = Location.file("\(folder)/a.db")
    let connection = try Connection(file)
    try connection.transaction {
      try connection.execute("CREATE TABLE book(title TEXT, page BLOB)")
      try connection.run("INSERT INTO book VALUES ('Momo', NULL)")
    }
    DrawnFault(kind: kind, operation: operation, seed: 1).arm()
    var ending = Ending(error: nil, hasHappened: false, rows: .null)
    do throws(SQLiteError) {
      try connection.transaction(synchronous: .full) { () throws(SQLiteError) in
        try connection.run("INSERT INTO book VALUES ('Krabat', zeroblob(9000))")
      }
    } catch {
      ending.error = error
    }
    ending.hasHappened = FaultLayer.hasHappened
    // The log stays as it is, as after a kill.
    connection.close(copyingLog: false)
    FaultLayer.disarm()
    let next = try Connection(file)
    defer { next.close() }
    ending.rows = try next.value("SELECT count(*) FROM book")
    #expect(try next.integrityCheck() == [])
    return ending
  }

  @Test func `a commit that failed is not there after a kill`() throws {
    var operation = 0
    var failed = 0
    while true {
      let ending = try commit(failingAt: operation, .error)
      guard ending.hasHappened else { break }
      if let error = ending.error {
        failed += 1
        guard case .inputOutput = error else {
          Issue.record("operation \(operation): \(error)")
          continue
        }
      }
      #expect(ending.rows == .integer(ending.error == nil ? 2 : 1), "operation \(operation)")
      operation += 1
    }
    // Three pages with their headers, and the sync.
    #expect(failed >= 7)
  }

  @Test func `a commit that nobody can take back is told as undecided`() throws {
    var there = 0
    var operation = 0
    while true {
      let ending = try commit(failingAt: operation, .kill)
      guard ending.hasHappened, let error = ending.error else { break }
      if case .undecided(let reason) = error {
        #expect(!reason.isEmpty)
        #expect(StoreError(error) == .undecided(reason: reason))
        if ending.rows == .integer(2) { there += 1 }
      } else {
        #expect(ending.rows == .integer(1), "operation \(operation): \(error)")
      }
      operation += 1
    }
    #expect(there == 1)
  }
}
