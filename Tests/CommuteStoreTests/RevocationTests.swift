import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A feed that is taken away, and given again.
@Suite struct RevocationTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open()
    for number in 1...3 {
      server.put("book", id(UInt64(number)), feed: "books", ["title": .text("\(number)")])
    }
    server.put("book", id(4), feed: "books", ["title": .text("4")], deleted: true)
    server.put("shop", id(20), feed: "books", ["name": .text("Corner")])
    server.put("book", id(30), feed: "mine", ["title": .text("mine")])
    try await store.subscribe(to: "mine")
    try await store.syncAll(with: server)
  }

  private func titles() async throws -> [String] {
    try await store.read { tx in try tx.fetch(Book.order(by: \.title)) }.map(\.title)
  }

  private func count(_ table: String) throws -> SQLValue? {
    try folder.value("SELECT count(*) FROM \(name: table) WHERE feed = 'books'")
  }

  @Test func `base, view and cursor go, and nothing of other feeds`() async throws {
    server.revoke("books", "you left the team")
    let applied = try await store.sync(with: server)
    #expect(applied.revoked == ["books": "you left the team"])
    #expect(!applied.more)
    #expect(try await titles() == ["mine"])
    for table in ["book", "c_tombstone", "c_unknown"] {
      #expect(try count(table) == .integer(0))
    }
    #expect(
      try folder.rows("SELECT subscribed, cursor, granted FROM c_feed WHERE feed = 'books'")
        == [[.integer(0), .null, .null]])
    let device = try await store.device()
    #expect(device.feeds.names == ["mine"])
  }

  @Test func `pending changes go to the inbox, those under way as perhaps sent`() async throws {
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 1 } }
    server.refuse("no")
    try await store.syncAll(with: server)
    server.refuse(nil)
    try await store.write { tx in
      try tx.update(Book.self, id(2)) { $0.rating = 2 }
      try tx.update(Book.self, id(30)) { $0.rating = 3 }
    }
    let round = try await store.beginRound(batch: 1)
    try await store.write { tx in try tx.insert(Book(id: id(5), title: "5")) }
    server.revoke("books", "you left the team")
    var answer = try SyncAnswer(decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    answer.verdicts = []
    let applied = try await store.apply(answer, roundTrip: 10)
    let inbox = try await store.inbox()
    #expect(applied.rejected == 2)
    #expect(inbox.map(\.key.id) == [id(1), id(2), id(5)])
    #expect(inbox.map(\.code) == [.invalid, .forbidden, .forbidden])
    #expect(
      inbox.last?.message == "the feed books is no longer granted: you left the team")
    #expect(
      try folder.rows("SELECT perhaps_sent FROM c_inbox ORDER BY entry").last == [.integer(0)])
    #expect(
      try folder.value("SELECT perhaps_sent FROM c_inbox WHERE id = \(id(2))") == .integer(1))
    #expect(try folder.rows("SELECT feed FROM c_outbox") == [[.text("mine")]])
    #expect(try folder.bases().count == 1)
    #expect(try await titles() == ["mine"])
  }

  @Test func `what was offered again goes to the inbox`() async throws {
    let copy = server.copy
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.title = "one" } }
    try await store.syncAll(with: server)
    server.putBack(copy, epoch: 8)
    try await store.sync(with: server)
    #expect(try count("c_offer") == .integer(1))
    server.revoke("books", "you left the team")
    let round = try await store.beginRound(batch: 0)
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    _ = try await store.apply(answer, roundTrip: 10)
    let inbox = try await store.inbox()
    #expect(inbox.map(\.key.id) == [id(1)])
    #expect(inbox.map(\.code) == [.forbidden])
    #expect(try count("c_offer") == .integer(0))
    #expect(try folder.bases().count == 0)
  }

  @Test func `a feed given again is read from the start when the app asks for it`() async throws {
    server.revoke("books", "you left the team")
    try await store.syncAll(with: server)
    server.revoke("books", nil)
    try await store.syncAll(with: server)
    #expect(try await titles() == ["mine"])
    try await store.subscribe(to: "books")
    let round = try await store.beginRound(batch: 10)
    let asked = try #require(round.request.feeds.first { $0.feed == "books" })
    #expect(asked.cursor == nil)
    #expect(asked.grant == nil)
    try await store.abandonRound()
    try await store.syncAll(with: server)
    #expect(try await titles() == ["1", "2", "3", "mine"])
    let device = try await store.device()
    #expect(device.feeds["books"]?.grant == 2)
  }

  @Test func `it stays taken away over openings, and the reason is known`() async throws {
    server.revoke("books", "you left the team")
    try await store.syncAll(with: server)
    await store.close()
    let again = try folder.open { $0.randomSeed = 2 }
    let device = try await again.device()
    #expect(device.feeds.names == ["mine"])
    #expect(try await again.revokedFeeds() == ["books": "you left the team"])
    #expect(
      try folder.rows("SELECT subscribed, revoked FROM c_feed WHERE feed = 'books'")
        == [[.integer(0), .text("you left the team")]])
    let round = try await again.beginRound(batch: 10)
    #expect(round.request.feeds.map(\.feed) == ["mine"])
    try await again.abandonRound()
    // Given again: it is asked for when the app says so, and then stays.
    server.revoke("books", nil)
    try await again.subscribe(to: "books")
    #expect(try await again.revokedFeeds().isEmpty)
    await again.close()
    let third = try folder.open { $0.randomSeed = 3 }
    #expect(try await third.revokedFeeds().isEmpty)
    try await third.syncAll(with: server)
    let titles = try await third.read { tx in try tx.fetch(Book.order(by: \.title)) }.map(\.title)
    #expect(titles == ["1", "2", "3", "mine"])
    #expect(
      try folder.rows("SELECT subscribed, revoked FROM c_feed WHERE feed = 'books'")
        == [[.integer(1), .null]])
  }

  @Test func `a record written into it asks the server anew`() async throws {
    server.revoke("books", "you left the team")
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.insert(Book(id: id(5), title: "5")) }
    #expect(try await store.revokedFeeds().isEmpty)
    try await store.syncAll(with: server)
    #expect(try await store.revokedFeeds() == ["books": "you left the team"])
    #expect(try await store.inbox().map(\.key.id) == [id(5)])
    let entry = try #require(try await store.inbox().first)
    server.revoke("books", nil)
    try await store.retry(entry)
    try await store.syncAll(with: server)
    #expect(try await titles() == ["1", "2", "3", "5", "mine"])
  }

  @Test func `another grant that nobody told of is a reset`() async throws {
    server.put("book", id(2), feed: "books", [:], deleted: true)
    server.purge("book", id(2))
    server.revoke("books", "a mistake")
    server.revoke("books", nil)
    let applied = try await store.sync(with: server)
    #expect(applied.revoked.isEmpty)
    #expect(try await titles() == ["1", "3", "mine"])
    #expect(
      try folder.rows("SELECT granted, reset_fence FROM c_feed WHERE feed = 'books'")
        == [[.integer(2), .null]])
  }

  @Test func `a page that revokes is applied whole or not at all`() async throws {
    server.revoke("books", "you left the team")
    let round = try await store.beginRound(batch: 10)
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    try folder.execute(
      """
      CREATE TRIGGER full BEFORE DELETE ON c_unknown BEGIN SELECT RAISE(ABORT, 'full'); END
      """)
    await #expect(throws: StoreError.self) { try await store.apply(answer, roundTrip: 10) }
    try folder.execute("DROP TRIGGER full")
    #expect(try await titles() == ["1", "2", "3", "mine"])
    #expect(
      try folder.rows("SELECT subscribed, cursor FROM c_feed WHERE feed = 'books'")
        == [[.integer(1), .integer(5)]])
  }
}
