import CommuteCore
import CommuteSQLite
import CommuteStore
import Dispatch
import Foundation
import Testing

/// Reading one after another, from one state, and with SQL of the app's own.
@Suite(.timeLimit(.minutes(2))) struct StreamingTests {
  let folder: TemporaryStore
  let store: Store

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open(Library.tables)
    try await store.write { tx in
      for number in 1...500 {
        try tx.insert(
          Novel(id: id(UInt64(number)), title: "t\(number)", author: id(1), pages: number % 7))
      }
    }
  }

  private struct Enough: Error {}

  @Test func `records come one after another as they come all at once`() async throws {
    let query = Novel.where(\.pages > 2).order(by: \.pages).order(by: \.title, .descending)
    let ids = try await store.read { tx in
      var ids: [RecordID] = []
      try tx.forEach(query) { ids.append($0.id) }
      return ids
    }
    let wanted = try folder.rows(
      "SELECT id FROM novel WHERE pages > 2 ORDER BY pages, title DESC, id")
    #expect(ids.map { SQLValue.bytes($0.bytes) } == wanted.map { $0[0] })
  }

  @Test func `an error ends the reading, which can begin anew inside itself`() async throws {
    let (first, pairs, count) = try await store.read { tx in
      var first = 0
      do {
        try tx.forEach(Novel.all) { _ in
          first += 1
          if first == 10 { throw Enough() }
        }
      } catch is Enough {}
      var pairs = 0
      try tx.forEach(Novel.where(\.pages == 3)) { _ in
        try tx.forEach(Novel.where(\.pages == 3)) { _ in pairs += 1 }
      }
      return (first, pairs, try tx.count(Novel.all))
    }
    #expect(first == 10)
    #expect(pairs == 72 * 72)
    #expect(count == 500)
  }

  @Test func `a reading in a transaction that writes may write, and be undone`() async throws {
    try await store.write { tx in
      try tx.forEach(Novel.order(by: \.id)) { novel in
        try? tx.savepoint { tx in
          try tx.set(\Novel.pages, to: 100, on: novel.id)
          if novel.title.hasSuffix("0") { throw Enough() }
        }
      }
    }
    let rows = try folder.rows(
      "SELECT count(*) FILTER (WHERE pages = 100), count(*) FROM novel WHERE title NOT GLOB '*0'")
    #expect(rows == [[.integer(450), .integer(450)]])
    let kept = try folder.value("SELECT max(pages) FROM novel WHERE title GLOB '*0'")
    #expect(kept == .integer(6))
  }

  @Test func `a read sees one state, and keeps nobody from writing`() async throws {
    let began = DispatchSemaphore(value: 0)
    let written = DispatchSemaphore(value: 0)
    let store = store
    let reading = Task {
      try await store.read { tx in
        let before = try tx.count(Novel.all)
        began.signal()
        written.wait()
        return (before, try tx.count(Novel.all), try tx.fetch(Novel.self, id(1))?.title)
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        began.wait()
        continuation.resume()
      }
    }
    try await store.write { tx in
      try tx.delete(Novel.where(\.pages == 0))
      try tx.set(\Novel.title, to: "changed", on: id(1))
    }
    let meanwhile = try await store.read { tx in try tx.count(Novel.all) }
    written.signal()
    let (before, after, title) = try await reading.value
    #expect(before == 500)
    #expect(after == 500)
    #expect(title == "t1")
    #expect(meanwhile == 429)
    #expect(try folder.value("SELECT count(*) FROM novel") == .integer(429))
  }

  @Test func `values, lists, names and parts stand in SQL, and text never becomes a part of it`()
    async throws
  {
    let evil = "x'; DROP TABLE novel; --"
    let ids = [id(3), id(4)]
    let when = Date(timeIntervalSince1970: 2)
    let part: SQL = "\(\Novel.pages) < \(100)"
    let found = try await store.read { tx in
      try tx.fetch(
        Novel.self,
        sql: "SELECT * FROM \(Novel.self) WHERE id IN \(ids) AND \(part) AND title <> \(evil)")
    }
    let moment = try await store.read { tx in try tx.value("SELECT \(when)") }
    let shelf = try await store.read { tx in try tx.value("SELECT \(Shelf.done)") }
    let shelves = try await store.read { tx in
      try tx.value("SELECT 'done' IN \([Shelf.done, .wanted])")
    }
    let nothing = try await store.read { tx in try tx.value("SELECT \(Optional<Int>.none) IS NULL")
    }
    #expect(found.map(\.id) == ids)
    #expect(moment == .integer(2_000))
    #expect(shelf == .text("done"))
    #expect(shelves == .integer(1))
    #expect(nothing == .integer(1))
  }

  @Test func `SQL that gives what a record cannot hold is named`() async throws {
    let columns: SQL = "title, blurb, tags, author, isbn, price"
    let cases: [(SQL, String)] = [
      (
        "SELECT id, \(columns), NULL AS pages FROM novel",
        "nothing for novel.pages, which holds integer"
      ),
      (
        "SELECT id, \(columns), 'x' AS pages FROM novel",
        "a text for novel.pages, which holds integer"
      ),
      ("SELECT x'00' AS id, \(columns), 1 AS pages FROM novel", "no id of 16 bytes for novel"),
    ]
    for (sql, words) in cases {
      let error = await #expect(throws: StoreError.self) {
        try await store.read { tx in try tx.fetch(Novel.self, sql: sql) }
      }
      #expect(error?.message == "the query gives \(words)")
    }
    let missing = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Novel.self, sql: "SELECT id, title FROM novel") }
    }
    #expect(
      missing?.message == "the query gives no column blurb of novel; select it, or *")
    let none = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.value("SELECT \(\Novel.nothing) FROM novel") }
    }
    #expect(none?.message.contains("no such column") == true)
    #expect(none?.message.contains("Novel") == true)
  }

  @Test func `every kind of read of a property that is no column names table and property`()
    async throws
  {
    let reads: [@Sendable (borrowing ReadTransaction) throws -> Void] = [
      { tx in _ = try tx.fetch(Novel.where(\.nothing == 1)) },
      { tx in _ = try tx.fetch(Novel.order(by: \.nothing)) },
      { tx in _ = try tx.fetch(Novel.all, \.nothing) },
      { tx in _ = try tx.fetch(Novel.all, \.title, \.nothing) },
      { tx in _ = try tx.count(Novel.where(\.nothing == 1)) },
      { tx in _ = try tx.sum(Novel.all, \.nothing) },
      { tx in _ = try tx.max(Novel.all, \.nothing) },
      { tx in _ = try tx.fetch(Novel.group(by: \.nothing).count()) },
      { tx in _ = try tx.fetch(Novel.group(by: \.title).sum(\.nothing)) },
      { tx in _ = try tx.fetch(Novel.join(\.noOne, Author.self)) },
      { tx in _ = try tx.fetch(Novel.leftJoin(\.author, Author.self).order(byJoined: \.none)) },
      { tx in try tx.forEach(Novel.where(.isIn(\.nothing, [1]))) { _ in } },
    ]
    for (index, read) in reads.enumerated() {
      let error = await #expect(throws: StoreError.self, "\(index)") {
        try await store.read { tx in try read(tx) }
      }
      let message = error?.message ?? ""
      #expect(message.hasSuffix("; declare it in the table"), "\(index): \(message)")
      #expect(message.contains("is no column of"), "\(index): \(message)")
    }
  }

  @Test func `a store that is closed says so to whatever is asked of it`() async throws {
    await store.close()
    await #expect(throws: StoreError.closed) {
      try await store.read { tx in try tx.fetch(Novel.all) }
    }
    await #expect(throws: StoreError.closed) {
      try await store.write { tx in try tx.insert(Novel()) }
    }
    let values = store.values(Novel.all)
    await #expect(throws: StoreError.closed) {
      for try await _ in values {}
    }
  }
}

extension Novel {
  /// Properties that no column holds.
  fileprivate var nothing: Int { 0 }
  fileprivate var noOne: RecordID { .zero }
}

extension Author {
  fileprivate var none: String { "" }
}
