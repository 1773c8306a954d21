import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// The book of an older app, which knows fewer columns.
private struct OldBook: Record {
  var id = RecordID.zero
  var title = ""

  static let table = Table("book", feed: "books", blank: OldBook()) {
    Column("title", \.title)
  }
}

/// The book of another app, to which a rating is a text.
private struct WordyBook: Record {
  var id = RecordID.zero
  var title = ""
  var rating = "none"

  static let table = Table("book", feed: "books", blank: WordyBook()) {
    Column("title", \.title)
    Column("rating", \.rating)
  }
}

private struct Note: Record {
  var id = RecordID.zero
  var text = ""

  static let table = Table("note", feed: "books", blank: Note()) {
    Column("text", \.text)
  }
}

@Suite struct SchemaTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  @Test func `fields that an app does not know are shown once it does`() async throws {
    let old = try folder.open([OldBook.table])
    server.put(
      "book", id(1), feed: "books",
      ["title": .text("Momo"), "rating": .integer(4), "tags": .list(["child"])])
    try await old.syncAll(with: server)
    try await old.write { tx in try tx.update(OldBook.self, id(1)) { $0.title = "Momo!" } }
    try await old.syncAll(with: server)
    await old.close()
    let new = try folder.open { $0.schemaVersion = 2 }
    let book = try await new.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book == Book(id: id(1), title: "Momo!", tags: ["child"], rating: 4))
    #expect(try folder.value("SELECT rating FROM book") == .integer(4))
    let held = server.records[RecordKey(table: "book", id: id(1))]
    #expect(held?.state.fields["rating"]?.value == .integer(4))
  }

  @Test func `a column that is new to a file takes its default`() async throws {
    let old = try folder.open([OldBook.table])
    try await old.write { tx in try tx.insert(OldBook(id: id(1), title: "Momo")) }
    await old.close()
    let new = try folder.open { $0.schemaVersion = 2 }
    let book = try await new.read { tx in try tx.fetch(Book.self, id(1)) }
    let changed = try await new.write { tx in
      try tx.update(Book.self, id(1)) { $0.shelf = .done }
    }
    #expect(book == Book(id: id(1), title: "Momo"))
    #expect(changed == ["shelf"])
  }

  @Test func `a value of the wrong kind is kept and not shown`() async throws {
    let store = try folder.open()
    server.put(
      "book", id(1), feed: "books", ["title": .text("Momo"), "rating": .text("five")])
    try await store.syncAll(with: server)
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    await store.close()
    let other = try folder.open([WordyBook.table]) { $0.schemaVersion = 2 }
    let wordy = try await other.read { tx in try tx.fetch(WordyBook.self, id(1)) }
    #expect(book == Book(id: id(1), title: "Momo"))
    #expect(wordy?.rating == "five")
  }

  @Test func `a null where the column allows none is kept as unknown`() async throws {
    let store = try folder.open()
    server.put("book", id(1), feed: "books", ["title": .null, "author": .text("Ende")])
    try await store.syncAll(with: server)
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book == Book(id: id(1), author: "Ende"))
  }

  @Test func `columns that an app drops come back with their values`() async throws {
    let full = try folder.open()
    try await full.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo", tags: ["child"], rating: 5))
    }
    try await full.syncAll(with: server)
    await full.close()
    let less = try folder.open([OldBook.table]) { $0.schemaVersion = 2 }
    try await less.write { tx in try tx.update(OldBook.self, id(1)) { $0.title = "Mumu" } }
    await less.close()
    let again = try folder.open { $0.schemaVersion = 3 }
    let book = try await again.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book == Book(id: id(1), title: "Mumu", tags: ["child"], rating: 5))
  }

  @Test func `records of a table that an app does not know are shown once it does`() async throws {
    let store = try folder.open()
    server.put("note", id(7), feed: "books", ["text": .text("read it twice")])
    server.put("note", id(8), feed: "books", ["text": .text("gone")], deleted: true)
    try await store.syncAll(with: server)
    let kept = try folder.value("SELECT count(*) FROM c_unknown")
    await store.close()
    let new = try folder.open([Book.table, Note.table]) { $0.schemaVersion = 2 }
    let note = try await new.read { tx in try tx.fetch(Note.self, id(7)) }
    #expect(kept == .integer(2))
    #expect(note?.text == "read it twice")
    #expect(try folder.value("SELECT count(*) FROM c_unknown") == .integer(0))
    #expect(try folder.value("SELECT id FROM c_tombstone") == .bytes(id(8).bytes))
  }

  @Test func `a table that an app drops keeps its pending changes in line`() async throws {
    let store = try folder.open([Book.table, Note.table])
    try await store.write { tx in try tx.insert(Note(id: id(7), text: "first")) }
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.update(Note.self, id(7)) { $0.text = "second" } }
    await store.close()
    let less = try folder.open { $0.schemaVersion = 2 }
    try await less.syncAll(with: server)
    await less.close()
    let again = try folder.open([Book.table, Note.table]) { $0.schemaVersion = 3 }
    let note = try await again.read { tx in try tx.fetch(Note.self, id(7)) }
    let held = server.records[RecordKey(table: "note", id: id(7))]
    #expect(note?.text == "second")
    #expect(held?.state.fields["text"]?.value == .text("second"))
  }

  @Test func `a rule that does not fit the column is refused by name`() throws {
    struct Counted: Record {
      var id = RecordID.zero
      var count = ""
      static let table = Table("counted", feed: "c", blank: Counted()) {
        Column("count", \.count, merge: .counter)
      }
    }
    let error = #expect(throws: StoreError.self) { try folder.open([Counted.table]) }
    #expect(error?.message.contains("counted.count is of the kind text") == true)
  }

  @Test func `names that SQL or the engine needs are refused`() throws {
    struct Odd: Record {
      var id = RecordID.zero
      var feed = ""
      static let table = Table("odd", feed: "c", blank: Odd()) { Column("feed", \.feed) }
    }
    struct Twice: Record {
      var id = RecordID.zero
      var one = ""
      static let table = Table("twice", feed: "c", blank: Twice()) {
        Column("one", \.one)
        Column("one", \.one)
      }
    }
    #expect(throws: StoreError.self) { try folder.open([Odd.table]) }
    #expect(throws: StoreError.declaration(reason: "twice.one is there twice; rename one")) {
      try folder.open([Twice.table])
    }
  }
}
