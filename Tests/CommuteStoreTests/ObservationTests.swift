import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Synchronization
import Testing

private struct Shop: Record {
  var id = RecordID.zero
  var name = ""

  static let table = Table("shop", feed: "shops", blank: Shop()) { Column("name", \.name) }
}

/// A record of which memory may hold more than its row does.
private struct Errand: Record, Equatable {
  var id = RecordID.zero
  var name = ""
  var due = Date.distantPast
  /// No column.
  var isSelected = false

  static let table = Table("errand", feed: "shops", blank: Errand()) {
    Column("name", \.name)
    Column("due", \.due)
  }
}

@Suite struct ObservationTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table, Shop.table, Errand.table]) { $0.pollMilliseconds = 10 }
  }

  @Test func `a query gives its result now and after each change`() async throws {
    var books = store.values(Book.where(\.read == false)).makeAsyncIterator()
    let none = try await books.next()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let one = try await books.next()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    let rated = try await books.next()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.read = true } }
    let read = try await books.next()
    #expect(none?.count == 0)
    #expect(one?.map(\.title) == ["Momo"])
    #expect(rated?.first?.rating == 5)
    #expect(read?.count == 0)
  }

  @Test func `a kept list shows what is stored, not what was handed in`() async throws {
    let query = Errand.order(by: \.due)
    var errands = store.values(query).makeAsyncIterator()
    _ = try await errands.next()
    let due = Date(timeIntervalSince1970: 1_700_000_000.123_456)
    try await store.write { tx in
      try tx.insert(Errand(id: id(1), name: "bread", due: due, isSelected: true))
    }
    let inserted = try await errands.next()
    let stored = try await store.read { tx in try tx.fetch(query) }
    #expect(stored.map(\.due) == [Date(timeIntervalSince1970: 1_700_000_000.123)])
    #expect(inserted == stored)
    try await store.write { tx in
      try tx.update(Errand.self, id(1)) { errand in
        errand.name = "milk"
        errand.due += 1.000_4
        errand.isSelected = true
      }
    }
    let updated = try await errands.next()
    #expect(updated == (try await store.read { tx in try tx.fetch(query) }))
    #expect(updated?.map(\.name) == ["milk"])
    // What is undone in between is not shown, and what is written twice is shown as it is last.
    try await store.write { tx in
      try tx.update(Errand.self, id(1)) { $0.name = "flour" }
      try? tx.savepoint { tx in
        try tx.update(Errand.self, id(1)) { $0.name = "undone" }
        throw StoreError.closed
      }
      try tx.update(Errand.self, id(1)) { $0.name += "!" }
    }
    let last = try await errands.next()
    #expect(last?.map(\.name) == ["flour!"])
  }

  @Test func `a change elsewhere does not make a query run again`() async throws {
    let runs = Mutex(0)
    let values = store.values { tx in
      runs.withLock { $0 += 1 }
      return try tx.value("SELECT count(title) FROM book") == .integer(2)
    }
    var results = values.makeAsyncIterator()
    _ = try await results.next()
    try await store.write { tx in try tx.insert(Shop(name: "Corner")) }
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    // A second observer is read after the first, so its news tell that the first was due or not.
    var others = store.values(Shop.all).makeAsyncIterator()
    _ = try await others.next()
    let before = runs.withLock { $0 }
    try await store.write { tx in try tx.insert(Shop(name: "Square")) }
    _ = try await others.next()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 1 } }
    try await store.write { tx in try tx.insert(Shop(name: "Station")) }
    _ = try await others.next()
    #expect(runs.withLock { $0 } == before)
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    let last = try await results.next()
    #expect(last == true)
  }

  @Test func `one record is observed by itself`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo"))
      try tx.insert(Book(id: id(2), title: "Krabat"))
    }
    let runs = Mutex(0)
    let values = store.values { tx in
      runs.withLock { $0 += 1 }
      return try tx.fetch(Book.self, id(1))
    }
    var results = values.makeAsyncIterator()
    _ = try await results.next()
    try await store.write { tx in try tx.update(Book.self, id(2)) { $0.rating = 1 } }
    var others = store.values(Book.all).makeAsyncIterator()
    _ = try await others.next()
    let before = runs.withLock { $0 }
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 2 } }
    let changed = try await results.next()
    #expect(before == 1)
    #expect(changed??.rating == 2)
  }

  @Test func `an answer wakes those it concerns`() async throws {
    server.put("book", id(5), feed: "books", ["title": .text("Krabat")])
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    try await store.syncAll(with: server)
    let pulled = try await books.next()
    #expect(pulled?.map(\.title) == ["Krabat"])
  }

  @Test func `counts of what waits are observed like everything else`() async throws {
    var counts = store.values { tx in try tx.counts() }.makeAsyncIterator()
    let none = try await counts.next()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let one = try await counts.next()
    #expect(none?.waiting == 0)
    #expect(one?.waiting == 1)
  }

  @Test func `another process that writes is noticed`() async throws {
    let other = try folder.open([Book.table, Shop.table])
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    try await other.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let seen = try await books.next()
    #expect(seen?.map(\.title) == ["Momo"])
    await other.close()
  }

  @Test func `whoever is slow sees the newest`() async throws {
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    for number in 1...20 {
      try await store.write { tx in
        try tx.insert(Book(id: id(UInt64(number)), title: "\(number)"))
      }
    }
    var last = try await books.next()
    var steps = 1
    while last?.count != 20, steps < 25 {
      last = try await books.next()
      steps += 1
    }
    #expect(last?.count == 20)
  }

  @Test func `a query that fails ends with its error`() async throws {
    server.put("book", id(5), feed: "books", ["shelf": .text("lent")])
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    try await store.syncAll(with: server)
    await #expect(throws: StoreError.self) { _ = try await books.next() }
  }

  @Test func `closing ends what is observed`() async throws {
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    await store.close()
    let end = try await books.next()
    #expect(end == nil)
  }

  @Test func `the driver hears of what is queued`() async throws {
    var queued = store.queuedChanges().makeAsyncIterator()
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    let heard: Void? = await queued.next()
    #expect(heard != nil)
    await store.close()
    let end: Void? = await queued.next()
    #expect(end == nil)
  }
}
