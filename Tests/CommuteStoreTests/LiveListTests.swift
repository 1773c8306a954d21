import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTestKit
import Observation
import StoreSupport
import Testing

/// Lists that are kept in step against lists that SQL reads.
@Suite struct LiveListTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table])
  }

  /// A query, and the same in SQL.
  private struct Watched: Sendable {
    var query: Query<Book>
    var sql: SQL
  }

  private static let watched: [Watched] = [
    Watched(query: Book.all, sql: "SELECT * FROM book ORDER BY id"),
    Watched(
      query: Book.where(\.read == false).order(by: \.title),
      sql: "SELECT * FROM book WHERE read = 0 ORDER BY title, id"),
    Watched(
      query: Book.order(by: \.rating, .descending).order(by: \.author).limit(5),
      sql: "SELECT * FROM book ORDER BY rating DESC, author, id LIMIT 5"),
    Watched(
      query: Book.where(\.rating >= 2 || \.author == "b").order(by: \.author, .descending).limit(3),
      sql: """
        SELECT * FROM book WHERE rating >= 2 OR author = 'b' ORDER BY author DESC, id LIMIT 3
        """),
    Watched(
      query: Book.where(.contains(\.tags, "a") && \.rating != nil).limit(4),
      sql: """
        SELECT * FROM book WHERE rating IS NOT NULL
        AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = 'a') ORDER BY id LIMIT 4
        """),
    Watched(
      query: Book.order(by: \.title).limit(3, offset: 2),
      sql: "SELECT * FROM book ORDER BY title, id LIMIT 3 OFFSET 2"),
    Watched(
      query: Book.where(\.shelf == .reading && !(\.title < "m")).order(by: \.read),
      sql: """
        SELECT * FROM book WHERE shelf = 'reading' AND NOT title < 'm' ORDER BY read, id
        """),
  ]

  private static func book(_ number: UInt64, _ draws: inout SeededGenerator) -> Book {
    Book(
      id: id(number), title: ["", "a", "m", "ä", "z", "Z"][draws.draw(6)],
      author: ["a", "b", "c"][draws.draw(3)], read: draws.draw(2) == 0,
      tags: [[], ["a"], ["b"], ["a", "b"]][draws.draw(4)],
      rating: draws.draw(3) == 0 ? nil : draws.draw(5),
      shelf: [.wanted, .reading, .done][draws.draw(3)])
  }

  /// Writes some records in one transaction; what is drawn is drawn before.
  private func write(_ draws: inout SeededGenerator) async throws {
    var steps: [@Sendable (borrowing WriteTransaction) throws -> Void] = []
    for _ in 0..<(1 + draws.draw(3)) {
      let number = UInt64(1 + draws.draw(14))
      let book = Self.book(number, &draws)
      let kind = draws.draw(6)
      steps.append { tx in
        guard try tx.fetch(Book.self, id(number)) != nil else {
          if kind > 0 { try tx.insert(book) }
          return
        }
        switch kind {
        case 0: try tx.delete(Book.self, id(number))
        case 1: try tx.update(Book.self, id(number)) { $0.rating = book.rating }
        case 2: try tx.update(Book.self, id(number)) { $0.title = book.title }
        case 3: try tx.update(Book.self, id(number)) { $0.read = book.read }
        default: try tx.update(book)
        }
      }
    }
    // A deleted id does not come back; the numbers are used up over time otherwise.
    let all = steps
    try await store.write { tx in
      for step in all { try? step(tx) }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: 1...10)
  func `kept lists are what SQL reads, after ten thousand sequences of writes`(
    seed: UInt64
  ) async throws {
    var draws = SeededGenerator(seed: seed)
    var lists = Self.watched.map { store.values($0.query).makeAsyncIterator() }
    var seen: [[Book]] = []
    for index in lists.indices { seen.append(try await lists[index].next() ?? []) }
    for sequence in 0..<1_000 {
      try await write(&draws)
      if sequence % 97 == 0 { try await clear() }
      for (index, watched) in Self.watched.enumerated() {
        let wanted = try await store.read { tx in try tx.fetch(Book.self, sql: watched.sql) }
        while seen[index] != wanted {
          seen[index] = try #require(
            await lists[index].next(), "seed \(seed), sequence \(sequence), query \(index)")
        }
      }
    }
  }

  /// Begins anew with a server's records, so that ids are free again.
  private func clear() async throws {
    try await store.write { tx in
      for book in try tx.fetch(Book.all) { try tx.delete(Book.self, book.id) }
    }
  }

  @Test func `two records of one commit are never seen apart`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "one", rating: 50))
      try tx.insert(Book(id: id(2), title: "two", rating: 50))
    }
    let store = store
    let writer = Task {
      for _ in 0..<2_000 {
        try await store.write { tx in
          try tx.update(Book.self, id(1)) { $0.rating = ($0.rating ?? 0) - 1 }
          try tx.update(Book.self, id(2)) { $0.rating = ($0.rating ?? 0) + 1 }
        }
      }
    }
    var last = 50
    for try await books in store.values(Book.where(\.rating != nil)) {
      #expect(books.map { $0.rating ?? 0 }.reduce(0, +) == 100)
      last = books.first?.rating ?? 0
      if last == -1_950 { break }
    }
    try await writer.value
    #expect(last == -1_950)
  }

  @Test func `what a write takes back is not seen`() async throws {
    var books = store.values(Book.all).makeAsyncIterator()
    _ = try await books.next()
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await store.write { tx in
        try tx.insert(Book(id: id(1), title: "Momo"))
        throw Refused()
      }
    }
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    let seen = try await books.next()
    #expect(seen?.map(\.title) == ["Krabat"])
  }

  @Test func `changes come with what is different`() async throws {
    var changes = store.changes(Book.order(by: \.title)).makeAsyncIterator()
    _ = try await changes.next()
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "b"))
      try tx.insert(Book(id: id(2), title: "c"))
    }
    let both = try await changes.next()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.title = "d" } }
    let moved = try await changes.next()
    #expect(both?.difference.inserted == [0, 1])
    #expect(moved?.records.map(\.title) == ["c", "d"])
    #expect(moved?.difference.moved.count == 1)
    #expect(moved?.difference.changed == [1])
  }

  @MainActor @Test func `a live query shows what the store holds, and another query when asked`()
    async throws
  {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo"))
      try tx.insert(Book(id: id(2), title: "Krabat", read: true))
    }
    let live = LiveQuery(Book.where(\.read == false), in: store)
    #expect(!live.isLoaded)
    await live.records(are: ["Momo"])
    live.query = Book.order(by: \.title)
    await live.records(are: ["Krabat", "Momo"])
    try await store.write { tx in try tx.delete(Book.self, id(1)) }
    await live.records(are: ["Krabat"])
    #expect(live.error == nil)
    await store.close()
  }
}

extension LiveQuery<Book> {
  /// Waits, by what is observed, until the titles are these.
  func records(are titles: [String]) async {
    while records.map(\.title) != titles {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = self.records
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }
}
