import CommuteCore
import CommuteSQLite
import Foundation
import StoreSupport
import Testing

@testable import CommuteStore

/// What the server refused waits for a person, who retries, edits, discards or exports it.
@Suite struct InboxTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open()
  }

  private func book(_ number: UInt64 = 1, in store: Store? = nil) async throws -> Book? {
    try await (store ?? self.store).read { tx in try tx.fetch(Book.self, id(number)) }
  }

  private func held(_ number: UInt64 = 1) -> FieldMap<FieldValue> {
    server.records[RecordKey(table: "book", id: id(number))]?.state.fields.mapValues { $0.value }
      ?? [:]
  }

  /// A book that the server has, and a change of its rating that it refused.
  private func refusedChange() async throws -> InboxEntry {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo", rating: 2)) }
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 9 } }
    server.refuse("stars are 0 to 5")
    try await store.syncAll(with: server)
    server.refuse(nil)
    return try #require(try await store.inbox().first)
  }

  /// A creation that the server refused, with a change of another record behind it in line.
  private func refusedCreation() async throws -> [InboxEntry] {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "", rating: 2)) }
    let round = try await store.beginRound(batch: 10)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.author = "Ende" } }
    server.refuse("a book needs a title")
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    _ = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    server.refuse(nil)
    return try await store.inbox()
  }

  @Test func `an entry tells everything about a refusal`() async throws {
    folder.time.setWall(1_700_000_009_000)
    let entry = try await refusedChange()
    #expect(entry.key == RecordKey(table: "book", id: id(1)))
    #expect(entry.feed == "books")
    #expect(entry.code == .invalid)
    #expect(entry.message == "stars are 0 to 5")
    #expect(entry.refusedAt == 1_700_000_009_000)
    #expect(entry.values == ["rating": .integer(9)])
    #expect(entry.before == ["rating": .integer(2)])
    #expect(entry.fields == ["rating"])
    #expect(!entry.creates && !entry.deletes)
    #expect(entry.record?.fields["rating"]?.value == .integer(2))
    #expect(entry.behind == nil)
    #expect(entry.dependants == [])
    let counts = try await store.counts()
    #expect(counts == StoreCounts(refused: 1))
  }

  @Test func `entries outlive the process`() async throws {
    let entry = try await refusedChange()
    await store.close()
    let again = try folder.open { $0.randomSeed = 9 }
    let entries = try await again.inbox()
    #expect(entries == [entry])
    try await again.retry(entry)
    let shown = try await book(in: again)
    #expect(shown?.rating == 9)
  }

  @Test func `a retry stands last in line under a new id, apart from what waits`() async throws {
    let entry = try await refusedChange()
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.read = true }
      try tx.insert(Book(id: id(2), title: "Krabat"))
    }
    let isDone = try await store.retry(entry)
    let rows = try folder.rows("SELECT id, operation <> \(entry.operation.bytes) FROM c_outbox")
    #expect(isDone)
    #expect(rows == [1, 2, 1].map { [.bytes(id($0).bytes), .integer(1)] })
    let shown = try await book()
    let entries = try await store.inbox()
    #expect(shown == Book(id: id(1), title: "Momo", read: true, rating: 9))
    #expect(entries == [])
    try await store.syncAll(with: server)
    #expect(held()["rating"] == .integer(9))
    #expect(held()["read"] == .boolean(true))
  }

  @Test func `a retry that is refused again waits again, and nothing else with it`() async throws {
    let entry = try await refusedChange()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.read = true } }
    try await store.retry(entry)
    try await store.sync(with: server)
    server.refuse("still no")
    try await store.syncAll(with: server)
    let entries = try await store.inbox()
    let shown = try await book()
    #expect(entries.map(\.message) == ["still no"])
    #expect(entries.map(\.values) == [["rating": .integer(9)]])
    #expect(shown == Book(id: id(1), title: "Momo", read: true, rating: 2))
  }

  @Test func `what stood behind a refused creation goes with it`() async throws {
    let entries = try await refusedCreation()
    let gone = try await book()
    #expect(gone == nil)
    #expect(entries.map(\.creates) == [true, false])
    #expect(entries.map(\.behind) == [nil, entries[0].id])
    #expect(entries[1].values == ["author": .text("Ende")])
    let error = await #expect(throws: StoreError.self) { try await store.retry(entries[1]) }
    #expect(error == .creationRefused(RecordKey(table: "book", id: id(1))))
    #expect(error?.message.contains("was refused, too") == true)
    try await store.retry(entries[0])
    let left = try await store.inbox()
    let shown = try await book()
    #expect(left == [])
    #expect(shown == Book(id: id(1), title: "", author: "Ende", rating: 2))
    try await store.syncAll(with: server)
    #expect(held()["author"] == .text("Ende"))
  }

  @Test func `giving a creation up gives up what stood behind it`() async throws {
    let entries = try await refusedCreation()
    let isDone = try await store.discard(entries[0])
    let again = try await store.discard(entries[0])
    let behind = try await store.discard(entries[1])
    let counts = try await store.counts()
    #expect(isDone && !again && !behind)
    #expect(counts == StoreCounts())
  }

  @Test func `what stood behind can be given up alone`() async throws {
    let entries = try await refusedCreation()
    try await store.discard(entries[1])
    try await store.retry(entries[0])
    let shown = try await book()
    #expect(shown == Book(id: id(1), title: "", rating: 2))
  }

  @Test func `an edit of an entry is a new operation`() async throws {
    let entry = try await refusedChange()
    let isDone = try await store.edit(entry, as: Book.self) { book in
      #expect(book == Book(id: id(1), title: "Momo", rating: 9))
      book.rating = 5
    }
    let entries = try await store.inbox()
    let counts = try await store.counts()
    #expect(isDone)
    #expect(entries == [])
    #expect(counts.waiting == 1)
    try await store.syncAll(with: server)
    #expect(held()["rating"] == .integer(5))
  }

  @Test func `an edit of a refused creation makes the whole record`() async throws {
    let entries = try await refusedCreation()
    try await store.edit(entries[0], as: Book.self) { book in
      #expect(book == Book(id: id(1), title: "", author: "Ende", rating: 2))
      book.title = "Momo"
    }
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
    #expect(held()["title"] == .text("Momo"))
    #expect(held()["author"] == .text("Ende"))
  }

  @Test func `an edit can be said in values by field`() async throws {
    let entries = try await refusedCreation()
    try await store.edit(entries[0], values: ["title": .text("Momo")])
    let made = try await book()
    try await store.syncAll(with: server)
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { ($0.rating, $0.read) = (9, true) }
    }
    server.refuse("no")
    try await store.syncAll(with: server)
    server.refuse(nil)
    let entry = try #require(try await store.inbox().first)
    try await store.edit(entry, values: ["rating": .integer(4)])
    let changed = try await book()
    #expect(made == Book(id: id(1), title: "Momo", author: "Ende", rating: 2))
    #expect(changed == Book(id: id(1), title: "Momo", author: "Ende", read: true, rating: 4))
  }

  @Test func `an edit that fails leaves the entry`() async throws {
    struct Regret: Error {}
    let entry = try await refusedChange()
    await #expect(throws: Regret.self) {
      try await store.edit(entry, as: Book.self) { _ in throw Regret() }
    }
    await #expect(throws: StoreError.self) {
      try await store.edit(entry, as: Book.self) { $0.title = "a\0b" }
    }
    let entries = try await store.inbox()
    let counts = try await store.counts()
    #expect(entries == [entry])
    #expect(counts.waiting == 0)
  }

  @Test func `a record that is gone by now keeps the entry`() async throws {
    let entry = try await refusedChange()
    server.put("book", id(1), feed: "books", [:], deleted: true)
    try await store.syncAll(with: server)
    let error = await #expect(throws: StoreError.self) { try await store.retry(entry) }
    let entries = try await store.inbox()
    #expect(error == .refused(.deleted(entry.key)))
    #expect(entries.map(\.id) == [entry.id])
  }

  @Test func `a decision about an entry that was decided meanwhile does nothing`() async throws {
    let entry = try await refusedChange()
    try await store.discard(entry)
    // The next entry may get the number of the one that is gone.
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 8 } }
    server.refuse("no")
    try await store.syncAll(with: server)
    let other = try await store.inbox()
    let isRetried = try await store.retry(entry)
    let isDiscarded = try await store.discard(entry)
    let isEdited = try await store.edit(entry, as: Book.self) { $0.rating = 1 }
    let entries = try await store.inbox()
    #expect(!isRetried && !isDiscarded && !isEdited)
    #expect(entries == other)
    #expect(entries.count == 1)
  }

  @Test func `what needs a refused creation waits, and the entry says so`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "Sequel")) }
    let key = RecordKey(table: "book", id: id(1))
    let needs = OutboxNeeds.pack([key]).map { String(format: "%02x", $0) }.joined()
    try folder.execute("UPDATE c_outbox SET needs = x'\(needs)'")
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "")) }
    try folder.execute(
      "UPDATE c_outbox SET not_before = \(1_700_000_000_000 + 60_000) WHERE needs IS NOT NULL")
    server.refuse("no")
    try await store.syncAll(with: server)
    let entries = try await store.inbox()
    let counts = try await store.counts()
    #expect(entries.map(\.key) == [key])
    #expect(entries.map(\.dependants) == [[RecordKey(table: "book", id: id(2))]])
    #expect(counts == StoreCounts(waiting: 1, refused: 1))
  }

  @Test func `the inbox is observed like any query`() async throws {
    var seen: [[String]] = []
    var stream = store.inboxEntries().makeAsyncIterator()
    while let entries = try await stream.next() {
      seen.append(entries.map(\.message))
      switch seen.count {
      case 1: _ = try await refusedChange()
      case 2: try await store.discard(entries[0])
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen == [[], ["stars are 0 to 5"], []])
  }

  @Test func `an export holds everything of every entry`() async throws {
    _ = try await refusedChange()
    let bytes = try await store.exportInbox()
    let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    let all = try #require(object)
    let entry = try #require((all["refused"] as? [[String: Any]])?.first)
    let operation = try #require(entry["operation"] as? [String: Any])
    let fields = try #require(operation["fields"] as? [String: [String: Any]])
    let record = try #require(entry["record"] as? [String: Any])
    #expect(all["owner"] as? String == "local/local")
    #expect(all["device"] as? String == "laptop")
    #expect(entry["code"] as? String == "invalid")
    #expect(entry["message"] as? String == "stars are 0 to 5")
    #expect(entry["refusedAt"] as? Int == 1_700_000_000_000)
    #expect(operation["id"] as? String != nil)
    #expect((fields["rating"]?["value"] as? [String: String]) == ["i": "9"])
    #expect((fields["rating"]?["base"] as? [String: String]) == ["i": "2"])
    #expect(record["id"] as? String == id(1).text)
  }
}
