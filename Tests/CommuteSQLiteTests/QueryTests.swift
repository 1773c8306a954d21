import CommuteSQLite
import Testing

@Suite struct QueryTests {
  let connection: Connection

  init() throws {
    connection = try books()
    for title in ["Momo", "Jim Knopf", "Krabat"] {
      try connection.run("INSERT INTO book(title) VALUES (\(title))")
    }
  }

  private func titles(_ sql: SQL) throws -> [String] {
    try connection.all(sql) { $0.text(0) }
  }

  @Test func `a value is bound and never becomes text`() throws {
    let hostile = "Momo' OR 1 = 1; DROP TABLE book; --"
    let sql: SQL = "SELECT title FROM book WHERE title = \(hostile)"
    #expect(sql.text == "SELECT title FROM book WHERE title = ?")
    #expect(sql.arguments == [.text(hostile)])
    let found = try titles(sql)
    #expect(found == [])
    try connection.run("UPDATE book SET title = \(hostile) WHERE title = \("Momo")")
    let renamed = try titles("SELECT title FROM book WHERE title = \(hostile)")
    #expect(renamed == [hostile])
  }

  @Test func `a list becomes a list of parameters`() throws {
    let wanted = ["Momo", "Krabat", "Peter Pan"]
    let found = try titles("SELECT title FROM book WHERE title IN \(wanted) ORDER BY title")
    #expect(found == ["Krabat", "Momo"])
    let none = try titles("SELECT title FROM book WHERE title IN \([] as [String])")
    #expect(none == [])
  }

  @Test func `pieces are put together with their values`() throws {
    var sql: SQL = "SELECT title FROM \(name: "book") WHERE \("title" as SQL) > \("J")"
    sql += " AND title < \("L")"
    let found = try titles(sql + " ORDER BY title DESC LIMIT \(1)")
    #expect(found == ["Krabat"])
  }

  @Test func `a name with quotes is still one name`() throws {
    let name = "odd\" name; --"
    try connection.run("CREATE TABLE \(name: name)(a)")
    let count = try connection.count(name)
    #expect(count == .integer(0))
  }

  @Test func `every kind of value is bound as what it is`() throws {
    let nothing: Int? = nil
    let row = try connection.first(
      """
      SELECT \(1), \(Int64.min), \(true), \(2.5), \("a"), \([1, 2] as [UInt8]), \(nothing),
        \(UInt32.max), \(Int32.min), \("b".dropFirst(0)), \(SQLValue.pair(high: 0, low: 1))
      """
    ) { row in (0..<11).map { row.value($0) } }
    #expect(
      row == [
        .integer(1), .integer(.min), .integer(1), .real(2.5), .text("a"), .bytes([1, 2]), .null,
        .integer(4_294_967_295), .integer(-2_147_483_648), .text("b"),
        .bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
      ])
  }

  @Test func `running tells how many rows changed`() throws {
    let changed = try connection.run("UPDATE book SET rating = \(5) WHERE title <> \("Momo")")
    let read = try connection.run("SELECT \(1)")
    #expect(changed == 2)
    #expect(read == 0)
    #expect(connection.totalChanges == 5)
  }

  @Test func `the same query inside itself gives all pairs`() throws {
    var pairs = 0
    for _ in try titles("SELECT title FROM book") {
      try connection.statement("SELECT title FROM book").forEach { _ in
        try connection.statement("SELECT title FROM book").forEach { _ in pairs += 1 }
      }
    }
    #expect(pairs == 27)
  }

  @Test func `no row gives nothing`() throws {
    let row = try connection.first("SELECT title FROM book WHERE id = \(99)") { $0.text(0) }
    let value = try connection.value("SELECT title FROM book WHERE id = \(99)")
    #expect(row == nil)
    #expect(value == .null)
  }
}

@Suite struct AccessTests {
  let connection: Connection

  init() throws {
    connection = try books()
    try connection.execute("CREATE VIEW good AS SELECT title FROM book WHERE rating > 3")
  }

  @Test func `a checked statement tells what it touches`() throws {
    let statement = try connection.statement(
      "SELECT title FROM book WHERE rating = \(5)", isChecked: true)
    #expect(
      Set(statement.accesses) == [
        Access(.select), Access(.read(table: "book", column: "title")),
        Access(.read(table: "book", column: "rating")),
      ])
    let counting = try connection.statement(text: "SELECT count(*) FROM book", isChecked: true)
    #expect(counting.accesses.contains(Access(.read(table: "book", column: ""))))
    let unchecked = try connection.statement(text: "SELECT title FROM book")
    #expect(unchecked.accesses == [])
  }

  @Test func `a view tells what lies behind it`() throws {
    let statement = try connection.statement(text: "SELECT * FROM good", isChecked: true)
    let behind = Access(.read(table: "book", column: "rating"), within: "good")
    #expect(statement.accesses.contains(behind))
  }

  @Test func `what the authorizer forbids is refused by name`() throws {
    connection.authorizer = { access in
      switch access.action {
      case .insert("book"), .update("book", _), .delete("book"), .schema, .pragma, .attach: .deny
      default: .allow
      }
    }
    for (sql, access) in [
      ("INSERT INTO book(title) VALUES ('a')", Access(.insert(table: "book"))),
      ("UPDATE book SET title = 'a'", Access(.update(table: "book", column: "title"))),
      ("DELETE FROM book", Access(.delete(table: "book"))),
      ("PRAGMA synchronous = 0", Access(.pragma(name: "synchronous"))),
      ("ATTACH 'other.db' AS other", Access(.attach)),
    ] {
      #expect(throws: SQLiteError.denied(access)) {
        try connection.statement(text: sql, isChecked: true)
      }
    }
    let error = SQLiteError.denied(Access(.update(table: "book", column: "title")))
    #expect(error.description == "the statement must not update book.title")
  }

  @Test func `the program's own statements are not asked about`() throws {
    connection.authorizer = { _ in .deny }
    let own = "INSERT INTO book(title) VALUES ('Momo')"
    try connection.statement(text: own).run()
    #expect(throws: SQLiteError.self) {
      try connection.statement(text: own, isChecked: true)
    }
    // A change of the schema makes SQLite compile it again.
    let kept = try connection.prepare("UPDATE book SET rating = 4")
    try connection.execute("ALTER TABLE book ADD COLUMN author TEXT")
    try kept.run()
    #expect(connection.changes == 1)
  }

  @Test func `a column that is ignored reads as null`() throws {
    try connection.run("INSERT INTO book(title) VALUES ('Momo')")
    connection.authorizer = { access in
      access.action == .read(table: "book", column: "title") ? .ignore : .allow
    }
    let sql = "SELECT title, id FROM book"
    let row = try connection.statement(text: sql, isChecked: true).first { row in
      [row.value(0), row.value(1)]
    }
    #expect(row == [.null, .integer(1)])
  }
}
