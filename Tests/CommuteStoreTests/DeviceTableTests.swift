import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// Tables of one device alone, indexes and unique keys: what no server knows of.
@Suite(.timeLimit(.minutes(2))) struct DeviceTableTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open(Library.tables)
  }

  @Test func `a local record is written and read, and neither stamped nor queued`() async throws {
    let server = SmallServer(tables: [Author.table.schema, Novel.table.schema])
    try await store.write { tx in
      try tx.insert(Draft(id: id(1), text: "one", line: 1))
      try tx.insert(Draft(id: id(2), text: "two", line: 2, about: id(9)))
    }
    let changed = try await store.write { tx in
      try tx.update(Draft.self, id(1)) { $0.text = "uno" }
    }
    let unchanged = try await store.write { tx in
      try tx.update(Draft(id: id(2), text: "two", line: 2, about: id(9)))
    }
    let deleted = try await store.write { tx in try tx.delete(Draft.self, id(2)) }
    let again = try await store.write { tx in try tx.delete(Draft.self, id(2)) }
    let drafts = try await store.read { tx in try tx.fetch(Draft.all) }
    #expect(changed == ["text"])
    #expect(unchanged == [])
    #expect(deleted)
    #expect(!again)
    #expect(drafts == [Draft(id: id(1), text: "uno", line: 1)])
    #expect(try folder.rows("SELECT * FROM draft").map(\.count) == [4])
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
    #expect(try folder.value("SELECT count(*) FROM c_tombstone") == .integer(0))
    try await store.syncAll(with: server)
    #expect(server.records.isEmpty)
    #expect(store.schema.tables.entries.map(\.name) == ["author", "novel"])
  }

  @Test func `a record of the server under a local table's name is kept apart`() async throws {
    let server = SmallServer()
    server.put("draft", id(1), feed: "library", ["text": .text("theirs")])
    try await store.write { tx in try tx.insert(Draft(id: id(1), text: "mine")) }
    try await store.syncAll(with: server)
    let draft = try await store.read { tx in try tx.fetch(Draft.self, id(1)) }
    #expect(draft?.text == "mine")
    #expect(try folder.value("SELECT tbl FROM c_unknown") == .text("draft"))
  }

  @Test func `local records are observed, searched and refused like others`() async throws {
    var seen: [[String]] = []
    for try await drafts in store.values(Draft.order(by: \.text)) {
      seen.append(drafts.map(\.text))
      if seen.count == 2 { break }
      try await store.write { tx in try tx.insert(Draft(id: id(1), text: "b", line: 4)) }
    }
    let found = try await store.read { tx in try tx.fetch(Draft.matching("B")) }
    #expect(seen == [[], ["b"]])
    #expect(found.map(\.id) == [id(1)])
    await #expect(throws: StoreError.refused(.exists(RecordKey(table: "draft", id: id(1))))) {
      try await store.write { tx in try tx.insert(Draft(id: id(1))) }
    }
    await #expect(throws: StoreError.refused(.noSuchRecord(RecordKey(table: "draft", id: id(5))))) {
      try await store.write { tx in try tx.update(Draft.self, id(5)) { $0.line = 1 } }
    }
    await #expect(throws: StoreError.value(table: "draft", column: "text", problem: .containsNUL)) {
      try await store.write { tx in try tx.insert(Draft(text: "a\u{0}")) }
    }
    await #expect(throws: StoreError.value(table: "draft", column: "text", problem: .containsNUL)) {
      try await store.write { tx in try tx.update(Draft.self, id(1)) { $0.text = "\u{0}" } }
    }
  }

  @Test func `a local table takes new columns and keeps its records`() async throws {
    try await store.write { tx in
      try tx.insert(Draft(id: id(1), text: "one", line: 1, about: id(3)))
    }
    await store.close()
    let newer = try folder.open([Author.table, Novel.table, NewerDraft.table])
    let read = try await newer.read { tx in try tx.fetch(NewerDraft.self, id(1)) }
    let found = try await newer.read { tx in try tx.fetch(NewerDraft.matching("one")) }
    #expect(read == NewerDraft(id: id(1), text: "one", line: "first", color: "red"))
    #expect(found.count == 1)
    await newer.close()
  }

  @Test func `a unique key that is taken names table, columns and who has it`() async throws {
    try await store.write { tx in
      try tx.insert(Novel(id: id(1), title: "a", isbn: "1"))
      try tx.insert(Novel(id: id(2), title: "b", isbn: "2"))
      try tx.insert(Novel(id: id(3), title: "c"))
      // Nothing is in nobody's way.
      try tx.insert(Novel(id: id(4), title: "d"))
      try tx.update(Novel.self, id(1)) { $0.title = "a again" }
    }
    let taken = StoreError.taken(table: "novel", columns: ["isbn"], by: id(1))
    await #expect(throws: taken) {
      try await store.write { tx in try tx.insert(Novel(title: "e", isbn: "1")) }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.update(Novel.self, id(2)) { $0.isbn = "1" } }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.set(\Novel.isbn, to: "1", on: id(3)) }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.save(Novel(id: id(8), isbn: "1")) }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.insertSeed(Novel(id: id(8), isbn: "1")) }
    }
    // What is let go in the same transaction is free.
    try await store.write { tx in
      try tx.set(\Novel.isbn, to: nil, on: id(1))
      try tx.set(\Novel.isbn, to: "1", on: id(2))
    }
    #expect(
      taken.message
        == "novel \(id(1).text) has the same isbn; change one of the two")
    let isbns = try folder.rows("SELECT isbn FROM novel ORDER BY id")
    #expect(isbns == [[.null], [.text("1")], [.null], [.null]])
  }

  @Test func `a key of several columns is taken only as a whole`() async throws {
    try await store.write { tx in
      try tx.insert(Draft(id: id(1), line: 1, about: id(9)))
      try tx.insert(Draft(id: id(2), line: 2, about: id(9)))
      try tx.insert(Draft(id: id(3), line: 1, about: id(8)))
      try tx.insert(Draft(id: id(4), line: 1))
      try tx.insert(Draft(id: id(5), line: 1))
    }
    let taken = StoreError.taken(table: "draft", columns: ["about", "line"], by: id(1))
    await #expect(throws: taken) {
      try await store.write { tx in try tx.set(\Draft.line, to: 1, on: id(2)) }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.insert(Draft(line: 1, about: id(9))) }
    }
  }

  @Test func `what others wrote is taken though it breaks a key of this device`() async throws {
    let server = SmallServer()
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "mine", isbn: "1")) }
    server.put("novel", id(2), feed: "library", ["title": .text("theirs"), "isbn": .text("1")])
    try await store.syncAll(with: server)
    #expect(try folder.value("SELECT count(*) FROM novel WHERE isbn = '1'") == .integer(2))
    #expect(try folder.value("SELECT count(*) FROM c_quarantine") == .integer(0))
  }

  @Test func `indexes are made as declared, used, and taken away`() async throws {
    let plan = try folder.rows(
      "EXPLAIN QUERY PLAN SELECT id FROM novel WHERE author = x'00' ORDER BY title")
    guard case .text(let step)? = plan.first?.last else {
      Issue.record("\(plan)")
      return
    }
    #expect(step.contains("c_index-novel-author-title"))
    #expect(plan.count == 1)
    await store.close()
    let names: SQL = "SELECT name FROM sqlite_schema WHERE name GLOB 'c_index*' ORDER BY name"
    #expect(
      try folder.rows(names).map { $0[0] } == [
        .text("c_index-author-mentor"), .text("c_index-draft-about-line"),
        .text("c_index-novel-author-title"), .text("c_index-novel-isbn"),
      ])
    let fewer = try folder.open([Author.table])
    await fewer.close()
    #expect(try folder.rows(names) == [[.text("c_index-author-mentor")]])
    #expect(try folder.value("PRAGMA integrity_check") == .text("ok"))
  }

  @Test func `a declaration that cannot be used is named`() throws {
    let cases: [(any TableDeclaration, String)] = [
      (Wrong.index, "\\Wrong.note in Index is no column of wrong; declare it in the table"),
      (Wrong.search, "wrong.number has no words to search; leave it out"),
      (Wrong.twice, "wrong declares two searches; declare one with all columns"),
      (Wrong.empty, "wrong declares Unique() of no column; name one"),
    ]
    for (table, words) in cases {
      let error = #expect(throws: StoreError.self) { _ = try folder.open([table]) }
      #expect(error?.message == words)
    }
  }
}

/// The draft of a newer app: a column more, one of another kind, one gone.
private struct NewerDraft: Record, Equatable {
  var id = RecordID.zero
  var text = ""
  var line = "first"
  var color = "red"

  static let table = Table(local: "draft", blank: NewerDraft()) {
    Column("text", \.text)
    Column("line", \.line)
    Column("color", \.color)
    Search(\.text)
  }
}

private struct Wrong: Record {
  var id = RecordID.zero
  var text = ""
  var number = 0
  var note = ""

  static var table: Table<Wrong> { index }

  static let index = Table("wrong", feed: "w", blank: Wrong()) {
    Column("text", \.text)
    Index(\.text, \.note)
  }
  static let search = Table("wrong", feed: "w", blank: Wrong()) {
    Column("number", \.number)
    Search(\.number)
  }
  static let twice = Table("wrong", feed: "w", blank: Wrong()) {
    Column("text", \.text)
    Search(\.text)
    Search(\.text)
  }
  static let empty = Table("wrong", feed: "w", blank: Wrong()) {
    Column("text", \.text)
    Unique()
  }
}
