import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// Writing by property, by query and in parts: only what really changes is queued.
@Suite(.timeLimit(.minutes(2))) struct BulkWritingTests {
  let folder: TemporaryStore
  let store: Store

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open(Library.tables + [Book.table])
  }

  /// How many rows wait in the outbox.
  private func queued() throws -> SQLValue? {
    try folder.value("SELECT count(*) FROM c_outbox")
  }

  /// Everything that was queued is sent, so that later rows are counted alone.
  private func settle() async throws {
    try await store.syncAll(with: SmallServer(tables: [Novel.table.schema]))
  }

  @Test func `saving adds what is new, and writes what differs over what is there`() async throws {
    let fresh = try await store.write { tx in try tx.save(Novel(title: "new")) }
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "a", pages: 1)) }
    try await settle()
    let same = try await store.write { tx in try tx.save(Novel(id: id(1), title: "a", pages: 1)) }
    #expect(try queued() == .integer(0))
    let other = try await store.write { tx in
      try tx.save([Novel(id: id(1), title: "b", pages: 1), Novel(id: id(2), title: "c")])
    }
    let rows = try folder.rows("SELECT id, title FROM novel ORDER BY title")
    #expect(fresh != .zero)
    #expect(same == id(1))
    #expect(other == [id(1), id(2)])
    #expect(try queued() == .integer(2))
    #expect(rows.map { $0[1] } == [.text("b"), .text("c"), .text("new")])
    try await store.write { tx in try tx.delete(Novel.self, id(2)) }
    await #expect(throws: StoreError.refused(.deleted(RecordKey(table: "novel", id: id(2))))) {
      try await store.write { tx in try tx.save(Novel(id: id(2), title: "c")) }
    }
  }

  @Test func `one property is written by its path, and only where it is another value`()
    async throws
  {
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "a")) }
    try await settle()
    let same = try await store.write { tx in try tx.set(\Novel.title, to: "a", on: id(1)) }
    #expect(try queued() == .integer(0))
    let other = try await store.write { tx in try tx.set(\Novel.title, to: "b", on: id(1)) }
    #expect(!same)
    #expect(other)
    #expect(try folder.value("SELECT title FROM novel") == .text("b"))
    let round = try await store.beginRound(batch: 10)
    let fields = round.request.operations.map { $0.operation.fields.entries.map(\.name) }
    #expect(fields == [["title"]])
    await #expect(
      throws: StoreError.query(
        reason: "\\Novel.id is no column of novel; declare it in the table")
    ) {
      try await store.write { tx in try tx.set(\Novel.id, to: id(3), on: id(1)) }
    }
  }

  @Test func `records of a query are changed, set and deleted, each only where it differs`()
    async throws
  {
    try await store.write { tx in
      try tx.insert((1...20).map { Novel(id: id(UInt64($0)), title: "t\($0)", pages: $0 % 4) })
      try tx.insert((1...4).map { Draft(id: id(UInt64($0)), text: "d", line: $0) })
    }
    try await settle()
    let changed = try await store.write { tx in
      try tx.update(Novel.where(\.pages == 3)) { $0.title += "!" }
    }
    let set = try await store.write { tx in
      try tx.set(\.pages, to: 1, in: Novel.where(\.pages < 2))
    }
    let drafts = try await store.write { tx in
      try tx.update(Draft.where(\.line > 2)) { $0.text = "e" }
    }
    #expect(changed == 5)
    #expect(set == 5)
    #expect(drafts == 2)
    #expect(try queued() == .integer(10))
    #expect(try folder.value("SELECT count(*) FROM novel WHERE title GLOB '*!'") == .integer(5))
    #expect(try folder.value("SELECT count(*) FROM novel WHERE pages = 1") == .integer(10))
    #expect(try folder.value("SELECT count(*) FROM draft WHERE text = 'e'") == .integer(2))
    let deleted = try await store.write { tx in
      try tx.delete(Novel.order(by: \.title).limit(7))
    }
    let some = try await store.write { tx in try tx.delete(Draft.self, [id(1), id(2), id(77)]) }
    let one = try await store.write { tx in try tx.delete(Draft(id: id(3))) }
    #expect(deleted == 7)
    #expect(some == 2)
    #expect(one)
    #expect(try folder.value("SELECT count(*) FROM novel") == .integer(13))
    #expect(try folder.value("SELECT count(*) FROM draft") == .integer(1))
    let records = try await store.read { tx in try tx.fetch(Novel.all) }
    let edited = records.map { novel in
      var novel = novel
      if novel.pages == 1 { novel.pages = 9 }
      return novel
    }
    let updated = try await store.write { tx in try tx.update(edited) }
    #expect(updated == records.filter { $0.pages == 1 }.count)
  }

  private struct Refused: Error, Equatable {}

  @Test func `a part that throws leaves nothing, the rest stays, and parts lie in parts`()
    async throws
  {
    try await store.write { tx in
      try tx.insert(Novel(id: id(1), title: "kept"))
      do {
        try tx.savepoint { tx in
          try tx.insert(Novel(id: id(2), title: "lost"))
          try tx.set(\Novel.title, to: "lost", on: id(1))
          throw Refused()
        }
      } catch is Refused {}
      try tx.savepoint { tx in
        try tx.insert(Novel(id: id(3), title: "kept, too"))
        try? tx.savepoint { tx in
          try tx.delete(Novel.self, id(1))
          throw Refused()
        }
      }
      let titles = try tx.fetch(Novel.all, \.title)
      #expect(titles == ["kept", "kept, too"])
    }
    let rows = try folder.rows("SELECT title FROM novel ORDER BY id")
    #expect(rows == [[.text("kept")], [.text("kept, too")]])
    let operations = try folder.rows("SELECT id, creates FROM c_outbox ORDER BY position")
    #expect(
      operations == [
        [.bytes(id(1).bytes), .integer(1)], [.bytes(id(3).bytes), .integer(1)],
      ])
    try await settle()
    #expect(try queued() == .integer(0))
  }

  @Test func `what is known of the file beside its records is undone with a part, too`()
    async throws
  {
    try await store.write { tx in
      tx.setNote("place", "here")
      try? tx.savepoint { tx in
        tx.setNote("place", "elsewhere")
        tx.setNote("more", "lost")
        try tx.insert(Novel(title: "lost"), feed: "attic")
        throw Refused()
      }
      try tx.insert(Novel(title: "kept"))
    }
    let place = try await store.note("place")
    let more = try await store.note("more")
    #expect(place == "here")
    #expect(more == nil)
    #expect(try folder.rows("SELECT feed FROM c_feed WHERE feed = 'attic'") == [])
    #expect(try folder.rows("SELECT position FROM c_outbox") == [[.integer(1)]])
  }

  @Test func `observers hear nothing of a part that was undone`() async throws {
    let counts = store.values { tx in try tx.count(Novel.all) }
    let titles = store.values { tx in try tx.count(Book.all) }
    var books = titles.makeAsyncIterator()
    let none = try await books.next()
    var seen: [Int] = []
    for try await count in counts {
      seen.append(count)
      if seen.count == 2 { break }
      try await store.write { tx in
        try? tx.savepoint { tx in
          try tx.insert(Book(title: "never"))
          throw Refused()
        }
        try tx.insert(Novel(title: "there"))
      }
    }
    // The next thing that is heard of books is the one that came.
    try await store.write { tx in try tx.insert(Book(title: "here")) }
    let one = try await books.next()
    #expect(none == 0)
    #expect(seen == [0, 1])
    #expect(one == 1)
  }
}
