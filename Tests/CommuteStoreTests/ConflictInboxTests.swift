import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

/// A value that lost unseen is told to the device that wrote it, which restores it or lets it go.
@Suite struct ConflictInboxTests {
  let folder: TemporaryStore
  let store: Store
  let otherFolder: TemporaryStore
  let tablet: Store
  let server = SmallServer()
  let book = RecordKey(table: "book", id: id(1))

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open()
    otherFolder = try TemporaryStore()
    tablet = try otherFolder.open {
      $0.randomSeed = 2
      $0.deviceName = "tablet"
    }
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo", rating: 2)) }
    try await store.syncAll(with: server)
    try await tablet.syncAll(with: server)
  }

  /// Both give the book a title, the tablet later and first at the server.
  private func clash() async throws {
    folder.time.advance(1_000)
    otherFolder.time.advance(2_000)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.title = "Mumu" } }
    try await tablet.write { tx in try tx.update(Book.self, id(1)) { $0.title = "Mimi" } }
    try await tablet.syncAll(with: server)
    try await store.syncAll(with: server)
    try await tablet.syncAll(with: server)
  }

  private func title(in store: Store) async throws -> String? {
    try await store.read { tx in try tx.fetch(Book.self, id(1))?.title }
  }

  private var isTold: Bool {
    server.records.contains { $0.key.table == ConflictEntry.table && $0.value.state.deleted == nil }
  }

  @Test func `the device whose value lost is told, others pass it over`() async throws {
    try await clash()
    let conflicts = try await store.conflicts()
    let others = try await tablet.conflicts()
    let counts = try await store.counts()
    let otherCounts = try await tablet.counts()
    let entry = try #require(conflicts.first)
    #expect(conflicts.count == 1)
    #expect(others == [])
    #expect(counts == StoreCounts(conflicts: 1))
    #expect(otherCounts == StoreCounts())
    #expect(entry.conflict.record == book)
    #expect(entry.conflict.field == "title")
    #expect(entry.conflict.rule == "latest")
    #expect(entry.conflict.lost == .text("Mumu"))
    #expect(entry.conflict.kept == .text("Mimi"))
    #expect(entry.feed == "books")
    let here = try await title(in: store)
    #expect(here == "Mimi")
  }

  @Test func `restoring is a new write, and the conflict is over everywhere`() async throws {
    try await clash()
    let entry = try #require(try await store.conflicts().first)
    let isDone = try await store.restore(entry)
    let left = try await store.conflicts()
    let shown = try await title(in: store)
    #expect(isDone)
    #expect(left == [])
    #expect(shown == "Mumu")
    #expect(isTold)
    try await store.syncAll(with: server)
    try await tablet.syncAll(with: server)
    let there = try await title(in: tablet)
    let counts = try await store.counts()
    let others = try await tablet.counts()
    #expect(there == "Mumu")
    #expect(!isTold)
    #expect(counts == StoreCounts())
    #expect(others == StoreCounts())
    let again = try await store.restore(entry)
    #expect(!again)
  }

  @Test func `dismissing lets the value go`() async throws {
    try await clash()
    let entry = try #require(try await store.conflicts().first)
    let isDone = try await store.dismiss(entry)
    let again = try await store.dismiss(entry)
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    let shown = try await title(in: store)
    #expect(isDone && !again)
    #expect(!isTold)
    #expect(shown == "Mimi")
    #expect(counts == StoreCounts())
  }

  @Test func `conflicts outlive the process, a dismissal too`() async throws {
    try await clash()
    let before = try await store.conflicts()
    await store.close()
    let again = try folder.open { $0.randomSeed = 9 }
    let after = try await again.conflicts()
    #expect(after == before)
    try await again.dismiss(try #require(after.first))
    await again.close()
    let third = try folder.open { $0.randomSeed = 11 }
    let left = try await third.conflicts()
    #expect(left == [])
    try await third.syncAll(with: server)
    #expect(!isTold)
  }

  @Test func `a dismissal that the server refuses brings the conflict back`() async throws {
    try await clash()
    let entry = try #require(try await store.conflicts().first)
    try await store.dismiss(entry)
    server.refuse("no")
    try await store.syncAll(with: server)
    let conflicts = try await store.conflicts()
    let refused = try await store.inbox()
    #expect(conflicts.map(\.conflict) == [entry.conflict])
    #expect(refused.map(\.key.table) == [ConflictEntry.table])
    server.refuse(nil)
    try await store.retry(refused[0])
    try await store.syncAll(with: server)
    let left = try await store.counts()
    #expect(left == StoreCounts())
    #expect(!isTold)
  }

  @Test func `what cannot be restored stays`() async throws {
    try await clash()
    let entry = try #require(try await store.conflicts().first)
    try await store.write { tx in _ = try tx.delete(Book.self, id(1)) }
    let error = await #expect(throws: StoreError.self) { try await store.restore(entry) }
    let conflicts = try await store.conflicts()
    let counts = try await store.counts()
    #expect(error == .refused(.deleted(book)))
    #expect(conflicts == [entry])
    #expect(counts.waiting == 1)
  }

  @Test func `conflicts are observed like any query`() async throws {
    var seen: [Int] = []
    var stream = store.conflictEntries().makeAsyncIterator()
    while let conflicts = try await stream.next() {
      if seen.last != conflicts.count { seen.append(conflicts.count) }
      switch seen.count {
      case 1: try await clash()
      case 2: try await store.dismiss(conflicts[0])
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen == [0, 1, 0])
  }

  @Test func `an export holds the conflicts`() async throws {
    try await clash()
    let bytes = try await store.exportInbox()
    let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    let conflict = try #require((object?["conflicts"] as? [[String: Any]])?.first)
    #expect(conflict["field"] as? String == "title")
    #expect(conflict["rule"] as? String == "latest")
    #expect(conflict["lost"] as? String == "Mumu")
    #expect(conflict["kept"] as? String == "Mimi")
    #expect((conflict["record"] as? [String: String])?["id"] == id(1).text)
    #expect(conflict["feed"] as? String == "books")
  }
}
