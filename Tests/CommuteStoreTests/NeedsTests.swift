import CommuteCore
import CommuteSQLite
import StoreSupport
import Testing

@testable import CommuteStore

/// A volume of a series, which may continue another one.
private struct Volume: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var book = RecordID.zero
  var after: RecordID?

  static let table = Table("volume", feed: "books", blank: Volume()) {
    Column("title", \.title)
    Column("book", \.book, references: Reference("book"))
    Column("after", \.after, references: Reference("volume"))
  }
}

/// A change that refers to a record which is made here, too, goes with it or waits for it.
@Suite struct NeedsTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table, Volume.table])
  }

  private static func key(_ table: Key, _ number: UInt64) -> RecordKey {
    RecordKey(table: table, id: id(number))
  }

  /// What the rows of a record need, as the file has it.
  private func needs(_ number: UInt64) throws -> [SQLValue] {
    try folder.rows("SELECT needs FROM c_outbox WHERE id = \(id(number))").map { $0[0] }
  }

  private func packed(_ keys: RecordKey...) -> SQLValue { .bytes(OutboxNeeds.pack(keys)) }

  /// The records of a round's operations, in order.
  private func sent(_ batch: Int) async throws -> [RecordID] {
    let round = try await store.beginRound(batch: batch)
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    _ = try await store.apply(answer, roundTrip: 10)
    return round.request.operations.map(\.operation.key.id)
  }

  @Test func `what is referred to is needed while it is still to be made here`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.insert(Volume(id: id(11), title: "I", book: id(1)))
      try tx.insert(Volume(id: id(12), title: "II", book: id(1), after: id(11)))
      try tx.insert(Volume(id: id(13), title: "of another's book", book: id(99)))
    }
    #expect(try needs(11) == [packed(Self.key("book", 1))])
    #expect(try needs(12) == [packed(Self.key("book", 1), Self.key("volume", 11))])
    #expect(try needs(13) == [.null])
    let round = try await store.beginRound(batch: 10)
    #expect(
      round.request.operations.map(\.operation.needs) == [
        [], [Self.key("book", 1)], [Self.key("book", 1), Self.key("volume", 11)], [],
      ])
    try await store.abandonRound(settledNothing: true)
    try await store.syncAll(with: server)
    #expect(server.records.count == 4)
    try await store.write { tx in try tx.insert(Volume(id: id(14), book: id(1), after: id(12))) }
    #expect(try needs(14) == [.null])
  }

  @Test func `a reference that comes later pulls what is behind it in line along`() async throws {
    try await store.write { tx in
      try tx.insert(Volume(id: id(11), title: "I"))
      try tx.insert(Volume(id: id(12), title: "II"))
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.update(Volume.self, id(11)) { $0.book = id(1) }
    }
    #expect(try needs(11) == [packed(Self.key("book", 1))])
    #expect(try await sent(1) == [id(11), id(1)])
    #expect(try await sent(1) == [id(12)])
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }

  @Test func `a reference that is taken back is not needed any more`() async throws {
    try await store.write { tx in
      try tx.insert(Volume(id: id(11), title: "I"))
      try tx.insert(Volume(id: id(12), title: "II", after: id(11)))
    }
    #expect(try needs(12) == [packed(Self.key("volume", 11))])
    try await store.write { tx in try tx.update(Volume.self, id(12)) { $0.after = nil } }
    #expect(try needs(12) == [.null])
    try await store.write { tx in try tx.update(Volume.self, id(12)) { $0.after = id(12) } }
    #expect(try needs(12) == [.null])
  }

  @Test func `a record that the server has needs what it comes to refer to`() async throws {
    try await store.write { tx in try tx.insert(Volume(id: id(11), title: "I")) }
    try await store.syncAll(with: server)
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.update(Volume.self, id(11)) { $0.book = id(1) }
    }
    #expect(try needs(11) == [packed(Self.key("book", 1))])
  }

  @Test func `nobody waits for a record that another device made meanwhile`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.insert(Volume(id: id(11), title: "I", book: id(1)))
    }
    let round = try await store.beginRound(batch: 1)
    let operation = try #require(round.request.operations.first).operation.id
    try await store.abandonRound(settledNothing: true)
    try await store.postpone(operation, until: 1_700_000_003_000)
    #expect(try await sent(10).isEmpty)
    server.put("book", id(1), feed: "books", ["title": .text("Emma")])
    #expect(try await sent(10).isEmpty)
    #expect(try await sent(10) == [id(11)])
  }

  @Test func `records that need each other travel in one request`() async throws {
    try await store.write { tx in
      try tx.insert(Volume(id: id(11), title: "I", after: id(12)))
      for number in 20..<30 { try tx.insert(Book(id: id(UInt64(number)), title: "\(number)")) }
      try tx.insert(Volume(id: id(12), title: "II", after: id(11)))
      try tx.update(Volume.self, id(11)) { $0.title = "One" }
    }
    #expect(try await sent(1) == [id(11), id(12)])
    #expect(server.records.count == 2)
    try await store.syncAll(with: server)
    #expect(server.records.count == 12)
  }

  @Test func `what needs a record that must wait waits with it, and no round is made for it`()
    async throws
  {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.insert(Volume(id: id(11), title: "I", book: id(1)))
      try tx.insert(Book(id: id(2), title: "Momo"))
    }
    try folder.execute(
      "UPDATE c_outbox SET not_before = 1700000060000 WHERE tbl = 'book' AND position = 1")
    let applied = try await store.sync(with: server)
    #expect(applied.settled == 1)
    #expect(!applied.more)
    #expect(server.records[Self.key("book", 2)] != nil)
    folder.time.advance(60_000)
    try await store.syncAll(with: server)
    #expect(server.records.count == 3)
  }

  @Test func `a refused creation is waited for, and the entry names who waits`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "")) }
    server.refuse("no title")
    try await store.syncAll(with: server)
    server.refuse(nil)
    try await store.write { tx in
      try tx.insert(Volume(id: id(11), title: "I", book: id(1)))
      try tx.insert(Book(id: id(2), title: "Momo"))
    }
    try await store.syncAll(with: server)
    #expect(server.records.keys.map(\.id) == [id(2)])
    let entry = try #require(try await store.inbox().first)
    #expect(entry.dependants == [Self.key("volume", 11)])
    try await store.edit(entry, as: Book.self) { $0.title = "Emma" }
    folder.time.advance(OutboxRow.longestDelay)
    try await store.syncAll(with: server)
    #expect(server.records.count == 3)
    #expect(try await store.counts() == StoreCounts())
  }

  @Test func `where it is given up, who waited goes to the inbox, and can do without`() async throws
  {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: ""))
      try tx.insert(Volume(id: id(11), title: "I", book: id(1)))
      try tx.insert(Volume(id: id(12), title: "II", after: id(11)))
    }
    server.refuse("no title")
    let round = try await store.beginRound(batch: 1)
    let answer = try SyncAnswer(decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    _ = try await store.apply(answer, roundTrip: 10)
    server.refuse(nil)
    let refused = try #require(try await store.inbox().first)
    #expect(refused.dependants == [Self.key("volume", 11)])
    try await store.discard(refused)
    let entries = try await store.inbox()
    #expect(entries.map(\.key) == [Self.key("volume", 11)])
    #expect(entries.map(\.code) == [.gone])
    #expect(
      entries.map(\.message) == [
        "it needs book \(id(1).text), whose creation was given up"
      ])
    #expect(entries.map(\.dependants) == [[Self.key("volume", 12)]])
    #expect(
      try folder.rows("SELECT id FROM c_outbox") == [[.bytes(id(12).bytes)]])
    try await store.retry(entries[0])
    #expect(try needs(11) == [.null])
    folder.time.advance(OutboxRow.longestDelay)
    try await store.syncAll(with: server)
    #expect(Set(server.records.keys.map(\.id)) == [id(11), id(12)])
    #expect(try await store.counts() == StoreCounts())
  }

  @Test func `what is needed is found however far behind it stands`() async throws {
    try await store.write { tx in
      try tx.insert(Volume(id: id(50), title: "I"))
      for number in 100..<1_600 {
        try tx.insert(Book(id: id(UInt64(number)), title: "\(number)"))
      }
      try tx.insert(Book(id: id(1), title: "Emma"))
      try tx.update(Volume.self, id(50)) { $0.book = id(1) }
    }
    #expect(try await sent(3) == [id(50), id(100), id(1)])
    try await store.syncAll(with: server)
    #expect(server.records.count == 1_502)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }
}
