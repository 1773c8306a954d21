import CommuteCore
import CommuteStore
import CommuteTestKit
import Synchronization
import Testing

// snippet: test-clock
final class TestClock: Sendable {
  private let now = Mutex<Int64>(1_700_000_000_000)

  var clock: StoreClock {
    StoreClock(
      wall: { self.now.withLock { $0 } }, monotonic: { self.now.withLock { $0 } },
      bootID: { "test" })
  }

  func advance(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }
}
// end

@Suite struct TestingTests {
  // snippet: memory
  private func open(seed: UInt64 = 1) throws -> Store {
    var options = StoreOptions(schemaName: "library")
    options.clock = TestClock().clock
    options.randomSeed = seed
    return try Store.inMemory(tables: [Author.table, Book.table], options: options)
  }

  @Test func `a finished book leaves the list`() async throws {
    let store = try open()
    let momo = try await store.write { tx in
      try tx.insert(Book(title: "Momo", shelf: .reading))
    }
    try await store.write { tx in try tx.set(\Book.shelf, to: .done, on: momo) }
    let count = try await store.read { tx in try tx.count(Book.where(\.shelf == .reading)) }
    #expect(count == 0)
  }
  // end

  // snippet: observed-test
  @Test func `the list is told of a new book`() async throws {
    let store = try open()
    var lists = store.values(Book.order(by: \.title)).makeAsyncIterator()
    let before = try await lists.next()
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    let after = try await lists.next()
    #expect(before?.count == 0)
    #expect(after?.map(\.title) == ["Momo"])
  }
  // end

  @Test func `the same seed and clock draw the same ids`() async throws {
    var ids: [RecordID] = []
    for _ in 0..<2 {
      let store = try open(seed: 7)
      ids.append(try await store.write { tx in try tx.insert(Book(title: "Momo")) })
    }
    #expect(ids[0] == ids[1])
    let other = try open(seed: 8)
    let id = try await other.write { tx in try tx.insert(Book(title: "Momo")) }
    #expect(id != ids[0])
  }

  // snippet: seeded
  @Test func `whatever is written, the sum is what the pages say`() async throws {
    for seed in UInt64(1)...20 {
      var draws = SeededGenerator(seed: seed)
      let store = try open(seed: seed)
      var pages = 0
      for _ in 0..<10 {
        let book = Book(title: "A book", pages: draws.draw(900))
        pages += book.pages
        try await store.write { tx in try tx.insert(book) }
      }
      let sum = try await store.read { tx in try tx.sum(Book.all, \.pages) }
      #expect(sum == pages, "seed \(seed)")
    }
  }
  // end

  @Test func `the clock is turned, not waited for`() {
    let time = TestClock()
    let before = time.clock.wall()
    time.advance(1_000)
    #expect(time.clock.wall() == before + 1_000)
    #expect(time.clock.monotonic() == time.clock.wall())
  }
}
