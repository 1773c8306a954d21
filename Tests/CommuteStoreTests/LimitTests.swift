import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

private struct Page: Record, Equatable {
  var id = RecordID.zero
  var one = ""
  var two = ""
  var three = ""
  var four = ""
  var five = ""

  static let table = Table("page", blank: Page()) {
    Column("one", \.one)
    Column("two", \.two)
    Column("three", \.three)
    Column("four", \.four)
    Column("five", \.five)
  }
}

/// Limits are held where data enters, in the bytes that go over the wire.
@Suite struct LimitTests {
  let folder: TemporaryStore
  let store: Store
  let full = String(repeating: "x", count: Limits.textBytes)

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table, Page.table])
  }

  private func expectTooLarge(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try body(tx) }
    }
    guard case .recordTooLarge(let key, let bytes, let limit) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key == RecordKey(table: "page", id: id(1)))
    #expect(limit == 1_048_576)
    #expect(bytes > limit)
    #expect(error?.message.contains("page \(id(1).text) would take \(bytes) bytes") == true)
    #expect(error?.message.contains("at most 1048576") == true)
  }

  @Test func `a record that is too large cannot be added`() async throws {
    let full = full
    try await expectTooLarge { tx in
      try tx.insert(Page(id: id(1), one: full, two: full, three: full, four: full), feed: "pages")
    }
    #expect(try folder.value("SELECT count(*) FROM page") == .integer(0))
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }

  @Test func `a seed that is too large cannot be added`() async throws {
    let full = full
    try await expectTooLarge { tx in
      try tx.insertSeed(
        Page(id: id(1), one: full, two: full, three: full, four: full), feed: "pages")
    }
  }

  @Test func `changes that add up to too large a record are refused, and the record stays`()
    async throws
  {
    let full = full
    try await store.write { tx in
      try tx.insert(Page(id: id(1), one: full, two: full, three: full), feed: "pages")
    }
    try await expectTooLarge { tx in try tx.update(Page.self, id(1)) { $0.four = full } }
    let page = try await store.read { tx in try tx.fetch(Page.self, id(1)) }
    #expect(page?.four == "")
    try await store.write { tx in try tx.update(Page.self, id(1)) { $0.four = "fits" } }
  }

  @Test func `what counts is the size on the wire`() async throws {
    // Six bytes each on the wire: 180,000 bytes in memory are more than a mebibyte there.
    let controls = String(repeating: "\u{1}", count: 90_000)
    try await expectTooLarge { tx in
      try tx.insert(Page(id: id(1), one: controls, two: controls), feed: "pages")
    }
  }

  @Test func `what merging made too large takes writes that make it smaller`() async throws {
    let server = SmallServer()
    let fields: FieldMap<FieldValue> = [
      "one": .text(full), "two": .text(full), "three": .text(full), "four": .text(full),
      "five": .text("five"),
    ]
    server.put("page", id(1), feed: "books", fields)
    try await store.syncAll(with: server)
    let full = full
    try await expectTooLarge { tx in try tx.update(Page.self, id(1)) { $0.five = full } }
    try await store.write { tx in try tx.update(Page.self, id(1)) { $0.five = "" } }
    try await store.write { tx in try tx.update(Page.self, id(1)) { $0.one = "short" } }
    try await store.write { tx in _ = try tx.delete(Page.self, id(1)) }
    let counts = try await store.counts()
    #expect(counts.waiting == 1)
  }

  @Test func `a device takes a thousand feeds, and says so where the next one enters`()
    async throws
  {
    // The feed of the books is one.
    try await store.write { tx in
      for number in 1..<1_000 {
        try tx.insert(Page(one: "\(number)"), feed: "pages/\(number)")
      }
    }
    let written = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(Page(one: "x"), feed: "pages/1000") }
    }
    let subscribed = await #expect(throws: StoreError.self) {
      try await store.subscribe(to: "pages/1000")
    }
    #expect(written == .tooManyFeeds(feed: "pages/1000", limit: 1_000))
    #expect(subscribed == written)
    #expect(written?.message.contains("pages/1000") == true)
    #expect(written?.message.contains("1000 that a device takes") == true)
    try await store.subscribe(to: "pages/7")
    try await store.write { tx in try tx.insert(Page(one: "again"), feed: "pages/7") }
    let round = try await store.beginRound(batch: 10)
    #expect(round.request.feeds.count == 1_000)
  }

  @Test func `an app with one feed too many still opens, and a write to that feed says why`()
    async throws
  {
    for number in 1..<1_000 { try await store.subscribe(to: "pages/\(number)") }
    await store.close()
    struct Extra: Record {
      var id = RecordID.zero
      var text = ""
      static let table = Table("extra", feed: "extras", blank: Extra()) {
        Column("text", \.text)
      }
    }
    let again = try folder.open([Book.table, Page.table, Extra.table])
    let error = await #expect(throws: StoreError.self) {
      try await again.write { tx in try tx.insert(Extra(text: "x")) }
    }
    #expect(error == .tooManyFeeds(feed: "extras", limit: 1_000))
    try await again.write { tx in try tx.insert(Book(title: "Momo")) }
  }

  @Test func `a feed that no wire can name is refused`() async throws {
    for name in ["", "a\0b", String(repeating: "f", count: 129)] {
      let written = await #expect(throws: StoreError.self) {
        try await store.write { tx in try tx.insert(Page(one: "x"), feed: name) }
      }
      let subscribed = await #expect(throws: StoreError.self) {
        try await store.subscribe(to: name)
      }
      #expect(written?.message.contains("1 to 128 bytes") == true)
      #expect(subscribed == written)
    }
  }
}
