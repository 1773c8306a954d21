import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// What was read how often, counted on each device.
struct Shelfmark: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var loans = 0

  static let table = Table("shelfmark", feed: "books", blank: Shelfmark()) {
    Column("title", \.title)
    Column("loans", \.loans, merge: .counter)
  }
}

/// A file that lives twice under one replica id: the server finds out, and nothing is lost.
@Suite struct RenewalTests {
  static let now: Int64 = 1_700_000_000_000

  let folder: TemporaryStore
  let store: Store
  let server: SmallServer
  let key = RecordKey(table: "shelfmark", id: id(1))

  init() async throws {
    server = SmallServer(tables: [Shelfmark.table.schema])
    folder = try TemporaryStore()
    store = try folder.open([Shelfmark.table])
    try await store.write { tx in try tx.insert(Shelfmark(id: id(1), title: "A 1", loans: 1)) }
    try await store.syncAll(with: server)
  }

  /// Another copy of the running machine has lent a book five times, under the same replica id and
  /// with the same request number.
  private func letCopyCount(upTo total: UInt64 = 6) async throws {
    let device = try await store.device()
    var operation = Operation(
      id: OperationID(high: 7, low: 7), schema: 1, replica: device.replica, key: key,
      feed: "books", creates: false)
    operation.fields["loans"] = OperationField(
      value: .null,
      stamp: Stamp(milliseconds: UInt64(Self.now), counter: 9, replica: device.replica),
      rule: .counter,
      detail: .total([
        CounterShare(
          replica: device.replica, before: CounterTotal(up: 1), after: CounterTotal(up: total))
      ]))
    var copy = device
    let row = OutboxRow(operation: operation, isInFlight: true, bytes: operation.encoded())
    let request = copy.begin(
      with: [row], nonce: Nonce(high: 1, low: 1),
      build: Device.Build(
        schema: SchemaID(name: "app", version: 1, hash: 0), build: "", device: ""),
      wall: Self.now)
    let answer = try SyncAnswer(decoding: server.answer(request.encoded(), time: Self.now))
    #expect(answer.verdicts.map(\.kind) == [.applied])
  }

  private func shown() async throws -> Shelfmark? {
    try await store.read { tx in try tx.fetch(Shelfmark.self, id(1)) }
  }

  private var held: FieldState? { server.records[key]?.state.fields["loans"] }

  @Test func `what was counted in both copies is counted, and a person is told`() async throws {
    let before = try await store.device().replica
    try await letCopyCount()
    try await store.write { tx in
      try tx.update(Shelfmark.self, id(1)) {
        $0.loans += 3
        $0.title = "A 2"
      }
    }
    let applied = try await store.sync(with: server)
    #expect(applied.reading == .renewed)
    let device = try await store.device()
    #expect(device.replica != before)
    #expect(device.earlierReplicas == [before])
    #expect(device.number == 0)
    // The title stays in its operation; the count has one of its own under the new id.
    #expect(
      try folder.rows(
        """
        SELECT tbl, c_replica.replica, bytes IS NULL FROM c_outbox
        JOIN c_replica ON c_replica.number = c_outbox.replica ORDER BY position
        """) == [
          [.text("shelfmark"), .text(before.text), .integer(1)],
          [.text("shelfmark"), .text(device.replica.text), .integer(1)],
          [.text("c_conflict"), .text(device.replica.text), .integer(1)],
        ])
    #expect(try await shown() == Shelfmark(id: id(1), title: "A 2", loans: 4))
    try await store.syncAll(with: server)
    #expect(held?.counter.value == 9)
    #expect(try await shown() == Shelfmark(id: id(1), title: "A 2", loans: 9))
    let conflicts = try await store.conflicts()
    let conflict = try #require(conflicts.first?.conflict)
    #expect(conflicts.count == 1)
    #expect(conflict.mayBeCountedTwice)
    #expect(conflict.record == key)
    #expect(conflict.lost == .integer(1))
    #expect(conflict.kept == .integer(4))
    // It was counted twice: the person takes it back.
    try await store.restore(conflicts[0])
    try await store.syncAll(with: server)
    #expect(held?.counter.value == 6)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
  }

  @Test func `what moved is gone from the operation that stays`() async throws {
    try await letCopyCount(upTo: 2)
    try await store.write { tx in
      try tx.update(Shelfmark.self, id(1)) {
        $0.loans += 3
        $0.title = "A 2"
      }
    }
    let applied = try await store.sync(with: server)
    #expect(applied.reading == .renewed)
    try await store.syncAll(with: server)
    #expect(held?.counter.value == 5)
    #expect(try await shown() == Shelfmark(id: id(1), title: "A 2", loans: 5))
  }

  @Test func `an operation that the server has applied is not counted again under its id`()
    async throws
  {
    try await store.write { tx in try tx.update(Shelfmark.self, id(1)) { $0.loans += 3 } }
    let round = try await store.beginRound(batch: 10)
    try await store.abandonRound()
    _ = try server.answer(round.bytes, time: Self.now)
    try await store.syncAll(with: server)
    let conflicts = try await store.conflicts()
    #expect(held?.counter.value == 4)
    #expect(conflicts.isEmpty)
  }

  @Test func `a count in a feed that was taken away and given again counts`() async throws {
    let before = try await store.device().replica
    server.revoke("books", "you left the team")
    try await store.syncAll(with: server)
    let after = try await store.device().replica
    #expect(after != before)
    server.revoke("books", nil)
    try await store.write { tx in try tx.insert(Shelfmark(id: id(1), title: "A 1", loans: 1)) }
    try await store.syncAll(with: server)
    #expect(held?.counter.value == 2)
    #expect(try await shown()?.loans == 2)
  }

  @Test func `a renewal without counters moves nothing`() async throws {
    try await letCopyCount()
    try await store.write { tx in try tx.update(Shelfmark.self, id(1)) { $0.title = "A 2" } }
    let applied = try await store.sync(with: server)
    #expect(applied.reading == .renewed)
    #expect(applied.more)
    #expect(
      try folder.rows("SELECT in_flight, perhaps_sent, bytes IS NULL FROM c_outbox")
        == [[.integer(1), .integer(0), .integer(0)]])
    try await store.syncAll(with: server)
    let conflicts = try await store.conflicts()
    #expect(conflicts.isEmpty)
    #expect(try await shown() == Shelfmark(id: id(1), title: "A 2", loans: 6))
  }

  @Test func `the new id is outside the file, too, before anything is sent`() async throws {
    try await letCopyCount()
    try await store.write { tx in try tx.update(Shelfmark.self, id(1)) { $0.loans += 3 } }
    try await store.sync(with: server)
    let replica = try await store.device().replica
    await store.close()
    let again = try folder.open([Shelfmark.table]) { $0.randomSeed = 2 }
    let device = try await again.device()
    #expect(device.replica == replica)
  }
}
