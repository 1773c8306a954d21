import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

@Suite struct StatusTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open()
  }

  @Test func `a retry counts by the monotonic clock as long as the machine is up`() async throws {
    try await store.saveRetry(after: .timedOut, failures: 3, batch: 31, milliseconds: 10_000)
    folder.time.advance(4_000)
    folder.time.setWall(1)
    let retry = try await store.retry()
    #expect(retry?.failure == .timedOut)
    #expect(retry?.failures == 3)
    #expect(retry?.remaining == 6_000)
    #expect(retry?.due == 6_001)
  }

  @Test func `how many operations go at once is kept over processes`() async throws {
    let atFirst = try await store.batch()
    _ = try await store.beginRound(batch: 9)
    try await store.abandonRound()
    let asked = try await store.batch()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "1")) }
    _ = try await store.beginRound(batch: 7)
    try await store.abandonRound()
    let sent = try await store.batch()
    #expect(atFirst == nil)
    #expect(asked == nil)
    #expect(sent == 7)
    try await store.saveRetry(after: .timedOut, failures: 1, batch: 3, milliseconds: 1_000)
    try await store.clearRetry()
    await store.close()
    let again = try folder.open { $0.randomSeed = 2 }
    let kept = try await again.batch()
    #expect(kept == 3)
    #expect(try folder.value("SELECT batch FROM c_meta") == .integer(3))
  }

  @Test func `after a restart the smaller of both clocks counts`() async throws {
    try await store.saveRetry(
      after: .unavailable(status: 503, retryAfterMilliseconds: 9_000), failures: 1,
      milliseconds: 10_000)
    await store.close()
    folder.time.restartMachine()
    folder.time.advance(3_000)
    let again = try folder.open()
    let soon = try await again.retry()
    folder.time.setWall(1)
    let setBack = try await again.retry()
    folder.time.setWall(4_000_000_000_000)
    let past = try await again.retry()
    #expect(soon?.remaining == 7_000)
    #expect(setBack?.remaining == 10_000)
    #expect(past?.remaining == 0)
    #expect(soon?.failure == .unavailable(status: 503, retryAfterMilliseconds: 9_000))
  }

  @Test func `every failure is kept in words that read back`() async throws {
    let failures: [RoundFailure] = [
      .unreachable("Connection refused, port 80"), .timedOut, .notAnAnswer("status 302"),
      .unavailable(status: 500, retryAfterMilliseconds: 0), .tooLarge, .needsSignIn(status: 401),
      .needsUpdate, .wrongOwner, .refused(status: 400), .badCertificate("expired"),
      .storage("the disk is full"), .cancelled, .syncedElsewhere(by: "process 12"),
    ]
    for failure in failures {
      try await store.saveRetry(after: failure, failures: 1, milliseconds: 5)
      let retry = try await store.retry()
      #expect(retry?.failure == failure)
    }
  }

  @Test func `a round that succeeds forgets the retry and notes the time`() async throws {
    try await store.saveRetry(after: .timedOut, failures: 3, milliseconds: 10_000)
    try await store.syncAll(with: SmallServer())
    let retry = try await store.retry()
    let success = try await store.lastSuccess()
    #expect(retry == nil)
    #expect(success == 1_700_000_000_000)
  }

  @Test func `names, addresses and notes are kept`() async throws {
    try await store.setServer("http://localhost:8080")
    try await store.write { tx in tx.setNote("undo", "book 7") }
    await store.close()
    let again = try folder.open { $0.deviceName = "tablet" }
    let server = try await again.server()
    let name = try await again.deviceName()
    let note = try await again.write { tx in tx.note("undo") }
    #expect(server == "http://localhost:8080")
    #expect(name == "tablet")
    #expect(note == "book 7")
  }

  @Test func `a record that cannot be applied is set aside, and the page goes on`() async throws {
    let server = SmallServer()
    try await store.syncAll(with: server)
    // Only somebody outside can make an index like this.
    try folder.execute("CREATE UNIQUE INDEX one ON book(title)")
    server.put("book", id(1), feed: "books", ["title": .text("Momo")])
    server.put("book", id(2), feed: "books", ["title": .text("Momo")])
    server.put("book", id(3), feed: "books", ["title": .text("Krabat")])
    let applied = try await store.sync(with: server)
    let counts = try await store.counts()
    #expect(applied.records == 2)
    #expect(applied.quarantined == 1)
    #expect(counts.quarantined == 1)
    #expect(try folder.value("SELECT id FROM c_quarantine") == .bytes(id(2).bytes))
    #expect(try folder.value("SELECT cursor FROM c_feed") == .integer(3))
    server.put("book", id(2), feed: "books", ["title": .text("Mumu")])
    try await store.syncAll(with: server)
    let after = try await store.counts()
    let books = try await store.read { tx in try tx.count(Book.all) }
    #expect(after.quarantined == 0)
    #expect(books == 3)
  }

  @Test func `a seed never overwrites, and leaves the deleted deleted`() async throws {
    let seed = Book(id: id(1), title: "Momo", author: "Ende")
    let added = try await store.write { tx in try tx.insertSeed(seed) }
    let again = try await store.write { tx in try tx.insertSeed(seed) }
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    let other = try await store.write { tx in
      try tx.insertSeed(Book(id: id(1), title: "Momo", author: "Ende", rating: 1))
    }
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    try await store.write { tx in try tx.delete(Book.self, id(1)) }
    let deleted = try await store.write { tx in try tx.insertSeed(seed) }
    #expect(added == .added)
    #expect(again == .unchanged)
    #expect(other == .unchanged)
    #expect(book?.rating == 5)
    #expect(deleted == .deletedEarlier)
  }

  @Test func `an untouched deletion can be shown once more`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo", rating: 5)) }
    try await store.syncAll(with: SmallServer())
    try await store.write { tx in try tx.delete(Book.self, id(1)) }
    _ = try await store.beginRound(batch: 10)
    let withdrawn = try await store.write { tx in try tx.withdrawDeletion(Book.self, id(1)) }
    let was = try await store.write { tx in try tx.deleted(Book.self, id(1)) }
    #expect(!withdrawn)
    #expect(was == Book(id: id(1), title: "Momo", rating: 5))
  }
}
