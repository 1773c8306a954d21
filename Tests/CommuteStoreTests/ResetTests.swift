import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A device that was away for longer than deletions are kept reads its feed anew.
@Suite struct ResetTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  /// A device that knows books 1 to 6; of these 1 and 2 were deleted and purged since.
  private func behindTheFence(
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) async throws -> Store {
    let store = try folder.open(change: change)
    for number in 1...6 {
      server.put("book", id(UInt64(number)), feed: "books", ["title": .text("\(number)")])
    }
    server.put("shop", id(20), feed: "books", ["name": .text("Corner")])
    server.put("shop", id(21), feed: "books", ["name": .text("Market")])
    try await store.syncAll(with: server)
    return store
  }

  private func purge(_ numbers: UInt64...) {
    for number in numbers {
      let table: Key = number < 20 ? "book" : "shop"
      server.put(table, id(number), feed: "books", [:], deleted: true)
      server.purge(table, id(number))
    }
  }

  private func titles(_ store: Store) async throws -> [String] {
    try await store.read { tx in try tx.fetch(Book.order(by: \.title)) }.map(\.title)
  }

  @Test func `what the reset does not tell is gone, of unknown tables, too`() async throws {
    let store = try await behindTheFence()
    purge(1, 2, 20)
    let applied = try await store.sync(with: server)
    #expect(applied.records == 5)
    #expect(try await titles(store) == ["3", "4", "5", "6"])
    #expect(try folder.rows("SELECT id FROM c_unknown") == [[.bytes(id(21).bytes)]])
    #expect(
      try folder.rows("SELECT cursor, fence, reset_fence FROM c_feed")
        == [[.integer(11), .integer(11), .null]])
    #expect(try folder.value("SELECT count(*) FROM c_seen") == .integer(0))
    #expect(try folder.value("SELECT count(*) FROM c_inbox") == .integer(0))
  }

  @Test func `a tombstone that the server still tells stays, one that it purged goes`() async throws
  {
    let store = try await behindTheFence()
    server.put("book", id(3), feed: "books", [:], deleted: true)
    server.put("book", id(4), feed: "books", [:], deleted: true)
    try await store.syncAll(with: server)
    server.purge("book", id(3))
    purge(1)
    try await store.syncAll(with: server)
    #expect(try folder.rows("SELECT id FROM c_tombstone") == [[.bytes(id(4).bytes)]])
    #expect(try await titles(store) == ["2", "5", "6"])
  }

  @Test func `a reset goes on where the process died, with what was told before`() async throws {
    var store = try await behindTheFence()
    purge(1, 2)
    server.cutPages(after: 2)
    let first = try await store.sync(with: server)
    #expect(first.more)
    let seen = try folder.rows("SELECT id FROM c_seen ORDER BY id")
    #expect(seen == [[.bytes(id(3).bytes)], [.bytes(id(4).bytes)]])
    #expect(
      try folder.rows("SELECT cursor, reset_fence FROM c_feed")
        == [[.integer(4), .integer(10)]])
    // The next answer dies with its process before it is permanent.
    let died = try await store.beginRound(batch: 10)
    _ = try server.answer(died.bytes, time: 1_700_000_000_000)
    await store.close()
    store = try folder.open { $0.randomSeed = 2 }
    #expect(try await titles(store).count == 6)
    let round = try await store.beginRound(batch: 10)
    #expect(round.request.feeds.map(\.reset) == [10])
    #expect(round.request.feeds.map(\.cursor) == [4])
    try await store.syncAll(with: server)
    #expect(try await titles(store) == ["3", "4", "5", "6"])
    #expect(try folder.value("SELECT count(*) FROM c_seen") == .integer(0))
    #expect(try folder.value("SELECT reset_fence FROM c_feed") == .null)
  }

  @Test func `a page and its marks are permanent together or not at all`() async throws {
    let store = try await behindTheFence()
    purge(1)
    server.cutPages(after: 2)
    try await store.sync(with: server)
    let before = try folder.rows("SELECT cursor, reset_fence FROM c_feed")
    let round = try await store.beginRound(batch: 10)
    var answer = try SyncAnswer(
      decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    // A member that no file can take: the end of the disk, in effect.
    try folder.execute(
      """
      CREATE TRIGGER full BEFORE INSERT ON c_seen BEGIN SELECT RAISE(ABORT, 'full'); END
      """)
    answer.feeds[0].more = false
    await #expect(throws: StoreError.self) { try await store.apply(answer, roundTrip: 10) }
    try folder.execute("DROP TRIGGER full")
    #expect(try folder.rows("SELECT cursor, reset_fence FROM c_feed") == before)
    #expect(try folder.value("SELECT count(*) FROM c_seen") == .integer(2))
    try await store.abandonRound()
    try await store.syncAll(with: server)
    #expect(try await titles(store) == ["2", "3", "4", "5", "6"])
  }

  @Test func `a fence that moved begins the reset anew`() async throws {
    let store = try await behindTheFence()
    purge(1)
    server.cutPages(after: 2)
    try await store.sync(with: server)
    #expect(try folder.value("SELECT count(*) FROM c_seen") == .integer(2))
    // Told already, and deleted and purged while the reset was under way.
    purge(2)
    let again = try await store.sync(with: server)
    #expect(again.records == 2)
    #expect(
      try folder.rows("SELECT id FROM c_seen ORDER BY id")
        == [[.bytes(id(3).bytes)], [.bytes(id(4).bytes)]])
    try await store.syncAll(with: server)
    #expect(try await titles(store) == ["3", "4", "5", "6"])
  }

  @Test func `a pending edit of a record that is gone waits in the inbox`() async throws {
    let store = try await behindTheFence()
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.rating = 5 }
      try tx.update(Book.self, id(3)) { $0.rating = 4 }
    }
    purge(1)
    let applied = try await store.sync(with: server)
    let inbox = try await store.inbox()
    #expect(applied.deferred == 2)
    #expect(applied.rejected == 1)
    // What was put off because of the reset goes at once.
    #expect(applied.more)
    #expect(inbox.map(\.key.id) == [id(1)])
    #expect(inbox.map(\.code) == [.gone])
    #expect(try folder.bases().count == 1)
    try await store.syncAll(with: server)
    let held = server.records[RecordKey(table: "book", id: id(3))]
    #expect(held?.state.fields["rating"]?.value == .integer(4))
    let counts = try await store.counts()
    #expect(counts.waiting == 0)
    #expect(try await titles(store) == ["2", "3", "4", "5", "6"])
    #expect(try folder.bases().count == 0)
  }

  @Test func `a creation that was never sent is sent, one perhaps sent is asked about`()
    async throws
  {
    let store = try await behindTheFence()
    try await store.write { tx in try tx.insert(Book(id: id(8), title: "perhaps")) }
    _ = try await store.beginRound(batch: 10)
    try await store.abandonRound()
    try await store.write { tx in
      try tx.insert(Book(id: id(9), title: "never"))
      try tx.update(Book.self, id(9)) { $0.rating = 1 }
      try tx.update(Book.self, id(8)) { $0.rating = 2 }
    }
    purge(1)
    let applied = try await store.sync(with: server)
    let inbox = try await store.inbox()
    #expect(inbox.map(\.key.id) == [id(8), id(8)])
    #expect(applied.rejected == 2)
    let shown = try await store.read { tx in try tx.fetch(Book.self, id(8)) }
    #expect(shown == nil)
    try await store.syncAll(with: server)
    #expect(server.records[RecordKey(table: "book", id: id(9))] != nil)
    #expect(server.records[RecordKey(table: "book", id: id(8))] == nil)
  }

  @Test func `nothing of a feed is sent while it is read anew`() async throws {
    let store = try await behindTheFence()
    try await store.write { tx in try tx.update(Book.self, id(3)) { $0.rating = 4 } }
    purge(1)
    server.cutPages(after: 2)
    let first = try await store.sync(with: server)
    #expect(first.deferred == 1)
    let row = try folder.rows("SELECT perhaps_sent, not_before FROM c_outbox")
    #expect(row == [[.integer(0), .integer(0)]])
    var carried: [Int] = []
    for _ in 0..<10 {
      let round = try await store.beginRound(batch: 10)
      carried.append(round.operationCount)
      let answer = try SyncAnswer(
        decoding: server.answer(round.bytes, time: 1_700_000_000_000))
      if !(try await store.apply(answer, roundTrip: 10)).more { break }
    }
    #expect(carried == [0, 0, 0, 1])
    let held = server.records[RecordKey(table: "book", id: id(3))]
    #expect(held?.state.fields["rating"]?.value == .integer(4))
  }

  @Test func `a record put aside that the reset does not tell is forgotten`() async throws {
    let store = try await behindTheFence()
    try folder.execute(
      """
      INSERT INTO c_quarantine(tbl, id, feed, revision, reason, kept_at, state)
      SELECT 'book', id, feed, 3, 'no room', 0, state FROM c_unknown
      """)
    purge(20)
    try await store.syncAll(with: server)
    // The shops' ids stand for books here: no reset tells a book of these ids.
    #expect(try folder.value("SELECT count(*) FROM c_quarantine") == .integer(0))
  }

  @Test func `another feed goes on while one is read anew`() async throws {
    let store = try await behindTheFence()
    try await store.subscribe(to: "other")
    server.put("book", id(40), feed: "other", ["title": .text("other")])
    try await store.syncAll(with: server)
    purge(1)
    server.cutPages(after: 2)
    server.put("book", id(41), feed: "other", ["title": .text("more")])
    try await store.sync(with: server)
    #expect(
      try folder.rows("SELECT feed, cursor, reset_fence FROM c_feed ORDER BY feed")
        == [
          [.text("books"), .integer(3), .integer(9)], [.text("other"), .integer(2), .null],
        ])
    try await store.syncAll(with: server)
    #expect(try await titles(store) == ["2", "3", "4", "5", "6", "more", "other"])
  }
}
