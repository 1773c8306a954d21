import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

private struct Note: Record {
  var id = RecordID.zero
  var text = ""

  static let table = Table("note", feed: "notes", blank: Note()) { Column("text", \.text) }
}

/// A record that cannot be applied stands aside by name, whatever brought it, and comes back.
@Suite struct QuarantineTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open()
    server.put("book", id(1), feed: "books", ["title": .text("Momo")])
    server.put("book", id(2), feed: "books", ["title": .text("Krabat")])
    try await store.syncAll(with: server)
    // Only somebody outside can make an index like this.
    try folder.execute("CREATE UNIQUE INDEX one ON book(title)")
  }

  /// Lets the server tell a title that the index forbids.
  private func clash() {
    server.put("book", id(2), feed: "books", ["title": .text("Momo")])
  }

  private func book(_ number: UInt64, in store: Store) async throws -> Book? {
    try await store.read { tx in try tx.fetch(Book.self, id(number)) }
  }

  /// A round whose answer brings verdicts and no pages.
  private func verdicts(_ store: Store) async throws -> AppliedRound {
    let round = try await store.beginRound(batch: 10)
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    var answer = try SyncAnswer(decoding: bytes)
    answer.feeds = []
    return try await store.apply(answer, roundTrip: 10)
  }

  @Test func `a verdict's record that cannot be applied fails nobody else`() async throws {
    clash()
    try await store.write { tx in
      try tx.update(Book.self, id(2)) { $0.rating = 4 }
      try tx.insert(Book(id: id(3), title: "Jim Button"))
    }
    let applied = try await verdicts(store)
    let counts = try await store.counts()
    #expect(applied.reading == .apply)
    #expect(applied.settled == 2)
    #expect(applied.quarantined == 1)
    #expect(counts == StoreCounts(quarantined: 1))
    let kept = try folder.rows("SELECT tbl, id, feed, revision FROM c_quarantine")
    #expect(kept == [[.text("book"), .bytes(id(2).bytes), .text("books"), .integer(4)]])
    let shown = try await book(2, in: store)
    #expect(shown == Book(id: id(2), title: "Krabat", rating: 4))
    server.put("book", id(2), feed: "books", ["title": .text("Mumu")])
    try await store.syncAll(with: server)
    let after = try await store.counts()
    let again = try await book(2, in: store)
    #expect(after == StoreCounts())
    #expect(again == Book(id: id(2), title: "Mumu", rating: 4))
  }

  @Test func `changes behind the operation stay in line`() async throws {
    clash()
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.rating = 4 } }
    let round = try await store.beginRound(batch: 10)
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.read = true } }
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    let applied = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    let counts = try await store.counts()
    #expect(applied.settled == 1)
    #expect(counts.waiting == 1)
    try folder.execute("DROP INDEX one")
    try await store.syncAll(with: server)
    let shown = try await book(2, in: store)
    let after = try await store.counts()
    #expect(shown == Book(id: id(2), title: "Momo", read: true, rating: 4))
    #expect(after == StoreCounts())
  }

  @Test func `a change over what stood aside writes the whole row, or none of it`() async throws {
    clash()
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.rating = 4 } }
    let round = try await store.beginRound(batch: 10)
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.read = true } }
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    _ = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    // Base says Momo by now, the row still Krabat.
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.update(Book.self, id(2)) { $0.author = "Ende" } }
    }
    #expect(try folder.value("SELECT title FROM book WHERE id = \(id(2))") == .text("Krabat"))
    try folder.execute("DROP INDEX one")
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.author = "Ende" } }
    #expect(
      try folder.rows("SELECT title, author, rating, read FROM book WHERE id = \(id(2))")
        == [[.text("Momo"), .text("Ende"), .integer(4), .integer(1)]])
  }

  @Test func `a verdict's record that can be applied ends what stood aside`() async throws {
    clash()
    try await store.syncAll(with: server)
    try folder.execute("DROP INDEX one")
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.rating = 4 } }
    let before = try await store.counts()
    _ = try await verdicts(store)
    let after = try await store.counts()
    let shown = try await book(2, in: store)
    #expect(before.quarantined == 1)
    #expect(after == StoreCounts())
    #expect(shown == Book(id: id(2), title: "Momo", rating: 4))
  }

  @Test func `a changed app tries again what stands aside`() async throws {
    clash()
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.rating = 4 } }
    await store.close()
    try folder.execute("DROP INDEX one")
    let same = try folder.open()
    let waiting = try await same.counts()
    await same.close()
    let changed = try folder.open([Book.table, Note.table]) { $0.schemaVersion = 2 }
    let counts = try await changed.counts()
    let shown = try await book(2, in: changed)
    #expect(waiting.quarantined == 1)
    #expect(counts == StoreCounts(waiting: 1))
    #expect(shown == Book(id: id(2), title: "Momo", rating: 4))
    try await changed.syncAll(with: server)
    let held = server.records[RecordKey(table: "book", id: id(2))]?.state
    #expect(held?.fields["title"]?.value == .text("Momo"))
    #expect(held?.fields["rating"]?.value == .integer(4))
  }

  @Test func `what still cannot be applied stands aside, and the file opens`() async throws {
    clash()
    server.put(
      "book", id(4), feed: "books", ["title": .text("Krabat"), "rating": .integer(3)])
    try await store.syncAll(with: server)
    await store.close()
    // The new index forbids the one still, and not the other.
    try folder.execute("UPDATE c_quarantine SET reason = 'earlier'")
    try folder.execute(
      "DROP INDEX one; CREATE UNIQUE INDEX two ON book(title) WHERE rating IS NULL")
    let changed = try folder.open { $0.schemaVersion = 2 }
    let counts = try await changed.counts()
    let kept = try folder.rows("SELECT id, reason = 'earlier' FROM c_quarantine")
    let books = try await changed.read { tx in try tx.fetch(Book.order(by: \.title)) }
    #expect(counts.quarantined == 1)
    #expect(kept == [[.bytes(id(2).bytes), .integer(0)]])
    #expect(books.map(\.title) == ["Krabat", "Krabat", "Momo"])
  }

  @Test func `what is older than the record by now is dropped`() async throws {
    clash()
    try await store.syncAll(with: server)
    await store.close()
    try folder.execute(
      "DROP INDEX one; CREATE TABLE kept AS SELECT * FROM c_quarantine")
    server.put("book", id(2), feed: "books", ["title": .text("Newer")])
    let again = try folder.open()
    try await again.syncAll(with: server)
    await again.close()
    try folder.execute("INSERT INTO c_quarantine SELECT * FROM kept")
    let changed = try folder.open { $0.schemaVersion = 2 }
    let counts = try await changed.counts()
    let shown = try await book(2, in: changed)
    #expect(counts.quarantined == 0)
    #expect(shown?.title == "Newer")
  }
}
