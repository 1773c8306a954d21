import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

private struct Measure: Record {
  var id = RecordID.zero
  var value = 0.0
  var note = ""
  var words: [String] = []

  static let table = Table("measure", feed: "m", blank: Measure()) {
    Column("value", \.value)
    Column("note", \.note)
    Column("words", \.words)
  }
}

private struct Message: Record {
  var id = RecordID.zero
  var text = ""

  static let table = Table("message", blank: Message()) { Column("text", \.text) }
}

@Suite struct RefusalTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table, Measure.table, Message.table])
  }

  private func refusal(_ measure: Measure) async throws -> StoreError? {
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(measure) }
    }
  }

  @Test func `values that cannot be kept name table and column`() async throws {
    let nan = try await refusal(Measure(value: .nan))
    let infinite = try await refusal(Measure(value: -.infinity))
    let nul = try await refusal(Measure(note: "a\0b"))
    let listed = try await refusal(Measure(words: ["fine", "\0"]))
    let long = try await refusal(Measure(note: String(repeating: "x", count: 262_145)))
    #expect(nan == .value(table: "measure", column: "value", problem: .notFinite))
    #expect(infinite == .value(table: "measure", column: "value", problem: .notFinite))
    #expect(nul == .value(table: "measure", column: "note", problem: .containsNUL))
    #expect(listed == .value(table: "measure", column: "words", problem: .containsNUL))
    #expect(
      long
        == .value(
          table: "measure", column: "note", problem: .tooLong(bytes: 262_145, limit: 262_144)))
    #expect(nan?.message == "measure.value cannot hold a number that is not finite")
    #expect(try folder.value("SELECT count(*) FROM measure") == .integer(0))
  }

  @Test func `a change to a value that cannot be kept leaves the record`() async throws {
    try await store.write { tx in try tx.insert(Measure(id: id(1), note: "fine")) }
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.update(Measure.self, id(1)) { $0.note = "\0" } }
    }
    let note = try await store.read { tx in try tx.fetch(Measure.self, id(1))?.note }
    #expect(note == "fine")
  }

  @Test func `a record that is not there cannot be changed`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.update(Book.self, id(9)) { $0.title = "x" } }
    }
    #expect(error == .refused(.noSuchRecord(RecordKey(table: "book", id: id(9)))))
  }

  @Test func `an id that is taken cannot be inserted again`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(Book(id: id(1), title: "Mumu")) }
    }
    #expect(error == .refused(.exists(RecordKey(table: "book", id: id(1)))))
  }

  @Test(
    arguments: [
      ("INSERT INTO book(id) VALUES (x'00')", "tx.insert"),
      ("UPDATE book SET title = ''", "tx.update"),
      ("DELETE FROM book", "tx.delete"), ("DELETE FROM c_outbox", "tx.delete"),
    ] as [(SQL, String)])
  func `synced and engine tables are not written by SQL`(sql: SQL, call: String) async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.execute(sql) }
    }
    #expect(error?.message.contains(call) == true)
  }

  @Test(
    arguments: [
      "DROP TABLE book", "CREATE UNIQUE INDEX one ON book(title)", "COMMIT", "PRAGMA user_version",
      "ATTACH 'x' AS y", "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END",
    ] as [SQL])
  func `what would break the engine is refused`(sql: SQL) async throws {
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.execute(sql) }
    }
  }

  @Test func `an app's own tables are its own`() async throws {
    let names = try await store.write { tx in
      try tx.execute("CREATE TABLE draft(name TEXT)")
      try tx.execute("INSERT INTO draft VALUES (\("a'; DROP TABLE book"))")
      return try tx.rows("SELECT name FROM draft") { (row) throws(StoreError) in row.text(0) }
    }
    #expect(names == ["a'; DROP TABLE book"])
  }

  @Test func `a raw value that this version has no case for names its column`() async throws {
    let server = SmallServer()
    server.put("book", id(3), feed: "books", ["title": .text("Momo"), "shelf": .text("lent")])
    try await store.syncAll(with: server)
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Book.self, id(3)) }
    }
    #expect(error == .value(table: "book", column: "shelf", problem: .notUnderstood))
  }

  @Test func `a type whose table was not declared is refused`() async throws {
    struct Stranger: Record {
      var id = RecordID.zero
      static let table = Table("stranger", feed: "s", blank: Stranger()) {}
    }
    await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Stranger.self, id(1)) }
    }
  }

  @Test func `records of a table without a feed need one`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(Message(text: "hello")) }
    }
    try await store.write { tx in
      try tx.insert(Message(id: id(1), text: "hello"), feed: "conversation/42")
    }
    #expect(error?.message.contains("need a feed") == true)
    #expect(try folder.value("SELECT feed FROM message") == .text("conversation/42"))
  }

  @Test func `everything is an error after closing`() async throws {
    await store.close()
    await #expect(throws: StoreError.closed) {
      try await store.write { tx in try tx.insert(Book(title: "x")) }
    }
    await #expect(throws: StoreError.closed) {
      try await store.read { tx in try tx.count(Book.all) }
    }
    await #expect(throws: StoreError.closed) { try await store.beginRound(batch: 1) }
    var seen = 0
    do {
      for try await _ in store.values(Book.all) { seen += 1 }
    } catch {
      #expect(error as? StoreError == .closed)
    }
    #expect(seen == 0)
    await store.close()
  }
}
