import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A device whose clock stood years ahead: it comes back when the server has settled what it wrote.
@Suite struct LoweringTests {
  static let now: Int64 = 1_700_000_000_000
  static let ahead: Int64 = now + 365 * 86_400_000

  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() async throws {
    folder = try TemporaryStore()
    folder.time.setWall(Self.ahead)
    store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "1")) }
  }

  /// The clock as a file that is opened goes on from it, in milliseconds.
  private func clockInFile() throws -> Int64 {
    let stored = try folder.value(
      "SELECT max(clock, (SELECT coalesce(max(clock), 0) FROM c_outbox)) FROM c_meta")
    guard case .integer(let clock) = stored else { return 0 }
    return clock >> 16
  }

  private func ownReplicas() throws -> [[SQLValue]] {
    try folder.rows("SELECT replica FROM c_replica WHERE own > 0 ORDER BY own")
  }

  @Test func `the answer that settles everything sets the clock back, under a new id`()
    async throws
  {
    let before = try await store.device().replica
    #expect(try clockInFile() >= Self.ahead)
    try await store.syncAll(with: server)
    #expect(try clockInFile() <= Self.now + 60_000)
    let device = try await store.device()
    #expect(device.replica != before)
    #expect(device.earlierReplicas == [before])
    #expect(device.number == 0)
    #expect(try ownReplicas() == [[.text(before.text)], [.text(device.replica.text)]])
    // What is written now counts as written now, on all devices.
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.title = "one" } }
    try await store.syncAll(with: server)
    let title = server.records[RecordKey(table: "book", id: id(1))]?.state.fields["title"]
    #expect(title?.value == .text("one"))
    #expect(title?.origin.milliseconds ?? .max <= UInt64(Self.now + 60_000))
    #expect(title?.origin.replica == device.replica)
    #expect(title?.stamp == title?.origin)
  }

  @Test func `it goes on from there when the file is opened again`() async throws {
    try await store.syncAll(with: server)
    let replica = try await store.device().replica
    await store.close()
    folder.time.setWall(Self.now)
    let again = try folder.open { $0.randomSeed = 2 }
    let device = try await again.device()
    #expect(device.replica == replica)
    #expect(device.clock.last >> 16 <= UInt64(Self.now + 60_000))
  }

  @Test func `a change still in line holds the clock where it is, until it is settled`()
    async throws
  {
    let before = try await store.device().replica
    let round = try await store.beginRound(batch: 1)
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "2")) }
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: Self.now))
    _ = try await store.apply(answer, roundTrip: 20)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(1))
    #expect(try clockInFile() >= Self.ahead)
    #expect(try await store.device().replica == before)
    try await store.sync(with: server)
    #expect(try clockInFile() <= Self.now + 60_000)
  }

  @Test func `so does what was refused, until a person has decided`() async throws {
    server.refuse("no")
    try await store.syncAll(with: server)
    #expect(try clockInFile() >= Self.ahead)
    server.refuse(nil)
    let entry = try #require(try await store.inbox().first)
    try await store.discard(entry)
    try await store.syncAll(with: server)
    #expect(try clockInFile() <= Self.now + 60_000)
  }

  @Test func `a row that is behind keeps no clock that the file would go on from`() async throws {
    try await store.syncAll(with: server)
    folder.time.setWall(Self.now)
    try await store.write { tx in
      try tx.insert(Book(id: id(2), title: "2"))
      try tx.insertSeed(Book(id: id(3), title: "3"))
    }
    // The wall clock jumps, and only a seed is written meanwhile, which carries no time.
    folder.time.setWall(Self.ahead)
    try await store.write { tx in
      try tx.insert(Book(id: id(4), title: "4"))
      try tx.insertSeed(Book(id: id(5), title: "5"))
    }
    folder.time.setWall(Self.now)
    let round = try await store.beginRound(batch: 3)
    #expect(round.request.operations.map(\.operation.key.id) == [id(2), id(3), id(4)])
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: Self.now))
    _ = try await store.apply(answer, roundTrip: 20)
    #expect(try folder.rows("SELECT id FROM c_outbox") == [[.bytes(id(5).bytes)]])
    #expect(try clockInFile() <= Self.now + 60_000)
    await store.close()
    let again = try folder.open { $0.randomSeed = 2 }
    #expect(try await again.device().clock.last >> 16 <= UInt64(Self.now + 60_000))
  }

  @Test func `what the server itself tells from the future holds it, and is not searched for anew`()
    async throws
  {
    server.put("book", id(7), feed: "books", ["title": .text("7")], time: Self.ahead)
    try await store.syncAll(with: server)
    let replica = try await store.device().replica
    #expect(try clockInFile() >= Self.ahead)
    server.put("book", id(7), feed: "books", ["title": .text("7b")], time: Self.now)
    try await store.syncAll(with: server)
    #expect(try await store.device().replica == replica)
    folder.time.advance(600_000)
    try await store.syncAll(with: server, time: Self.now + 600_000)
    #expect(try await store.device().replica != replica)
    #expect(try clockInFile() <= Self.now + 660_000)
  }

  @Test func `a page that is on its way already is not cut off`() async throws {
    try await store.syncAll(with: server)
    let lowered = try await store.device().replica
    for number in 10..<14 {
      server.put("book", id(UInt64(number)), feed: "books", ["title": .text("\(number)")])
    }
    // Somebody else's stamp from the future leads it astray, and is gone with the next page.
    server.put("book", id(10), feed: "books", ["title": .text("x")], time: Self.ahead)
    server.cutPages(after: 2)
    let first = try await store.beginRound(batch: 0)
    let page = try SyncAnswer(decoding: server.answer(first.bytes, time: Self.now))
    let next = try #require(first.following(page, wall: Self.now))
    _ = try await store.apply(page, roundTrip: 20, next: next.request.nonce)
    let last = try SyncAnswer(decoding: server.answer(next.bytes, time: Self.now))
    let applied = try await store.apply(last, roundTrip: 20)
    #expect(applied.reading == .apply)
    #expect(applied.records == 2)
    #expect(try await store.device().replica == lowered)
  }
}
