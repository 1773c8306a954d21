import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files that may be read only: a newer app's, and those that an extension looks at.
@Suite struct ReadOnlyTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  /// The book of a version that has dropped the rating.
  private struct Unrated: Record {
    var id = RecordID.zero
    var title = ""
    var author = ""
    static let table = Table("book", feed: "books", blank: Unrated()) {
      Column("title", \.title)
      Column("author", \.author)
    }
  }

  /// A file of version 5 with a book, and another one that the server refused.
  private func fill(_ tables: [any TableDeclaration] = [Book.table]) async throws {
    let server = SmallServer()
    let new = try folder.open(tables) { $0.schemaVersion = 5 }
    try await new.write { tx in
      if tables.first is Table<Unrated> {
        try tx.insert(Unrated(id: id(1), title: "Momo"))
      } else {
        try tx.insert(Book(id: id(1), title: "Momo"))
      }
    }
    try await new.syncAll(with: server)
    try await new.write { tx in
      if tables.first is Table<Unrated> {
        try tx.insert(Unrated(id: id(2), title: "Refused"))
      } else {
        try tx.insert(Book(id: id(2), title: "Refused"))
      }
    }
    server.refuse("no")
    try await new.syncAll(with: server)
    await new.close()
  }

  private func bytes() throws -> [Data] {
    try ["commute.db", "commute.db-wal"].map {
      let url = URL(filePath: "\(folder.device)/\($0)")
      return FileManager.default.fileExists(atPath: url.path) ? try Data(contentsOf: url) : Data()
    }
  }

  @Test func `a file of a newer app is read, its inbox exported, and never written`() async throws {
    try await fill()
    let before = try bytes()
    let old = try folder.open { $0.schemaVersion = 4 }
    let error = StoreError.newerSchema(found: "schema 5", known: "schema 4")
    #expect(old.readOnlyReason == error)
    #expect(
      error.message
        == "a newer version wrote this database (schema 5, this one knows schema 4); update the app"
    )
    let books = try await old.read { tx in try tx.fetch(Book.all) }
    #expect(books.map(\.title) == ["Momo"])
    let exported = String(decoding: try await old.exportInbox(), as: UTF8.self)
    #expect(exported.contains("Refused"))
    await #expect(throws: error) { try await old.write { tx in tx.setNote("a", "b") } }
    await #expect(throws: error) { try await old.write(durability: .full) { _ in } }
    await #expect(throws: error) { try await old.beginRound(batch: 1) }
    await old.close()
    #expect(try bytes() == before)
    // The newer app goes on as if nobody had been there.
    let new = try folder.open { $0.schemaVersion = 5 }
    #expect(new.readOnlyReason == nil)
    try await new.write { tx in try tx.insert(Book(title: "Krabat")) }
  }

  @Test func `a newer engine's file is read as far as it is alike`() async throws {
    try await fill()
    try folder.execute("PRAGMA user_version = 99")
    let old = try folder.open { $0.schemaVersion = 5 }
    let titles = try await old.read { tx in try tx.fetch(Book.all).map(\.title) }
    #expect(titles == ["Momo"])
    let error = await #expect(throws: StoreError.self) { try await old.write { _ in } }
    guard case .newerSchema = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a newer file that lacks a column is refused by name of the versions`() async throws {
    try await fill([Unrated.table])
    #expect(throws: StoreError.newerSchema(found: "schema 5", known: "schema 4")) {
      try folder.open { $0.schemaVersion = 4 }
    }
  }

  @Test func `a newer app that came meanwhile stops writes and leaves reads`() async throws {
    let old = try folder.open { $0.schemaVersion = 4 }
    try await old.write { tx in try tx.insert(Book(title: "Momo")) }
    let new = try folder.open { $0.schemaVersion = 5 }
    await new.close()
    let error = await #expect(throws: StoreError.self) { try await old.write { _ in } }
    #expect(error == .newerSchema(found: "schema 5", known: "schema 4"))
    let count = try await old.read { tx in try tx.count(Book.all) }
    #expect(count == 1)
  }

  @Test func `an extension reads beside an app that is in the middle of a write`() async throws {
    let app = try folder.open()
    try await app.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    // Another process that holds both locks and never lets go.
    let locks = ["writer.lock", "sync.lock"].map { open("\(folder.device)/\($0)", O_RDWR) }
    defer { for lock in locks { close(lock) } }
    #expect(locks.allSatisfy { flock($0, LOCK_EX | LOCK_NB) == 0 })
    let writing = try Connection(.file("\(folder.device)/commute.db"), Configuration(.readWrite))
    defer { writing.close() }
    try writing.execute("BEGIN IMMEDIATE; UPDATE book SET title = 'half'")
    let before = try folder.value("SELECT boot || clean_end || replica FROM c_meta")
    let reader = try folder.open {
      $0.isReadOnly = true
      $0.busyMilliseconds = 0
      $0.hostDirectory = nil
    }
    let titles = try await reader.read { tx in try tx.fetch(Book.all).map(\.title) }
    #expect(titles == ["Momo"])
    await #expect(throws: StoreError.openedForReading) {
      try await reader.write { tx in try tx.insert(Book(title: "no")) }
    }
    try writing.execute("COMMIT")
    let later = try await reader.read { tx in try tx.fetch(Book.all).map(\.title) }
    #expect(later == ["half"])
    await reader.close()
    #expect(try folder.value("SELECT boot || clean_end || replica FROM c_meta") == before)
  }

  @Test func `an extension hears of what the app writes`() async throws {
    let app = try folder.open()
    let reader = try folder.open {
      $0.isReadOnly = true
      $0.pollMilliseconds = 10
    }
    var titles = reader.values(Book.all).makeAsyncIterator()
    let none = try await titles.next()
    #expect(none == [])
    try await app.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let one = try await titles.next()
    #expect(one?.map(\.title) == ["Momo"])
  }

  @Test func `what was not opened for writing yet is said to be so`() async throws {
    let missing = #expect(throws: StoreError.self) { try folder.open { $0.isReadOnly = true } }
    guard case .unprepared = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
    let old = try folder.open([Unrated.table]) { $0.schemaVersion = 1 }
    await old.close()
    let error = #expect(throws: StoreError.self) {
      try folder.open {
        $0.isReadOnly = true
        $0.schemaVersion = 2
      }
    }
    #expect(error?.message.contains("book.read is not there; open it once for writing") == true)
  }
}
