import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Synchronization
import Testing

@Suite struct FilesTests {
  let place: Place
  private let tables: [any TableDeclaration] = [Author.table, Book.table]

  init() throws { place = try Place() }

  private func open() async throws -> Store {
    let store = try Store(place.folder, tables: tables, options: place.options())
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    return store
  }

  @Test func `a suspended store holds nothing and comes back`() async throws {
    let store = try await open()
    // snippet: suspend
    await store.suspend()
    // end
    await #expect(throws: StoreError.suspended) { try await store.fetch(Book.self, id(1)) }
    // snippet: resume
    try await store.resume()
    // end
    let book = try await store.fetch(Book.self, id(1))
    #expect(book?.title == "Momo")
    await store.close()
  }

  @Test func `an extension reads beside the app`() async throws {
    let app = try await open()
    let folder = place.folder
    var options = place.options(seed: 2)
    // snippet: read-only
    options.isReadOnly = true
    let reader = try Store(folder, tables: tables, options: options)
    let titles = try await reader.read { tx in try tx.fetch(Book.order(by: \.title), \.title) }
    // end
    #expect(titles == ["Momo"])
    await #expect(throws: StoreError.openedForReading) {
      try await reader.write { tx in try tx.insert(Book(title: "no")) }
    }
    await reader.close()
    await app.close()
  }

  @Test func `copies are made while the store is in use`() async throws {
    let store = try await open()
    let told = Mutex<[[Int]]>([])
    let show: @Sendable (Int, Int) -> Void = { copied, total in
      told.withLock { $0.append([copied, total]) }
    }
    let copy = "\(place.path)/copy.db"
    let export = "\(place.path)/export.db"
    // snippet: backup
    try await store.backup(toFile: copy) { progress in
      show(progress.copied, progress.total)
    }
    try await store.vacuum(into: export)
    // end
    for path in [copy, export] {
      let connection = try Connection(.file(path), Configuration(.readOnly))
      defer { connection.close() }
      #expect(try connection.value("SELECT title FROM book") == .text("Momo"))
    }
    let last = told.withLock { $0.last }
    #expect(last?.count == 2 && last?[0] == last?[1])
    await store.close()
  }

  private func damage(_ path: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    let page = 4_096
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    let numbers = try connection.all(
      "SELECT pageno FROM dbstat WHERE name = 'book' AND pagetype = 'leaf'"
    ) { (row) throws(SQLiteError) in Int(row.int64(0)) }
    let place = try #require(numbers.last)
    try file.seek(toOffset: UInt64((place - 1) * page))
    try file.write(contentsOf: Data(repeating: 0xAA, count: page))
  }

  @Test func `a damaged file is recovered, what waits written down first`() async throws {
    let made = try await open()
    await made.close()
    try damage(made.databasePath)
    let folder = place.folder
    let options = place.options(seed: 3)
    let store = try Store(folder, tables: tables, options: place.options(seed: 2))
    // snippet: recover
    if try await !store.integrityProblems().isEmpty {
      await store.close()
      let report = try Store.recover(folder, tables: tables, options: options)
      Log.shared.note("waiting: \(report.pending), all written down in \(report.exported)")
    }
    // end
    let words = Log.shared.lines
    #expect(words.count == 1 && words[0].hasPrefix("waiting: 1, all written down in "))
    let again = try Store(folder, tables: tables, options: place.options(seed: 4))
    let book = try await again.fetch(Book.self, id(1))
    #expect(book?.title == "Momo")
    await again.close()
  }

  @Test func `a key is refused where the SQLite that is linked does not encrypt`() throws {
    let folder = place.folder
    var options = place.options()
    let passphrase: @Sendable () throws -> String = { "it's secret" }
    // snippet: key
    options.key = { .passphrase(try passphrase()) }
    // end
    let error = #expect(throws: StoreError.self) {
      try Store(folder, tables: tables, options: options)
    }
    #expect(error?.message.contains("SQLCipher 4.5") == true)
  }
}

/// What an app writes into its log.
private final class Log: Sendable {
  static let shared = Log()

  private let noted = Mutex<[String]>([])

  var lines: [String] { noted.withLock { $0 } }

  func note(_ line: String) { noted.withLock { $0.append(line) } }
}
