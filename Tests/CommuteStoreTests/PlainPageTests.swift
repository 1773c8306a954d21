import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A page whose records stay as they came leaves the same file as one that was read in full.
@Suite struct PlainPageTests {
  let plain: TemporaryStore
  let general: TemporaryStore
  let server = SmallServer()

  init() throws {
    plain = try TemporaryStore()
    general = try TemporaryStore()
  }

  private static let whole: FieldMap<FieldValue> = [
    "author": .text("Austen"), "rating": .null, "read": .boolean(true), "shelf": .text("wanted"),
    "tags": .list(["sf", "ü \u{1F600}"]), "title": .text("Emma"),
  ]

  private func put(_ number: UInt64, _ changes: FieldMap<FieldValue> = FieldMap()) {
    var fields = Self.whole
    for entry in changes.entries { fields[entry.name] = entry.value }
    server.put("book", id(number), feed: "books", fields)
  }

  /// Pulls everything into both files and compares what SQL finds in them.
  private func pull(counting count: Int) async throws {
    let tables = [
      "book", "c_unknown", "c_tombstone", "c_quarantine", "c_feed", "c_outbox", "c_base",
    ]
    for (folder, isPlain) in [(plain, true), (general, false)] {
      let store = try folder.open()
      try await store.subscribe(to: "books")
      let round = try await store.beginRound(batch: 0)
      let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
      let answer = isPlain ? try SyncAnswer(decodingPlain: bytes) : try SyncAnswer(decoding: bytes)
      #expect(answer.feeds[0].plain.records.count == (isPlain ? count : 0))
      _ = try await store.apply(answer, roundTrip: 10)
      await store.close()
    }
    for table in tables {
      let order: SQL = "SELECT * FROM \(name: table) ORDER BY 1, 2"
      let rows = try plain.rows(order)
      #expect(try rows == general.rows(order), "\(table)")
      if table == "book" || table == "c_feed" { #expect(!rows.isEmpty, "\(table)") }
    }
  }

  @Test func `whole records are stored alike`() async throws {
    for number in 1...150 { put(UInt64(number), ["rating": .integer(Int64(number))]) }
    put(151)
    put(152, ["tags": .list([]), "title": .text("")])
    put(153, ["title": .text("\"quoted\"\n")])
    try await pull(counting: 152)
  }

  @Test func `what has no column, or not all of them, is stored alike`() async throws {
    put(1)
    put(2, ["year": .integer(1815)])
    put(3, ["read": .integer(1)])
    put(4, ["read": .null])
    server.put("book", id(5), feed: "books", ["title": .text("Krabat")])
    server.put("film", id(6), feed: "books", Self.whole)
    server.put("book", id(7), feed: "books", [:], deleted: true)
    put(8)
    try await pull(counting: 7)
  }

  @Test func `a record that cannot be stored is kept aside alike`() async throws {
    for folder in [plain, general] {
      let store = try folder.open()
      await store.close()
      try folder.execute("CREATE UNIQUE INDEX one_title ON book(title)")
    }
    put(1)
    put(2)
    put(3, ["title": .text("Persuasion")])
    try await pull(counting: 3)
    #expect(try plain.value("SELECT count(*) FROM c_quarantine") == .integer(1))
    #expect(try plain.value("SELECT count(*) FROM book") == .integer(2))
  }

  @Test func `a record with a change of the device's own is merged with it`() async throws {
    let store = try plain.open()
    put(1)
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    put(1, ["title": .text("Emma, again"), "author": .text("J. A.")])
    try await store.syncAll(with: server)
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book?.rating == 5)
    #expect(book?.title == "Emma, again")
    #expect(
      server.records[RecordKey(table: "book", id: id(1))]?.state.fields["rating"]?.value
        == .integer(5))
  }

  @Test func `a record that comes back takes its tombstone away`() async throws {
    let store = try plain.open()
    server.put("book", id(1), feed: "books", [:], deleted: true)
    try await store.subscribe(to: "books")
    try await store.syncAll(with: server)
    #expect(try plain.value("SELECT count(*) FROM c_tombstone") == .integer(1))
    put(1)
    try await store.syncAll(with: server)
    #expect(try plain.value("SELECT count(*) FROM c_tombstone") == .integer(0))
    #expect(try plain.value("SELECT title FROM book") == .text("Emma"))
  }

  @Test func `a reset keeps plain records that it told`() async throws {
    let store = try plain.open()
    for number in 1...4 { put(UInt64(number)) }
    try await store.syncAll(with: server)
    server.put("book", id(4), feed: "books", [:], deleted: true)
    server.purge("book", id(4))
    try await store.syncAll(with: server)
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 3)
  }
}
