import CommuteSQLite
import Testing

@Suite struct MigrationTests {
  let folder: TemporaryFolder
  let connection: Connection

  static let books = Migration("0001-book", "CREATE TABLE book(title TEXT NOT NULL) STRICT")
  static let ratings = Migration(
    "0002-rating",
    """
    ALTER TABLE book ADD COLUMN rating INTEGER;
    CREATE INDEX book_rating ON book(rating);
    """)

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.open()
  }

  private func plan(_ migrations: Migration..., version: Int32? = nil) -> MigrationPlan {
    MigrationPlan(table: "c_migration", schemaVersion: version, migrations)
  }

  @Test func `each step runs once, in order`() throws {
    let plan = plan(Self.books, Self.ratings)
    let pending = try plan.pending(on: connection)
    let first = try plan.apply(to: connection)
    let second = try plan.apply(to: connection)
    #expect(pending == ["0001-book", "0002-rating"])
    #expect(first == ["0001-book", "0002-rating"])
    #expect(second == [])
    try connection.run("INSERT INTO book VALUES (\("Momo"), \(5))")
  }

  @Test func `a database that has nothing is made at once, or not at all`() throws {
    let broken = Migration("0003-broken", "CREATE TABLE book(title TEXT)")
    #expect(throws: SQLiteError.self) {
      try plan(Self.books, Self.ratings, broken).apply(to: connection)
    }
    let tables = try connection.count("sqlite_schema")
    #expect(tables == .integer(0))
    let whole = plan(Self.books, Self.ratings, version: 7)
    let done = try whole.apply(to: connection)
    let columns = try connection.value("SELECT count(*) FROM pragma_table_info('book')")
    let version = try connection.userVersion()
    let pending = try whole.pending(on: connection)
    #expect(done == ["0001-book", "0002-rating"])
    #expect(columns == .integer(2))
    #expect(version == 7)
    #expect(pending == [])
  }

  @Test func `a database that has something takes each step by itself`() throws {
    let broken = Migration("0003-broken", "CREATE TABLE book(title TEXT)")
    try connection.execute("CREATE TABLE shop(name TEXT)")
    #expect(throws: SQLiteError.self) {
      try plan(Self.books, Self.ratings, broken).apply(to: connection)
    }
    let columns = try connection.value("SELECT count(*) FROM pragma_table_info('book')")
    #expect(columns == .integer(2))
  }

  private static let whole = MigrationPlan(
    table: "c_migration", schemaVersion: 7,
    whole: "CREATE TABLE book(title TEXT NOT NULL, rating INTEGER, pages INTEGER) STRICT",
    [books, ratings])

  @Test func `a plan that tells what all steps make runs none of them on an empty database`() throws
  {
    let done = try Self.whole.apply(to: connection)
    let columns = try connection.value("SELECT count(*) FROM pragma_table_info('book')")
    let names = try connection.all("SELECT name FROM c_migration ORDER BY position") {
      (row) throws(SQLiteError) in row.text(0)
    }
    let version = try connection.userVersion()
    let pending = try Self.whole.pending(on: connection)
    #expect(done == ["0001-book", "0002-rating"])
    #expect(columns == .integer(3))
    #expect(names == done)
    #expect(version == 7)
    #expect(pending == [])
  }

  @Test func `what all steps make is not for a database that has something`() throws {
    try plan(Self.books).apply(to: connection)
    let done = try Self.whole.apply(to: connection)
    let columns = try connection.value("SELECT count(*) FROM pragma_table_info('book')")
    #expect(done == ["0002-rating"])
    #expect(columns == .integer(2))
  }

  @Test(arguments: ["CREATE TABLE half(a); CREATE TABLE half(a)", "CREATE TABLE half(a); ROLLBACK"])
  func `what cannot be made at once leaves nothing`(sql: String) throws {
    let broken = MigrationPlan(table: "c_migration", whole: sql, [Self.books])
    #expect(throws: SQLiteError.self) { try broken.apply(to: connection) }
    let tables = try connection.count("sqlite_schema")
    #expect(tables == .integer(0))
    #expect(!connection.isInTransaction)
  }

  @Test func `a step that is new runs on what is there`() throws {
    try plan(Self.books).apply(to: connection)
    try connection.run("INSERT INTO book VALUES (\("Momo"))")
    let done = try plan(Self.books, Self.ratings).apply(to: connection)
    #expect(done == ["0002-rating"])
    let rating = try connection.value("SELECT rating FROM book")
    #expect(rating == .null)
  }

  @Test func `looking what is pending writes nothing`() throws {
    _ = try plan(Self.books).pending(on: connection)
    let tables = try connection.count("sqlite_schema")
    #expect(tables == .integer(0))
  }

  @Test func `a step that was edited after it ran is named`() throws {
    try plan(Self.books).apply(to: connection)
    let edited = Migration("0001-book", "CREATE TABLE book(title TEXT, author TEXT) STRICT")
    let error = SQLiteError.migration(name: "0001-book", problem: .edited)
    #expect(throws: error) { try plan(edited).apply(to: connection) }
    #expect(
      error.description
        == "migration 0001-book was edited after it ran; undo the edit and add a new one")
  }

  @Test func `a database of a newer program is refused`() throws {
    try plan(Self.books, Self.ratings).apply(to: connection)
    let newer = SQLiteError.newerSchema(found: "0002-rating", newestKnown: "0001-book")
    #expect(throws: newer) { try plan(Self.books).apply(to: connection) }
    #expect(throws: newer) { try plan(Self.books).pending(on: connection) }
  }

  @Test func `a newer version in the header is refused`() throws {
    try plan(Self.books, version: 3).apply(to: connection)
    let version = try connection.userVersion()
    #expect(version == 3)
    try connection.setUserVersion(4)
    #expect(throws: SQLiteError.newerSchema(found: "schema 4", newestKnown: "schema 3")) {
      try plan(Self.books, version: 3).apply(to: connection)
    }
  }

  @Test func `a step that is put before one that ran is named`() throws {
    try plan(Self.ratings.renamed("0001-other", "CREATE TABLE other(a)")).apply(to: connection)
    #expect(throws: SQLiteError.migration(name: "0001-book", problem: .outOfOrder)) {
      try plan(Self.books, Self.ratings.renamed("0001-other", "CREATE TABLE other(a)"))
        .apply(to: connection)
    }
  }

  @Test func `a step that throws leaves the schema as it was, and can be tried again`() throws {
    let failing = Migration("0002-rating", Self.ratings.sql) { (connection) throws(SQLiteError) in
      try connection.run("UPDATE book SET rating = 3")
      throw .interrupted
    }
    try plan(Self.books).apply(to: connection)
    try connection.run("INSERT INTO book VALUES (\("Momo"))")
    #expect(throws: SQLiteError.interrupted) {
      try plan(Self.books, failing).apply(to: connection)
    }
    #expect(!connection.isInTransaction)
    let columns = try connection.prepare("SELECT * FROM book").columnCount
    let pending = try plan(Self.books, Self.ratings).pending(on: connection)
    #expect(columns == 1)
    #expect(pending == ["0002-rating"])
    try plan(Self.books, Self.ratings).apply(to: connection)
  }

  @Test func `statements of a step that fail half way are undone`() throws {
    let broken = Migration("0001-broken", "CREATE TABLE half(a); CREATE TABLE half(a)")
    #expect(throws: SQLiteError.sql(code: 1, message: "table half already exists")) {
      try plan(broken).apply(to: connection)
    }
    let tables = try connection.count("sqlite_schema")
    #expect(tables == .integer(0))
  }

  @Test func `a step may move data in code`() throws {
    let shout = Migration("0002-shout", "") { (connection) throws(SQLiteError) in
      let titles = try connection.all("SELECT title FROM book") { (row) throws(SQLiteError) in
        row.text(0)
      }
      for title in titles {
        try connection.run(
          "UPDATE book SET title = \(title.uppercased()) WHERE title = \(title)")
      }
    }
    try plan(Self.books).apply(to: connection)
    try connection.run("INSERT INTO book VALUES (\("Momo"))")
    try plan(Self.books, shout).apply(to: connection)
    let title = try connection.value("SELECT title FROM book")
    #expect(title == .text("MOMO"))
  }

  @Test func `a step that ends its transaction is named`() throws {
    let ending = Migration("0001-end", "CREATE TABLE book(a); COMMIT")
    #expect(throws: SQLiteError.migration(name: "0001-end", problem: .endedTransaction)) {
      try plan(ending).apply(to: connection)
    }
  }

  @Test func `two steps of one name are refused before anything runs`() throws {
    #expect(throws: SQLiteError.migration(name: "0001-book", problem: .nameTwice)) {
      try plan(Self.books, Self.books).apply(to: connection)
    }
  }

  @Test func `two plans with tables of their own share a database`() throws {
    try plan(Self.books).apply(to: connection)
    let queue = Migration("0001-task", "CREATE TABLE q_task(id INTEGER PRIMARY KEY) STRICT")
    let done = try MigrationPlan(table: "q_migration", [queue]).apply(to: connection)
    #expect(done == ["0001-task"])
  }

  @Test func `a migration waits for its turn and then sees what another one did`() throws {
    var configuration = Configuration()
    configuration.busyMilliseconds = 0
    let other = try folder.open("test.db", configuration)
    try connection.begin()
    #expect(throws: SQLiteError.busy(code: 5)) { try plan(Self.books).apply(to: other) }
    connection.rollback()
    try plan(Self.books).apply(to: connection)
    let done = try plan(Self.books).apply(to: other)
    #expect(done == [])
  }
}

extension Migration {
  fileprivate func renamed(_ name: String, _ sql: String) -> Migration { Migration(name, sql) }
}
