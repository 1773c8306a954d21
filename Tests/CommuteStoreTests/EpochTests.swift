import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A server that was put back: what it may have lost is offered to it again.
@Suite struct EpochTests {
  static let day: Int64 = 86_400_000
  static let now: Int64 = 1_700_000_000_000

  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  private func held(_ number: UInt64, _ table: Key = "book") -> RecordState? {
    server.records[RecordKey(table: table, id: id(number))]?.state
  }

  private func title(_ store: Store, _ number: UInt64) async throws -> String? {
    try await store.read { tx in try tx.fetch(Book.self, id(number)) }?.title
  }

  /// The ids of what is offered, in line order, as the file has them.
  private func offered() throws -> [[SQLValue]] {
    try folder.rows("SELECT id FROM c_offer ORDER BY position")
  }

  private func ids(_ numbers: UInt64...) -> [[SQLValue]] {
    numbers.map { [.bytes(id($0).bytes)] }
  }

  /// A device that has settled more than the server still holds: an edit of book 1, the deletion of
  /// book 2, the new book 4 and the shop 20; book 3 was there before.
  private func aheadOfServer() async throws -> Store {
    let store = try folder.open()
    for number in 1...3 {
      server.put("book", id(UInt64(number)), feed: "books", ["title": .text("\(number)")])
    }
    try await store.syncAll(with: server)
    let copy = server.copy
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.title = "one" }
      try tx.delete(Book.self, id(2))
      try tx.insert(Book(id: id(4), title: "4"))
    }
    try await store.syncAll(with: server)
    server.put("shop", id(20), feed: "books", ["name": .text("Corner")])
    try await store.syncAll(with: server)
    server.putBack(copy, epoch: 8)
    return store
  }

  @Test func `exactly what lies above the number that the server holds is offered`() async throws {
    let store = try await aheadOfServer()
    let applied = try await store.sync(with: server)
    guard case .newEpoch = applied.reading else {
      Issue.record("\(applied.reading)")
      return
    }
    #expect(try Set(offered()) == Set(ids(1, 2, 4, 20)))
    #expect(
      try Set(folder.bases().map { [$0[1]] }) == Set(ids(1, 2, 4, 20)))
    #expect(
      try folder.rows("SELECT cursor, fence, reset_fence FROM c_feed")
        == [[.null, .integer(0), .null]])
    let device = try await store.device()
    #expect(device.epoch == Epoch(rawValue: 8))
    // What is seen stays as it is.
    #expect(try await title(store, 1) == "one")
    #expect(try await title(store, 2) == nil)
    #expect(try await title(store, 4) == "4")
    #expect(try await title(store, 3) == "3")
  }

  @Test func `the server takes the offers, and nothing is left of them here`() async throws {
    let store = try await aheadOfServer()
    try await store.sync(with: server)
    let taken = try await store.sync(with: server)
    #expect(taken.offers == 4)
    #expect(taken.rejected == 0)
    #expect(held(1)?.fields["title"]?.value == .text("one"))
    #expect(held(2)?.deleted != nil)
    #expect(held(4) != nil)
    #expect(held(20, "shop") != nil)
    try await store.syncAll(with: server)
    for table in ["c_offer", "c_base", "c_inbox", "c_outbox"] {
      #expect(try folder.value("SELECT count(*) FROM \(name: table)") == .integer(0))
    }
    #expect(try await title(store, 1) == "one")
    let device = try await store.device()
    #expect(device.feeds["books"]?.cursor == 7)
    // A fresh device sees the same.
    let other = try TemporaryStore()
    let fresh = try other.open { $0.randomSeed = 7 }
    try await fresh.syncAll(with: server)
    let books = try await fresh.read { tx in try tx.fetch(Book.order(by: \.title)) }
    #expect(books.map(\.title) == ["3", "4", "one"])
  }

  @Test func `a pending change goes behind the offer of its record`() async throws {
    let store = try await aheadOfServer()
    try await store.write { tx in
      try tx.update(Book.self, id(4)) { $0.rating = 4 }
      try tx.update(Book.self, id(3)) { $0.rating = 3 }
    }
    try await store.sync(with: server)
    var sent: [(offers: Int, operations: [RecordID])] = []
    for _ in 0..<20 {
      let round = try await store.beginRound(batch: 1)
      sent.append(
        (round.request.offers.count, round.request.operations.map(\.operation.key.id)))
      let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: Self.now))
      if !(try await store.apply(answer, roundTrip: 10)).more { break }
    }
    #expect(sent.map(\.offers) == [1, 1, 1, 1, 0, 0])
    #expect(sent.suffix(2).map(\.operations) == [[id(4)], [id(3)]])
    #expect(held(4)?.fields["rating"]?.value == .integer(4))
    #expect(try folder.bases().count == 0)
  }

  @Test func `offer and change of one record go in one request, the offer first`() async throws {
    let store = try await aheadOfServer()
    try await store.write { tx in try tx.update(Book.self, id(4)) { $0.rating = 4 } }
    try await store.sync(with: server)
    let round = try await store.beginRound(batch: 100)
    #expect(round.request.offers.count == 4)
    #expect(round.operationCount == 1)
    #expect(!round.isAsking)
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: Self.now))
    let applied = try await store.apply(answer, roundTrip: 10)
    #expect(applied.offers == 4)
    #expect(applied.settled == 1)
    #expect(held(4)?.fields["rating"]?.value == .integer(4))
  }

  @Test func `the view is base, offer, in flight and pending, in the file, too`() async throws {
    var store = try await aheadOfServer()
    try await store.sync(with: server)
    // The server tells its older state of book 1: that is base, and shown below the offer.
    _ = try await store.beginRound(batch: 0)
    try await store.abandonRound()
    var answer = try SyncAnswer(
      decoding: server.answer(
        try await store.beginRound(batch: 0).bytes, time: Self.now))
    answer.verdicts = []
    _ = try await store.apply(answer, roundTrip: 10)
    #expect(try await title(store, 1) == "one")
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 1 } }
    let title = try folder.value("SELECT title FROM book WHERE id = \(id(1))")
    #expect(title == .text("one"))
    await store.close()
    store = try folder.open { $0.randomSeed = 2 }
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.author = "Ende" } }
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book?.title == "one")
    #expect(book?.rating == 1)
    #expect(book?.author == "Ende")
    try await store.syncAll(with: server)
    #expect(held(1)?.fields["title"]?.value == .text("one"))
    #expect(held(1)?.fields["rating"]?.value == .integer(1))
    #expect(held(1)?.fields["author"]?.value == .text("Ende"))
    #expect(try offered() == [])
  }

  @Test func `offers survive the process, and a further change of epoch`() async throws {
    var store = try await aheadOfServer()
    let copy = server.copy
    try await store.sync(with: server)
    await store.close()
    store = try folder.open { $0.randomSeed = 2 }
    #expect(try offered().count == 4)
    // One was sent, without an answer; then the server is put back once more.
    _ = try await store.beginRound(batch: 1)
    try await store.abandonRound()
    #expect(try folder.value("SELECT sum(attempts) FROM c_offer") == .integer(1))
    server.putBack(copy, epoch: 9)
    let applied = try await store.sync(with: server)
    guard case .newEpoch = applied.reading else {
      Issue.record("\(applied.reading)")
      return
    }
    #expect(try Set(offered()) == Set(ids(1, 2, 4, 20)))
    try await store.syncAll(with: server)
    #expect(held(1)?.fields["title"]?.value == .text("one"))
    #expect(held(4) != nil)
    #expect(try offered() == [])
  }

  @Test func `offers survive a reset, and end without a word where the record is gone`()
    async throws
  {
    let store = try await aheadOfServer()
    // Under the new epoch somebody deletes book 1, and it is purged.
    server.put("book", id(1), feed: "books", [:], deleted: true)
    server.purge("book", id(1))
    try await store.sync(with: server)
    server.cutPages(after: 1)
    let first = try await store.sync(with: server)
    #expect(first.deferred == 4)
    #expect(try folder.value("SELECT count(*) FROM c_offer") == .integer(4))
    try await store.syncAll(with: server)
    #expect(try offered() == [])
    #expect(try await title(store, 1) == nil)
    #expect(try await title(store, 4) == "4")
    #expect(held(4) != nil)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
  }

  @Test func `what comes too late waits in the inbox, and can be made anew`() async throws {
    let store = try await aheadOfServer()
    let late = Self.now + 91 * Self.day
    folder.time.setWall(late)
    try await store.syncAll(with: server, time: late)
    let inbox = try await store.inbox()
    #expect(inbox.map(\.code) == Array(repeating: .late, count: 4))
    #expect(try offered() == [])
    #expect(try await title(store, 4) == nil)
    #expect(try await title(store, 1) == "1")
    #expect(try await title(store, 2) == "2")
    #expect(try folder.bases().count == 0)
    let entry = try #require(inbox.first { $0.key.id == id(4) })
    try await store.retry(entry)
    try await store.syncAll(with: server, time: late)
    #expect(held(4)?.fields["title"]?.value == .text("4"))
  }

  @Test func `a put-off offer holds its record's changes, and wakes the device`() async throws {
    let store = try await aheadOfServer()
    try await store.write { tx in try tx.update(Book.self, id(4)) { $0.rating = 4 } }
    try await store.sync(with: server)
    let round = try await store.beginRound(batch: 0)
    #expect(round.isAsking)
    try await store.abandonRound()
    let sent = try await store.beginRound(batch: 4)
    var answer = try SyncAnswer(decoding: server.answer(sent.bytes, time: Self.now))
    answer.verdicts = sent.request.offers.map {
      Verdict(id: $0.id, kind: .later(.offers, afterMilliseconds: 60_000))
    }
    let applied = try await store.apply(answer, roundTrip: 10)
    let due = try await store.nextDue()
    #expect(!applied.more)
    #expect(due == Self.now + 60_000)
    let waiting = try await store.beginRound(batch: 100)
    #expect(waiting.isAsking)
    try await store.abandonRound()
    folder.time.advance(60_000)
    try await store.syncAll(with: server, time: Self.now + 60_000)
    #expect(held(4)?.fields["rating"]?.value == .integer(4))
  }

  @Test func `an offer that the server fails at is set aside like an operation`() async throws {
    let store = try await aheadOfServer()
    try await store.sync(with: server)
    let round = try await store.beginRound(batch: 1)
    try await store.abandonRound()
    let offer = round.request.offers[0].id
    let first = try await store.countFailure(of: offer)
    let second = try await store.countFailure(of: offer)
    #expect([first, second] == [1, 2])
    try await store.postpone(offer, until: Self.now + 60_000)
    let next = try await store.beginRound(batch: 1)
    #expect(next.request.offers.map(\.id) != [offer])
    try await store.abandonRound()
    try await store.acquitAll(failedAtLeast: 2)
    #expect(try folder.value("SELECT max(not_before) FROM c_offer") == .integer(0))
    try await store.refuse(offer, code: .tooLarge, message: "too large")
    let inbox = try await store.inbox()
    #expect(inbox.map(\.operation) == [offer])
    #expect(try offered().count == 3)
  }

  @Test func `what could not be applied here is offered, too, and decided with the offer`()
    async throws
  {
    let store = try await aheadOfServer()
    let copy = server.copy
    // Only somebody outside can make an index like this.
    try folder.execute("CREATE UNIQUE INDEX one ON book(title)")
    server.put("book", id(3), feed: "books", ["title": .text("one")])
    server.put("book", id(9), feed: "books", ["title": .text("one"), "isbn": .text("123")])
    try await store.sync(with: server)
    try await store.syncAll(with: server)
    let aside = try folder.rows("SELECT id FROM c_quarantine ORDER BY id")
    #expect(aside == ids(3, 9))
    server.putBack(copy, epoch: 9)
    #expect(held(9) == nil)
    try await store.sync(with: server)
    #expect(try Set(offered()).isSuperset(of: ids(3, 9)))
    #expect(try await title(store, 3) == "3")
    try await store.syncAll(with: server)
    #expect(held(9)?.fields["isbn"]?.value == .text("123"))
    #expect(held(3)?.fields["title"]?.value == .text("one"))
    #expect(try offered() == [])
    #expect(try folder.rows("SELECT id FROM c_quarantine ORDER BY id") == ids(3, 9))
    #expect(try await title(store, 3) == "3")
    #expect(try await title(store, 9) == nil)
    try folder.execute("DROP INDEX one")
    await store.close()
    let updated = try folder.open { $0.schemaVersion = 2 }
    #expect(try await title(updated, 3) == "one")
    #expect(try await title(updated, 9) == "one")
    #expect(try await updated.counts() == StoreCounts())
  }

  @Test func `what stood aside is forgotten where its record is gone`() async throws {
    let store = try await aheadOfServer()
    let copy = server.copy
    try folder.execute("CREATE UNIQUE INDEX one ON book(title)")
    server.put("book", id(9), feed: "books", ["title": .text("one")])
    try await store.syncAll(with: server)
    #expect(try await store.counts().quarantined == 1)
    server.putBack(copy, epoch: 9)
    server.put("book", id(9), feed: "books", [:], deleted: true)
    server.purge("book", id(9))
    try await store.syncAll(with: server)
    #expect(held(9) == nil)
    #expect(try await store.counts() == StoreCounts())
    #expect(try folder.bases().count == 0)
  }

  @Test func `an update of the app shows what is offered and could not be applied`() async throws {
    let store = try await aheadOfServer()
    let copy = server.copy
    try folder.execute("CREATE UNIQUE INDEX one ON book(title)")
    server.put("book", id(3), feed: "books", ["title": .text("one")])
    try await store.syncAll(with: server)
    server.putBack(copy, epoch: 9)
    try await store.sync(with: server)
    await store.close()
    try folder.execute("DROP INDEX one")
    let updated = try folder.open { $0.schemaVersion = 2 }
    #expect(try await title(updated, 3) == "one")
    #expect(try folder.value("SELECT title FROM book WHERE id = \(id(3))") == .text("one"))
    #expect(try await updated.counts().quarantined == 0)
    try await updated.syncAll(with: server)
    #expect(held(3)?.fields["title"]?.value == .text("one"))
    #expect(try await updated.counts() == StoreCounts())
  }

  @Test func `offers are counted beside the changes in line`() async throws {
    let store = try await aheadOfServer()
    try await store.write { tx in try tx.update(Book.self, id(3)) { $0.rating = 3 } }
    try await store.sync(with: server)
    let counts = try await store.counts()
    #expect(counts == StoreCounts(waiting: 1, inFlight: 1, offers: 4))
    #expect(counts.unsettled == 5)
  }

  @Test func `a request of an earlier epoch settles nothing and is not perhaps sent`() async throws
  {
    let store = try await aheadOfServer()
    try await store.write { tx in try tx.insert(Book(id: id(7), title: "7")) }
    try await store.sync(with: server)
    #expect(
      try folder.rows("SELECT in_flight, perhaps_sent FROM c_outbox")
        == [[.integer(1), .integer(0)]])
    try await store.syncAll(with: server)
    #expect(held(7) != nil)
  }
}
