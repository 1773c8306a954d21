import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

/// Files with a damaged page.
@Suite struct RecoveryTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  private var path: String { "\(folder.device)/commute.db" }

  /// A file with many settled books, a refused one, and changes that wait.
  private func fill(pending: Int = 40) async throws {
    let store = try folder.open()
    try await store.write { tx in
      for number in 1...2_000 {
        try tx.insert(Book(id: id(UInt64(number)), title: "Book \(number)", author: "Somebody"))
      }
    }
    try await store.syncAll(with: server)
    try await store.write { tx in try tx.insert(Book(id: id(9_001), title: "Refused")) }
    server.refuse("no")
    try await store.syncAll(with: server)
    server.refuse(nil)
    try await store.write { tx in
      for number in 0..<pending {
        // Edits and new books in turn, some long, so that the line takes several pages.
        if number.isMultiple(of: 2) {
          try tx.update(Book.self, id(UInt64(number * 40 + 1))) { $0.rating = 5 }
        } else {
          let title = "New \(number) " + String(repeating: "x", count: 1_500)
          try tx.insert(Book(id: id(UInt64(10_000 + number)), title: title))
        }
      }
    }
    await store.close()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  /// The leaf pages of a table in the order of their keys, by SQLite's own account.
  private func leaves(_ table: String) throws -> [Int64] {
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    return try connection.all(
      """
      SELECT pageno FROM dbstat WHERE name = \(table) AND pagetype = 'leaf' ORDER BY path
      """
    ) { (row) throws(SQLiteError) in row.int64(0) }
  }

  /// Fills a page with what is no page.
  private func damage(_ page: Int64) throws {
    guard case .integer(let size)? = try folder.value("PRAGMA page_size") else { return }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: Data(repeating: 0xAA, count: Int(size)))
  }

  private func recover() throws(StoreError) -> RecoveryReport {
    try Store.recover(folder.device, tables: [Book.table], options: folder.options(seed: 9))
  }

  private func count(_ table: String) throws -> Int64 {
    guard case .integer(let count)? = try folder.value("SELECT count(*) FROM \(name: table)") else {
      return -1
    }
    return count
  }

  @Test func `a damaged page of records is found, and all that waits comes through`() async throws {
    try await fill()
    let pending = try folder.rows("SELECT operation, tbl, id, fields FROM c_outbox")
    let pages = try leaves("book")
    try damage(pages[pages.count / 3])
    try damage(pages[pages.count * 2 / 3])
    let broken = try folder.open()
    let problems = try await broken.integrityProblems()
    await broken.close()
    #expect(!problems.isEmpty)
    let report = try recover()
    #expect(report.pending == 40 && report.refused == 1)
    #expect(report.losses.count == 2 && report.losses.allSatisfy { $0.hasPrefix("book: rows") })
    #expect(try folder.value("PRAGMA integrity_check") == .text("ok"))
    #expect(try folder.rows("SELECT operation, tbl, id, fields FROM c_outbox") == pending)
    // Only what stood on the two pages is gone, and the server has it.
    let left = try count("book")
    #expect(left > 1_500 && left < 2_021)
    let store = try folder.open { $0.randomSeed = 10 }
    try await store.syncAll(with: server)
    let books = try await store.read { tx in try tx.fetch(Book.all) }
    let counts = try await store.counts()
    #expect(books.count == 2_020)
    #expect(books.filter { $0.rating == 5 }.count == 20)
    #expect(counts.waiting == 0 && counts.refused == 1)
    #expect(FileManager.default.fileExists(atPath: report.damaged))
  }

  @Test func `changes on a damaged page are named, all others kept and written down first`()
    async throws
  {
    try await fill()
    let pages = try leaves("c_outbox")
    #expect(pages.count > 4)
    try damage(pages[2])
    let report = try recover()
    #expect(report.pending < 40 && report.pending > 25)
    #expect(report.losses.count == 1)
    #expect(report.losses[0].hasPrefix("c_outbox: rows after"))
    let exported = try Data(contentsOf: URL(filePath: report.exported))
    let json = try #require(
      try JSONSerialization.jsonObject(with: exported) as? [String: Any])
    #expect((json["pending"] as? [Any])?.count == report.pending)
    #expect((json["refused"] as? [Any])?.count == 1)
    let store = try folder.open { $0.randomSeed = 10 }
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    #expect(counts.waiting == 0)
    #expect(server.records.count == 2_000 + (try newOnServer()))
    // A new book whose row came through and whose change did not is still here.
    let here = try await store.read { tx in try tx.count(Book.all) }
    #expect(here == 2_020)
  }

  private func newOnServer() throws -> Int {
    server.records.values.filter {
      guard case .text(let title)? = $0.state.fields["title"]?.value else { return false }
      return title.hasPrefix("New")
    }.count
  }

  @Test func `a new record whose row is lost is shown again from its change`() async throws {
    try await fill()
    let pages = try leaves("book")
    // The new books have the greatest ids.
    try damage(pages[pages.count - 2])
    let report = try recover()
    let store = try folder.open { $0.randomSeed = 10 }
    let new = try await store.read { tx in
      try tx.value("SELECT count(*) FROM book WHERE title LIKE 'New %'")
    }
    #expect(report.losses.count == 1)
    #expect(new == .integer(20))
  }

  @Test func `a file that is whole comes through whole`() async throws {
    try await fill()
    let tables = ["book", "c_outbox", "c_inbox", "c_base", "c_tombstone", "c_migration"]
    let before = try tables.map { table in try folder.rows("SELECT * FROM \(name: table)") }
    let report = try recover()
    let after = try tables.map { table in try folder.rows("SELECT * FROM \(name: table)") }
    #expect(report.losses == [])
    #expect(before == after)
    #expect(report.rows["book"] == 2_020)
    let store = try folder.open { $0.randomSeed = 10 }
    let device = try await store.device()
    #expect(device.feeds["books"]?.cursor == nil)
    #expect(device.earlierReplicas.count == 1)
  }

  @Test func `a search is made anew of the rows that came through`() async throws {
    let store = try folder.open(Library.tables)
    try await store.write { tx in
      try tx.insert(Novel(id: id(1), title: "Momo", tags: ["time"]))
      try tx.insert(Draft(id: id(2), text: "about time"))
      // A virtual table of the app's own keeps others beside it, too.
      try tx.execute("CREATE VIRTUAL TABLE span USING rtree(id, low, high)")
      try tx.execute("INSERT INTO span VALUES (7, 2, 5)")
    }
    await store.close()
    try damage(try leaves("c_search-novel-words_data")[0])
    let report = try Store.recover(
      folder.device, tables: Library.tables, options: folder.options(seed: 9))
    #expect(report.losses == [])
    let again = try folder.open(Library.tables) { $0.randomSeed = 10 }
    let found = try await again.read { tx in
      (
        try tx.fetch(Novel.matching("time")).map(\.title), try tx.count(Draft.matching("time")),
        try tx.value("SELECT id FROM span WHERE low <= 3 AND high >= 3")
      )
    }
    let problems = try await again.integrityProblems()
    #expect(found.0 == ["Momo"] && found.1 == 1 && found.2 == .integer(7))
    #expect(problems == [])
  }

  @Test func `a base that is not understood is read anew, and its change stays`() async throws {
    try await fill(pending: 2)
    try folder.execute("UPDATE c_outbox SET told = x'FF' WHERE told IS NOT NULL")
    let report = try recover()
    #expect(report.losses.count == 1)
    #expect(report.losses.first?.contains("what the server told below row") == true)
    let store = try folder.open { $0.randomSeed = 10 }
    try await store.syncAll(with: server)
    let changed = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(changed == Book(id: id(1), title: "Book 1", author: "Somebody", rating: 5))
    #expect(try await store.counts().waiting == 0)
    #expect(try folder.bases().isEmpty)
  }

  @Test func `a file of an earlier schema is recovered, too`() async throws {
    try FileManager.default.createDirectory(
      atPath: folder.device, withIntermediateDirectories: true)
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    try FileManager.default.copyItem(
      at: fixtures.appending(path: "schema-7.db"), to: URL(filePath: path))
    #expect(try recover().losses == [])
    let store = try folder.open { $0.randomSeed = 10 }
    #expect(try await store.counts().waiting == 5)
    #expect(try folder.bases().count == 2)
  }

  @Test func `an open store keeps its file from being recovered`() async throws {
    try await fill()
    let store = try folder.open()
    _ = try await store.read { tx in try tx.count(Book.all) }
    let error = #expect(throws: StoreError.self) { try recover() }
    guard case .busy = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 2_020)
  }

  @Test func `a file that names no owner is left where it is, after what waits is safe`()
    async throws
  {
    try await fill()
    try damage(try leaves("c_meta")[0])
    let error = #expect(throws: StoreError.self) { try recover() }
    guard case .corrupt(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.device)
    let exported = try #require(names.first { $0.hasPrefix("pending-") })
    #expect(reason.contains(exported))
    let text = try String(contentsOfFile: "\(folder.device)/\(exported)", encoding: .utf8)
    #expect(text.contains("\"pending\":[{"))
    #expect(names.contains("commute.db") && !names.contains("commute.db.recovered"))
  }
}
