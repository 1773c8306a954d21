import CommuteSQLite
import Foundation
import Synchronization
import Testing

@Suite struct ConnectionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a new database and its side files are for their owner only`() throws {
    let connection = try folder.open()
    try connection.execute("CREATE TABLE book(id INTEGER) STRICT")
    for name in ["test.db", "test.db-wal", "test.db-shm"] {
      let rights = try folder.rights(name)
      #expect(rights == 0o600, "\(name)")
    }
    connection.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left == ["test.db"])
  }

  @Test func `what was written is there after reopening`() throws {
    let first = try folder.open()
    try first.execute("CREATE TABLE book(title TEXT)")
    try first.run("INSERT INTO book VALUES (\("Momo"))")
    first.close()
    let second = try folder.open("test.db", Configuration(.readWrite))
    let title = try second.value("SELECT title FROM book")
    #expect(title == .text("Momo"))
  }

  @Test func `a file that must exist is not made`() throws {
    for mode in [Configuration.Mode.readOnly, .readWrite] {
      let path = folder.file("none.db")
      let missing = SQLiteError.cannotOpen(path: path, reason: "No such file or directory")
      #expect(throws: missing) { try folder.open("none.db", Configuration(mode)) }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a path that leads nowhere says why`() throws {
    try Data().write(to: URL(filePath: folder.file("file")))
    for (name, reason) in [
      ("no/such/folder.db", "No such file or directory"), ("file/below.db", "Not a directory"),
    ] {
      let error = SQLiteError.cannotOpen(path: folder.file(name), reason: reason)
      #expect(throws: error) { try folder.open(name) }
    }
    #expect(throws: SQLiteError.self) { try Connection(.file(folder.path)) }
    #expect(throws: SQLiteError.cannotOpen(path: "", reason: "the path is empty")) {
      try Connection(.file(""))
    }
    #expect(throws: SQLiteError.self) { try Connection(.file(folder.file("a\u{0}b"))) }
  }

  @Test func `a link that leads nowhere is not followed`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.db"), withDestinationPath: folder.file("target.db"))
    let reason = "it is a link that leads nowhere"
    #expect(throws: SQLiteError.cannotOpen(path: folder.file("link.db"), reason: reason)) {
      try folder.open("link.db")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left == ["link.db"])
  }

  @Test func `a link to a database is followed`() throws {
    try folder.open("target.db").execute("CREATE TABLE book(title TEXT)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.db"), withDestinationPath: folder.file("target.db"))
    let count = try folder.open("link.db").count()
    #expect(count == .integer(0))
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file without the right to read it is refused`() throws {
    try folder.open().close()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: folder.file())
    #expect(throws: SQLiteError.self) { try folder.open() }
  }

  @Test func `a file that is no database is told from a damaged one`() throws {
    let path = folder.file("page.html")
    let html = String(repeating: "<html>Sign in to the network</html>\n", count: 200)
    try Data(html.utf8).write(to: URL(filePath: path))
    #expect(throws: SQLiteError.notADatabase(path: path)) { try folder.open("page.html") }
  }

  @Test func `a damaged database is told`() throws {
    try Self.fill(folder.open())
    try Self.overwrite(folder.file(), from: 4_096, count: 20 * 4_096)
    let connection = try folder.open()
    let error = #expect(throws: SQLiteError.self) {
      try connection.all("SELECT title FROM book") { $0.text(0) }
    }
    guard case .corrupt = error else { throw error ?? .closed }
    let lines = try connection.integrityCheck()
    #expect(!lines.isEmpty)
  }

  /// Four hundred books, copied back into the database file.
  private static func fill(_ connection: Connection) throws {
    try connection.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT)")
    try connection.transaction {
      for number in 0..<400 {
        try connection.run("INSERT INTO book(title) VALUES (\("\(number)" + filler))")
      }
    }
    connection.close()
  }

  private static let filler = String(repeating: "x", count: 300)

  private static func overwrite(_ path: String, from offset: UInt64, count: Int) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(repeating: 0x5a, count: count))
    try file.close()
  }

  @Test func `a read-only connection reads and does not write`() throws {
    let writer = try folder.open()
    try writer.execute("CREATE TABLE book(title TEXT); INSERT INTO book VALUES ('Momo')")
    let reader = try folder.open("test.db", Configuration(.readOnly))
    let count = try reader.count()
    #expect(count == .integer(1))
    #expect(throws: SQLiteError.readOnly(path: folder.file())) {
      try reader.run("DELETE FROM book")
    }
  }

  @Test func `a database that was deleted while it is open is told`() throws {
    var configuration = Configuration()
    configuration.journal = .rollback
    let connection = try folder.open("test.db", configuration)
    try connection.execute("CREATE TABLE book(title TEXT)")
    try FileManager.default.removeItem(atPath: folder.file())
    let reason = "it was moved or deleted while it was open"
    #expect(throws: SQLiteError.cannotOpen(path: folder.file(), reason: reason)) {
      try connection.run("INSERT INTO book VALUES ('Momo')")
    }
  }

  @Test func `names that SQLite takes for something else are files all the same`() throws {
    let before = FileManager.default.currentDirectoryPath
    for name in [":memory:", "file:a?mode=memory"] {
      let location = Location.file("\(folder.path)/\(name)")
      try Connection(location).execute("CREATE TABLE book(title TEXT)")
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(name)"))
    }
    #expect(FileManager.default.currentDirectoryPath == before)
  }

  @Test func `connections share a database in memory by its name`() throws {
    let name = UUID().uuidString
    let first = try Connection(.sharedMemory(name))
    let second = try Connection(.sharedMemory(name))
    let stranger = try Connection(.sharedMemory(name + " two"))
    try first.execute("CREATE TABLE book(title TEXT); INSERT INTO book VALUES ('Momo')")
    let count = try second.count()
    #expect(count == .integer(1))
    #expect(throws: SQLiteError.self) { try stranger.count() }
  }

  @Test func `every call after closing says that it is closed`() throws {
    let connection = try books()
    let statement = try connection.prepare("SELECT ?1")
    let running = try connection.prepare("VALUES (1), (2)")
    _ = try running.step()
    connection.close()
    connection.close()
    #expect(connection.isClosed)
    #expect(throws: SQLiteError.closed) { try connection.execute("SELECT 1") }
    #expect(throws: SQLiteError.closed) { try connection.prepare("SELECT 1") }
    #expect(throws: SQLiteError.closed) { try connection.begin() }
    #expect(throws: SQLiteError.closed) { try connection.commit() }
    #expect(throws: SQLiteError.closed) { try connection.checkpoint() }
    #expect(throws: SQLiteError.closed) { try running.step() }
    statement.bind("late", at: 1)
    #expect(throws: SQLiteError.closed) { try statement.step() }
    #expect(running.int64(0) == 0)
    #expect(running.text(0) == "")
    #expect(running.columnName(0) == "")
    #expect(!running.isRunning)
    #expect(running.columnCount == 0)
    #expect(running.parameterCount == 0)
    #expect(connection.changes == 0)
    #expect(connection.totalChanges == 0)
    #expect(connection.lastInsertRowID == 0)
    connection.busyMilliseconds = 7
    connection.setProgressHandler { true }
    connection.resetStatements()
    connection.interrupter.interrupt()
    connection.rollback()
  }

  @Test func `closing in the middle of the rows leaves nulls, not rubbish`() throws {
    let connection = try books()
    let statement = try connection.prepare("VALUES ('one'), ('two')")
    var texts: [String] = []
    #expect(throws: SQLiteError.closed) {
      try statement.forEach { row in
        texts.append(row.text(0))
        connection.close()
        texts.append(row.text(0))
      }
    }
    #expect(texts == ["one", ""])
  }

  @Test func `a connection can be handed to one owner after another`() throws {
    let guarded = Mutex(try Connection(.memory))
    let answer = try guarded.withLock { connection in
      try connection.statement("SELECT 6 * 7").firstInt64()
    }
    #expect(answer == 42)
  }

  private static let endless: SQL =
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i FROM n) SELECT * FROM n"

  @Test func `an interrupter ends what runs, from another thread, and nothing else`() throws {
    let connection = try books()
    let interrupter = connection.interrupter
    let isRunning = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      isRunning.wait()
      interrupter.interrupt()
    }
    connection.setProgressHandler {
      isRunning.signal()
      return true
    }
    #expect(throws: SQLiteError.interrupted) { try connection.all(Self.endless) { _ in } }
    connection.setProgressHandler(nil)
    let count = try connection.count()
    #expect(count == .integer(0))
  }

  @Test func `a progress handler that answers no ends what runs`() throws {
    let connection = try books()
    connection.setProgressHandler(every: 100) { false }
    #expect(throws: SQLiteError.interrupted) { try connection.all(Self.endless) { _ in } }
  }

  @Test func `a connection is set up as the configuration says`() throws {
    var configuration = Configuration()
    configuration.synchronous = .full
    configuration.cacheKibibytes = 512
    configuration.checkpointPages = 0
    let connection = try folder.open("test.db", configuration)
    for (pragma, expected) in [
      ("journal_mode", SQLValue.text("wal")), ("synchronous", .integer(2)),
      ("cache_size", .integer(-512)), ("wal_autocheckpoint", .integer(0)),
      ("foreign_keys", .integer(0)), ("trusted_schema", .integer(0)),
      ("cell_size_check", .integer(1)), ("temp_store", .integer(2)),
    ] {
      let value = try connection.prepare("PRAGMA \(pragma)").first { $0.value(0) }
      #expect(value == expected, "\(pragma)")
    }
    let version = try connection.userVersion()
    #expect(version == 0)
    #expect(throws: SQLiteError.self) {
      try connection.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
    }
  }

  @Test func `what is to run right after opening runs first`() throws {
    var configuration = Configuration()
    configuration.whenOpened = { (connection) throws(SQLiteError) in
      try connection.execute("PRAGMA key = 'not known to this library'; PRAGMA page_size = 8192")
    }
    let connection = try folder.open("test.db", configuration)
    let size = try connection.prepare("PRAGMA page_size").firstInt64()
    #expect(size == 8_192)
    configuration.whenOpened = { (_) throws(SQLiteError) in throw .interrupted }
    #expect(throws: SQLiteError.interrupted) { try folder.open("test.db", configuration) }
  }

  @Test func `the library says what it is and has`() throws {
    #expect(SQLiteLibrary.versionNumber >= SQLiteLibrary.oldestSupported)
    #expect(SQLiteLibrary.version.hasPrefix("3."))
    try SQLiteLibrary.require(options: ["ENABLE_FTS5"])
    let lacking = SQLiteError.unsupportedLibrary(
      version: SQLiteLibrary.version, lacks: "ENABLE_NONSENSE")
    #expect(throws: lacking) { try SQLiteLibrary.require(options: ["ENABLE_NONSENSE"]) }
    let tooOld = SQLiteError.unsupportedLibrary(
      version: SQLiteLibrary.version, lacks: "what came with version 9.1.2")
    #expect(throws: tooOld) { try SQLiteLibrary.require(atLeast: 9_001_002) }
  }
}
