import CommuteSQLite
import Foundation
import Testing

@Suite struct MaintenanceTests {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.checkpointPages = 0
    connection = try folder.open("test.db", configuration)
    try connection.execute("CREATE TABLE book(title TEXT); INSERT INTO book VALUES ('Momo')")
  }

  @Test func `a checkpoint copies the log back and can cut it`() throws {
    #expect(connection.pagesInLog > 0)
    let passive = try connection.checkpoint()
    #expect(!passive.isBlocked)
    #expect(passive.pagesCopied == passive.pagesInLog)
    try connection.checkpoint(.truncate)
    let log = try FileManager.default.attributesOfItem(atPath: folder.file("test.db-wal"))
    #expect(log[.size] as? Int == 0)
    try connection.run("INSERT INTO book VALUES (\("Krabat"))")
    #expect(connection.pagesInLog == 1)
  }

  @Test func `a reader in the way of a checkpoint is told, not an error`() throws {
    let reader = try folder.open("test.db", Configuration(.readOnly))
    try reader.begin(.deferred)
    _ = try reader.count()
    try connection.run("INSERT INTO book VALUES (\("Krabat"))")
    connection.busyMilliseconds = 0
    let blocked = try connection.checkpoint(.truncate)
    #expect(blocked.isBlocked)
    try reader.commit()
    let free = try connection.checkpoint(.truncate)
    #expect(!free.isBlocked)
  }

  @Test func `a sound database passes the check`() throws {
    let lines = try connection.integrityCheck()
    #expect(lines == [])
  }

  @Test func `a backup holds what was committed, for its owner only`() throws {
    try connection.begin()
    connection.rollback()
    try connection.backup(toFile: folder.file("copy.db"))
    let rights = try folder.rights("copy.db")
    #expect(rights == 0o600)
    let copy = try folder.open("copy.db", Configuration(.readWrite))
    let count = try copy.count()
    let lines = try copy.integrityCheck()
    #expect(count == .integer(1))
    #expect(lines == [])
  }

  @Test func `a backup can be taken while another connection writes`() throws {
    let writer = try folder.open()
    try writer.begin()
    try writer.run("INSERT INTO book VALUES (\("not committed"))")
    let copy = try Connection(.memory)
    try connection.backup(to: copy)
    try writer.commit()
    let count = try copy.count()
    #expect(count == .integer(1))
  }

  @Test func `a backup never overwrites a file`() throws {
    for name in ["copy.db", "test.db"] {
      try? Data("precious".utf8).write(
        to: URL(filePath: folder.file("copy.db")), options: .withoutOverwriting)
      let exists = SQLiteError.cannotOpen(
        path: folder.file(name), reason: "there is a file of this name already")
      #expect(throws: exists) { try connection.backup(toFile: folder.file(name)) }
      #expect(throws: exists) { try connection.vacuum(into: folder.file(name)) }
    }
    let count = try connection.count()
    #expect(count == .integer(1))
  }

  @Test func `a compact copy is a database of its own`() throws {
    try connection.vacuum(into: folder.file("compact.db"))
    let rights = try folder.rights("compact.db")
    #expect(rights == 0o600)
    let copy = try folder.open("compact.db", Configuration(.readOnly))
    let count = try copy.count()
    #expect(count == .integer(1))
  }

  @Test func `a backup that cannot be made leaves no file`() throws {
    try connection.begin()
    try connection.run("INSERT INTO book VALUES (\("Krabat"))")
    #expect(throws: SQLiteError.self) { try connection.vacuum(into: folder.file("copy.db")) }
    connection.rollback()
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy.db")))
  }

  @Test func `the number in the header is part of the transaction`() throws {
    try connection.transaction { try connection.setUserVersion(7) }
    try? connection.transaction {
      try connection.setUserVersion(8)
      throw SQLiteError.interrupted
    }
    let version = try connection.userVersion()
    #expect(version == 7)
  }

  @Test func `every error reads as a sentence`() {
    let errors: [SQLiteError] = [
      .busy(code: 5), .full, .readOnly(path: "a.db"), .inputOutput(code: 10, message: "disk"),
      .undecided(reason: "disk"), .corrupt(reason: "page 3"), .notADatabase(path: "a.db"),
      .cannotOpen(path: "a.db", reason: "it is gone"), .interrupted, .closed,
      .denied(Access(.attach)), .refusedValue(parameter: 1, reason: "it is too long"),
      .misuse(reason: "no"), .newerSchema(found: "9", newestKnown: "8"),
      .migration(name: "0001", problem: .outOfOrder), .migration(name: "0001", problem: .nameTwice),
      .migration(name: "0001", problem: .endedTransaction), .sql(code: 1, message: "near"),
      .unsupportedLibrary(version: "3.1.0", lacks: "strict tables"),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.filter(\.isRetryable) == [.busy(code: 5)])
    for error in errors { #expect(!error.description.contains("Optional")) }
  }
}
