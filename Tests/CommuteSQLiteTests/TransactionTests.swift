import CommuteSQLite
import Foundation
import Testing

@Suite struct TransactionTests {
  struct Oops: Error {}

  private func add(_ title: String, to connection: Connection) throws(SQLiteError) {
    try connection.run("INSERT INTO book(title) VALUES (\(title))")
  }

  @Test func `a body that returns is committed, and its result is returned`() throws {
    let connection = try books()
    let row = try connection.transaction {
      try add("Momo", to: connection)
      return connection.lastInsertRowID
    }
    #expect(row == 1)
    #expect(!connection.isInTransaction)
    let count = try connection.count()
    #expect(count == .integer(1))
  }

  @Test func `a body that throws leaves nothing behind`() throws {
    let connection = try books()
    #expect(throws: Oops.self) {
      try connection.transaction {
        try add("Momo", to: connection)
        throw Oops()
      }
    }
    let count = try connection.count()
    #expect(count == .integer(0))
    #expect(!connection.isInTransaction)
  }

  @Test func `a closure that names its error gets that error`() throws {
    struct StoreError: CarriesSQLiteError {
      let inner: SQLiteError
      init(_ error: SQLiteError) { inner = error }
    }
    let connection = try books()
    func twice() throws(StoreError) {
      try connection.transaction { () throws(StoreError) in
        try connection.transaction { () throws(StoreError) in }
      }
    }
    let error = #expect(throws: StoreError.self) { try twice() }
    #expect(error?.inner == .misuse(reason: "a transaction is open; use a savepoint inside it"))
    #expect(!connection.isInTransaction)
  }

  @Test func `a part that throws is undone alone`() throws {
    let connection = try books()
    try connection.transaction {
      try add("kept before", to: connection)
      try? connection.savepoint {
        try add("undone", to: connection)
        try connection.savepoint { try add("undone with its part", to: connection) }
        throw Oops()
      }
      try connection.savepoint {
        try? connection.savepoint {
          try add("undone inside", to: connection)
          throw Oops()
        }
        try add("kept inside", to: connection)
      }
    }
    let titles = try connection.all("SELECT title FROM book ORDER BY id") { $0.text(0) }
    #expect(titles == ["kept before", "kept inside"])
  }

  @Test func `a savepoint needs a transaction`() throws {
    let connection = try books()
    #expect(throws: SQLiteError.misuse(reason: "a savepoint needs a transaction")) {
      try connection.savepoint { try add("Momo", to: connection) }
    }
  }

  @Test func `a broken rule undoes its statement only`() throws {
    let connection = try books()
    try connection.transaction {
      try add("Momo", to: connection)
      try? add("Momo", to: connection)
      try add("Jim Knopf", to: connection)
    }
    let count = try connection.count()
    #expect(count == .integer(2))
  }

  @Test func `a broken rule names table and columns`() throws {
    let connection = try books()
    try add("Momo", to: connection)
    try connection.execute(
      """
      CREATE TABLE loan(book INTEGER REFERENCES book, who TEXT, PRIMARY KEY (book, who)) STRICT;
      INSERT INTO loan VALUES (1, 'Gigi');
      CREATE TRIGGER calm BEFORE DELETE ON loan BEGIN SELECT RAISE(ABORT, 'loans stay'); END
      """)
    for (sql, kind, table, columns) in [
      ("INSERT INTO book(title) VALUES ('Momo')", .unique, "book", ["title"]),
      ("INSERT INTO book(id, title) VALUES (1, 'a')", .primaryKey, "book", ["id"]),
      ("INSERT INTO loan VALUES (1, 'Gigi')", .primaryKey, "loan", ["book", "who"]),
      ("INSERT INTO book(title) VALUES (NULL)", .notNull, "book", ["title"]),
      ("UPDATE book SET rating = 'five'", .datatype, "book", ["rating"]),
      ("UPDATE book SET rating = 6", .check, nil, ["rating BETWEEN 1 AND 5"]),
      ("DELETE FROM loan", .trigger, nil, []),
    ] as [(String, ConstraintFailure.Kind, String?, [String])] {
      let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
      guard case .constraint(let failure) = error else { throw error ?? .closed }
      #expect(failure.kind == kind, "\(sql)")
      #expect(failure.table == table, "\(sql)")
      #expect(failure.columns == columns, "\(sql)")
    }
  }

  @Test func `an error that ends the transaction ends all of it`() throws {
    let connection = try books()
    try connection.execute("PRAGMA max_page_count = 8")
    let long = String(repeating: "x", count: 40_000)
    #expect(throws: SQLiteError.full) {
      try connection.transaction {
        try add("before", to: connection)
        try? connection.savepoint { try add(long, to: connection) }
        #expect(connection.isInTransaction)
        // Would be kept, if SQLite's own way of giving up a transaction were left as it is.
        try add("after", to: connection)
      }
    }
    let count = try connection.count()
    #expect(count == .integer(0))
    try add("the connection can be used again", to: connection)
  }

  @Test func `a savepoint after the transaction was given up says why`() throws {
    let connection = try books()
    try connection.execute("PRAGMA max_page_count = 8")
    let long = String(repeating: "x", count: 40_000)
    try connection.begin()
    #expect(throws: SQLiteError.full) { try add(long, to: connection) }
    #expect(throws: SQLiteError.full) { try connection.savepoint {} }
    #expect(throws: SQLiteError.full) { try connection.commit() }
    #expect(!connection.isInTransaction)
  }

  @Test func `committing in the middle of a statement that writes is told`() throws {
    let connection = try books()
    try connection.begin()
    let insert = try connection.prepare("INSERT INTO book(title) VALUES ('Momo') RETURNING id")
    _ = try insert.step()
    let reason = "cannot commit transaction - SQL statements in progress"
    #expect(throws: SQLiteError.misuse(reason: reason)) { try connection.commit() }
    #expect(!connection.isInTransaction)
    let count = try connection.count()
    #expect(count == .integer(0))
  }

  @Test func `committing or beginning twice is told`() throws {
    let connection = try books()
    #expect(throws: SQLiteError.misuse(reason: "no transaction is open")) {
      try connection.commit()
    }
    connection.rollback()
    try connection.begin()
    #expect(throws: SQLiteError.self) { try connection.begin() }
    try connection.commit()
  }
}

@Suite struct LockingTests {
  let folder: TemporaryFolder
  let first: Connection
  let second: Connection

  init() throws {
    folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.busyMilliseconds = 0
    first = try folder.open("test.db", configuration)
    try first.execute("CREATE TABLE book(title TEXT)")
    second = try folder.open("test.db", configuration)
  }

  @Test func `one writes at a time, the other is told at once`() throws {
    try first.begin()
    let error = #expect(throws: SQLiteError.self) { try second.begin() }
    #expect(error == .busy(code: 5))
    #expect(error?.isRetryable == true)
    #expect(!second.isInTransaction)
    try first.commit()
    try second.transaction { try second.run("INSERT INTO book VALUES ('Momo')") }
    let count = try first.count()
    #expect(count == .integer(1))
  }

  @Test func `a reader keeps its snapshot while another writes`() throws {
    try second.begin(.deferred)
    let before = try second.count()
    try first.run("INSERT INTO book VALUES ('Momo')")
    let during = try second.count()
    #expect(before == .integer(0))
    #expect(during == .integer(0))
    // A snapshot that others have written past can no longer become a writer.
    #expect(throws: SQLiteError.busy(code: 5 | 2 << 8)) {
      try second.run("INSERT INTO book VALUES ('Jim Knopf')")
    }
    try second.commit()
    let after = try second.count()
    #expect(after == .integer(1))
  }

  @Test func `a statement left in the middle holds its snapshot until it is reset`() throws {
    try first.run("INSERT INTO book VALUES ('Momo'), ('Jim Knopf')")
    let left = try second.prepare("SELECT title FROM book")
    _ = try left.step()
    try first.run("DELETE FROM book")
    let held = try second.count()
    #expect(held == .integer(2))
    second.resetStatements()
    let free = try second.count()
    #expect(free == .integer(0))
  }

  @Test func `another connection's commit changes the data version, an own one does not`() throws {
    let start = try first.dataVersion()
    try first.run("INSERT INTO book VALUES ('Momo')")
    let own = try first.dataVersion()
    #expect(own == start)
    try second.run("INSERT INTO book VALUES ('Jim Knopf')")
    let other = try first.dataVersion()
    #expect(other != start)
  }

  @Test func `each transaction says whether its commit is on the disk`() throws {
    func synchronous() throws(SQLiteError) -> Int64? {
      try first.prepare("PRAGMA synchronous").firstInt64()
    }
    var seen: [Int64?] = []
    for wish in [nil, Synchronous.full, .full, .normal, nil] {
      try first.begin(.immediate, synchronous: wish)
      seen.append(try synchronous())
      try first.commit()
    }
    #expect(seen == [1, 2, 2, 1, 1])
  }
}
