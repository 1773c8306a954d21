import CommuteCore
import CommuteSQLite
import CommuteStore
import Testing

@Suite struct WritingTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open()
  }

  @Test func `a write reads its own changes, and so do later reads`() async throws {
    let momo = Book(id: id(1), title: "Momo", author: "Ende", tags: ["child", "time"], rating: 5)
    let inside = try await store.write { tx in
      try tx.insert(momo)
      return try tx.fetch(Book.self, id(1))
    }
    let outside = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(inside == momo)
    #expect(outside == momo)
  }

  @Test func `a record with the zero id gets a new one`() async throws {
    let made = try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    let found = try await store.read { tx in try tx.fetch(Book.self, made) }
    #expect(made != .zero)
    #expect(found?.title == "Momo")
  }

  @Test func `a closure that throws leaves nothing`() async throws {
    struct Regret: Error {}
    await #expect(throws: Regret.self) {
      try await store.write { tx in
        try tx.insert(Book(id: id(1), title: "Momo"))
        throw Regret()
      }
    }
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 0)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }

  @Test func `one write leaves row, stamps and outbox in the file`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo", rating: 4)) }
    let book = try folder.rows("SELECT title, rating, tags, shelf, length(_commute) FROM book")
    let outbox = try folder.rows("SELECT tbl, id, feed, creates, in_flight FROM c_outbox")
    #expect(book == [[.text("Momo"), .integer(4), .text("[]"), .text("wanted"), .integer(11)]])
    #expect(
      outbox == [
        [.text("book"), .bytes(id(1).bytes), .text("books"), .integer(1), .integer(0)]
      ])
  }

  @Test func `only columns that change are queued`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let first = try await store.write { tx in
      try tx.update(Book.self, id(1)) {
        $0.rating = 5
        $0.title = "Momo"
      }
    }
    let second = try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    #expect(first == ["rating"])
    #expect(second == [])
  }

  @Test func `a deleted record leaves its table and cannot be inserted again`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let there = try await store.write { tx in try tx.delete(Book.self, id(1)) }
    let again = try await store.write { tx in try tx.delete(Book.self, id(1)) }
    #expect(there)
    #expect(!again)
    #expect(try folder.value("SELECT count(*) FROM book") == .integer(0))
    #expect(try folder.value("SELECT id FROM c_tombstone") == .bytes(id(1).bytes))
    await #expect(throws: StoreError.refused(.deleted(RecordKey(table: "book", id: id(1))))) {
      try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    }
  }

  @Test func `a deletion that was not sent can be taken back`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await store.write { tx in try tx.delete(Book.self, id(1)) }
    let taken = try await store.write { tx in try tx.withdrawDeletion(Book.self, id(1)) }
    let found = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(taken)
    #expect(found?.title == "Momo")
  }
}
