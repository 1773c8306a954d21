import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

@Suite struct RoundTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open()
  }

  @Test func `what is marked in flight has frozen bytes in the file`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let round = try await store.beginRound(batch: 10)
    let row = try folder.rows("SELECT in_flight, attempts, perhaps_sent, bytes FROM c_outbox")
    let number = try folder.value("SELECT number FROM c_meta")
    #expect(round.operationCount == 1)
    #expect(
      row == [[.integer(1), .integer(1), .integer(1), .bytes(round.request.operations[0].bytes)]])
    #expect(number == .integer(1))
  }

  @Test func `a settled operation leaves the line, and the row has its revision`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let applied = try await store.sync(with: server)
    let counts = try await store.counts()
    #expect(applied.settled == 1)
    #expect(!applied.more)
    #expect(counts == StoreCounts())
    #expect(server.records.count == 1)
    #expect(try folder.value("SELECT cursor FROM c_feed") == .integer(1))
  }

  @Test func `an operation is sent again with the same bytes after no answer`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let first = try await store.beginRound(batch: 10)
    try await store.abandonRound()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 3 } }
    let second = try await store.beginRound(batch: 10)
    #expect(second.request.operations.map(\.bytes) == first.request.operations.map(\.bytes))
    #expect(second.request.again == first.request.operations.map(\.operation.id))
    #expect(second.request.number == first.request.number + 1)
  }

  @Test func `a change behind one in flight waits and goes with the next round`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let round = try await store.beginRound(batch: 10)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 3 } }
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    let applied = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    let bases = try folder.bases().count
    #expect(applied.more)
    #expect(bases == 1)
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    #expect(counts.waiting == 0)
    #expect(try folder.bases().count == 0)
    let held = server.records[RecordKey(table: "book", id: id(1))]
    #expect(held?.state.fields["rating"]?.value == .integer(3))
  }

  @Test func `an answer to another round changes nothing`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let first = try await store.beginRound(batch: 10)
    try await store.abandonRound()
    _ = try await store.beginRound(batch: 10)
    let late = try SyncAnswer(decoding: server.answer(first.bytes, time: 1_700_000_000_000))
    let applied = try await store.apply(late, roundTrip: 10)
    let counts = try await store.counts()
    #expect(applied.reading == .ignored)
    #expect(counts.inFlight == 1)
  }

  @Test func `a pulled record is a row, and a pulled deletion removes it`() async throws {
    server.put("book", id(5), feed: "books", ["title": .text("Krabat"), "rating": .integer(4)])
    try await store.sync(with: server)
    let book = try await store.read { tx in try tx.fetch(Book.self, id(5)) }
    server.put("book", id(5), feed: "books", [:], deleted: true)
    try await store.sync(with: server)
    let gone = try await store.read { tx in try tx.fetch(Book.self, id(5)) }
    #expect(book == Book(id: id(5), title: "Krabat", rating: 4))
    #expect(gone == nil)
    #expect(try folder.value("SELECT count(*) FROM c_tombstone") == .integer(1))
  }

  @Test func `pages are read one after another`() async throws {
    for number in 1...7 {
      server.put("book", id(UInt64(number)), feed: "books", ["title": .text("\(number)")])
    }
    server.cutPages(after: 3)
    let first = try await store.sync(with: server)
    try await store.syncAll(with: server)
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(first.more)
    #expect(first.records == 3)
    #expect(count == 7)
  }

  @Test func `a refused operation waits in the inbox, and the view returns to base`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.title = "Mumu" } }
    server.refuse("titles are fixed")
    let applied = try await store.sync(with: server)
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    let inbox = try await store.inbox()
    #expect(applied.rejected == 1)
    #expect(book?.title == "Momo")
    #expect(inbox.map(\.message) == ["titles are fixed"])
    #expect(inbox.first?.fields == ["title"])
    let forgotten = try await store.discard(inbox[0])
    let counts = try await store.counts()
    #expect(forgotten)
    #expect(counts == StoreCounts())
  }

  @Test func `a refused change can be tried once more`() async throws {
    server.refuse("not now")
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo", rating: 2)) }
    try await store.syncAll(with: server)
    let inbox = try await store.inbox()
    let gone = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    server.refuse(nil)
    let retried = try await store.retry(inbox[0])
    let back = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    #expect(gone == nil)
    #expect(retried)
    #expect(back == Book(id: id(1), title: "Momo", rating: 2))
    #expect(counts == StoreCounts())
    #expect(server.records.count == 1)
  }

  @Test func `two devices that edit one book both keep their edits`() async throws {
    let other = try TemporaryStore()
    let tablet = try other.open { $0.randomSeed = 2 }
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await store.syncAll(with: server)
    try await tablet.syncAll(with: server)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.read = true } }
    try await tablet.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    try await store.syncAll(with: server)
    try await tablet.syncAll(with: server)
    try await store.syncAll(with: server)
    let here = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    let there = try await tablet.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(here == there)
    #expect(here?.read == true)
    #expect(here?.rating == 5)
  }

  @Test func `applying everything once more changes nothing`() async throws {
    server.put("book", id(5), feed: "books", ["title": .text("Krabat")])
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await store.syncAll(with: server)
    let before = try dump()
    try folder.execute("UPDATE c_feed SET cursor = NULL")
    try await store.syncAll(with: server)
    #expect(try dump() == before)
  }

  private func dump() throws -> [[SQLValue]] {
    try folder.rows("SELECT * FROM book ORDER BY id")
      + folder.rows("SELECT * FROM c_outbox") + folder.rows("SELECT * FROM c_base")
      + folder.rows("SELECT * FROM c_feed") + folder.rows("SELECT * FROM c_tombstone")
  }

  @Test func `a batch takes the oldest, and says that there is more`() async throws {
    try await store.write { tx in
      for number in 1...5 { try tx.insert(Book(id: id(UInt64(number)), title: "\(number)")) }
    }
    let round = try await store.beginRound(batch: 2)
    let ids = round.request.operations.map(\.operation.key.id)
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    let applied = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    #expect(ids == [id(1), id(2)])
    #expect(applied.more)
  }

  @Test func `an operation that must wait is passed over`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo"))
      try tx.insert(Book(id: id(2), title: "Krabat"))
    }
    let first = try await store.beginRound(batch: 1)
    try await store.abandonRound(settledNothing: true)
    try await store.postpone(
      first.request.operations[0].operation.id, until: 1_700_000_001_000)
    let second = try await store.beginRound(batch: 10)
    #expect(second.request.operations.map(\.operation.key.id) == [id(2)])
    folder.time.advance(2_000)
    try await store.abandonRound()
    let third = try await store.beginRound(batch: 10)
    #expect(third.operationCount == 2)
  }
}
