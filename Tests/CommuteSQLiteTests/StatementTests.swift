import CommuteSQLite
import Testing

@Suite struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(.memory)
    try connection.execute("CREATE TABLE kept(value)")
  }

  private func roundTrip(_ value: SQLValue) throws(SQLiteError) -> SQLValue {
    let insert = try connection.statement("INSERT INTO kept VALUES (?) RETURNING value")
    insert.bind(value, at: 1)
    return try insert.first { (row) throws(SQLiteError) in row.value(0) } ?? .null
  }

  @Test(arguments: [
    SQLValue.null, .integer(.min), .integer(.max), .real(-0.5), .real(.infinity), .text(""),
    .text("a\u{0}b"), .text("naïve 日本 👩‍👩‍👧"),
    .text(String(repeating: "long ", count: 9_999)), .bytes([]),
    .bytes([0, 255, 0]), .bytes([UInt8](repeating: 7, count: 100_000)),
  ])
  func `what is bound is read back`(value: SQLValue) throws {
    let read = try roundTrip(value)
    #expect(read == value)
  }

  @Test func `a key of two numbers is sixteen bytes, the most significant first`() throws {
    let read = try roundTrip(.pair(high: 0x0102_0304_0506_0708, low: 0xfffe_fdfc_fbfa_f9f8))
    #expect(read == .bytes([1, 2, 3, 4, 5, 6, 7, 8, 255, 254, 253, 252, 251, 250, 249, 248]))
    let pair = try connection.first("SELECT value FROM kept") { row in row.pair(0) }
    #expect(try #require(pair)?.high == 0x0102_0304_0506_0708)
    let short = try connection.first("SELECT x'0102'") { row in row.pair(0) == nil }
    #expect(short == true)
  }

  @Test func `a number that is none is refused instead of becoming null`() throws {
    #expect(throws: SQLiteError.refusedValue(parameter: 1, reason: "it is not a number")) {
      try roundTrip(.real(.nan))
    }
    let next = try roundTrip(.real(2))
    #expect(next == .real(2))
  }

  @Test func `a parameter that is not there is reported`() throws {
    let statement = try connection.prepare("SELECT ?1")
    statement.bind(1, at: 1)
    statement.bind(2, at: 2)
    let misuse = SQLiteError.misuse(reason: "the statement has no parameter 2")
    #expect(throws: misuse) { try statement.step() }
  }

  @Test func `parameters are null again in the next run`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    statement.bind("one", at: 1)
    statement.bind("two", at: 2)
    try statement.run()
    statement.bind("three", at: 1)
    let row = try statement.first { row in [row.text(0), row.text(1)] }
    #expect(row == ["three", ""])
  }

  @Test func `binding in the middle of the rows is reported`() throws {
    let statement = try connection.prepare("SELECT ?1 UNION ALL SELECT ?1")
    statement.bind(1, at: 1)
    _ = try statement.step()
    statement.bind(2, at: 1)
    let misuse = SQLiteError.misuse(reason: "parameter 1 was bound in the middle of a run")
    #expect(throws: misuse) { try statement.step() }
  }

  @Test func `many texts keep their place while the statement runs`() throws {
    let columns = (1...200).map { "?\($0)" }.joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(columns)")
    for round in 0..<3 {
      for index in 1...200 { statement.bind("text \(round) number \(index)", at: index) }
      let texts = try statement.first { row in (0..<200).map { row.text($0) } }
      #expect(texts == (1...200).map { "text \(round) number \($0)" })
    }
  }

  @Test func `a column says what it holds`() throws {
    let kinds = try connection.first("SELECT NULL, 1, 1.5, 'a', x'00'") { row in
      (0..<6).map { row.kind($0) }
    }
    #expect(kinds == [.null, .integer, .real, .text, .bytes, .null])
  }

  @Test func `bytes are lent without a copy`() throws {
    let sum = try connection.first("SELECT x'010203'") { row in
      row.withBytes(0) { bytes in bytes.reduce(0) { $0 + Int($1) } }
    }
    #expect(sum == 6)
  }

  @Test func `a text must hold exactly one statement`() throws {
    for (sql, problem) in [
      ("", "holds no statement"), ("  -- nothing", "holds no statement"),
      ("SELECT 1; SELECT 2", "holds more than one statement"),
    ] {
      #expect(throws: SQLiteError.misuse(reason: "the text \(problem)")) {
        try connection.prepare(sql)
      }
    }
    _ = try connection.prepare("SELECT 1; -- that is all\n ;")
    #expect(throws: SQLiteError.misuse(reason: "the text of a statement holds NUL")) {
      try connection.prepare("SELECT 1\u{0}")
    }
  }

  @Test func `a statement that does not compile says why`() throws {
    let unknown = SQLiteError.sql(code: 1, message: "no such table: shelf")
    #expect(throws: unknown) { try connection.prepare("SELECT * FROM shelf") }
  }

  @Test func `a name in double quotes is never taken for a text`() throws {
    #expect(throws: SQLiteError.sql(code: 1, message: "no such column: nowhere")) {
      try connection.prepare("SELECT \"nowhere\" FROM kept")
    }
  }

  @Test func `a kept statement is compiled once, and again only while it is in its rows`() throws {
    func kept() throws(SQLiteError) -> Statement { try connection.statement("VALUES (1), (2)") }
    let first = try kept()
    let second = try kept()
    #expect(first === second)
    _ = try first.step()
    let nested = try kept()
    #expect(nested !== first)
    first.reset()
    let again = try kept()
    #expect(again === first)
  }

  @Test func `statements by text are kept, but not without end`() throws {
    let first = try connection.statement(text: "SELECT 0")
    let second = try connection.statement(text: "SELECT 0")
    #expect(first === second)
    for number in 1...300 { _ = try connection.statement(text: "SELECT \(number)") }
    let third = try connection.statement(text: "SELECT 0")
    #expect(third !== first)
  }

  @Test func `an error ends the run and the statement can be used again`() throws {
    let statement = try connection.prepare("SELECT abs(?1)")
    statement.bind(Int64.min, at: 1)
    #expect(throws: SQLiteError.sql(code: 1, message: "integer overflow")) { try statement.step() }
    statement.bind(-3, at: 1)
    let value = try statement.firstInt64()
    #expect(value == 3)
  }

  @Test func `a closure that throws ends the run`() throws {
    struct Enough: Error {}
    let statement = try connection.prepare("VALUES (1), (2), (3)")
    #expect(throws: Enough.self) { try statement.forEach { _ in throw Enough() } }
    #expect(!statement.isRunning)
  }

  @Test func `a message never quotes what was bound`() throws {
    try connection.execute("CREATE VIRTUAL TABLE search USING fts5(body)")
    for secret in ["pass\"word", "secret:x", "AND secret"] {
      let statement = try connection.prepare("SELECT * FROM search WHERE search MATCH ?1")
      statement.bind(secret, at: 1)
      let error = #expect(throws: SQLiteError.self) { try statement.step() }
      #expect(!"\(String(describing: error))".contains("secret"))
      #expect(!"\(String(describing: error))".contains("word"))
    }
  }
}
