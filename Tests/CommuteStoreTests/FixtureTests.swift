import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

/// Files of released schemas, which every later version must open.
///
/// `COMMUTE_WRITE_FIXTURE=1 swift test --filter FixtureTests` writes the files of the present
/// schema where there are none; those that are there are never written again.
@Suite struct FixtureTests {
  /// The schemas that were released, the present one last.
  static let schemas = [1, 2, 3, 4, 5, 6, 7, 8]

  let folder: TemporaryStore
  let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  init() throws {
    folder = try TemporaryStore()
  }

  /// A file with something in every table that this version fills.
  private func fill(_ store: Store, _ server: SmallServer) async throws {
    server.put("book", id(1), feed: "books", ["title": .text("Momo"), "isbn": .text("123")])
    server.put("book", id(2), feed: "books", ["title": .text("Krabat"), "rating": .text("good")])
    server.put("shop", id(3), feed: "books", ["name": .text("Corner")])
    try await store.syncAll(with: server)
    try await store.write { tx in
      try tx.insert(Book(id: id(4), title: "Refused"))
      try tx.delete(Book.self, id(2))
    }
    server.refuse("no")
    try await store.syncAll(with: server)
    server.refuse(nil)
    try await store.write { tx in
      try tx.insert(Book(id: id(5), title: "In flight", tags: ["a", "b"], rating: 3))
      try tx.insertSeed(Book(id: id(6), title: "Seed"))
      try tx.update(Book.self, id(1)) { $0.rating = 5 }
      tx.setNote("note", "kept")
    }
    _ = try await store.beginRound(batch: 1)
    try await store.abandonRound()
    try await store.write { tx in
      try tx.update(Book.self, id(5)) { $0.read = true }
      try tx.delete(Book.self, id(2))
    }
    try await store.setServer("http://localhost:1")
    try await store.saveRetry(after: .timedOut, failures: 2, milliseconds: 60_000)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["COMMUTE_WRITE_FIXTURE"] != nil))
  func `the files of the present schema are written once`() async throws {
    let file = fixtures.appending(path: "schema-\(Self.schemas.last ?? 0).db")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    let store = try folder.open()
    try await fill(store, SmallServer())
    await store.close()
    try FileManager.default.copyItem(at: URL(filePath: store.databasePath), to: file)
    try schema().write(
      to: fixtures.appending(path: "schema-\(Self.schemas.last ?? 0).sql"), atomically: true,
      encoding: .utf8)
  }

  private func schema() throws -> String {
    let rows = try folder.rows(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
      ORDER BY type DESC, name
      """)
    return rows.compactMap { row in
      if case .text(let sql) = row[0] { "\(sql);\n" } else { nil }
    }.joined(separator: "\n")
  }

  @Test func `a new file has exactly the schema that is written down`() async throws {
    let store = try folder.open()
    await store.close()
    let written = try String(
      contentsOf: fixtures.appending(path: "schema-\(Self.schemas.last ?? 0).sql"),
      encoding: .utf8)
    #expect(try folder.value("PRAGMA user_version") == .integer(Int64(Self.schemas.count)))
    #expect(try schema() == written)
  }

  @Test func `the steps lead from the first schema to what a new file has`() async throws {
    func engine(_ text: String) -> [Substring] {
      text.split(separator: ";\n").filter { $0.contains("c_") }
    }
    try copy(schema: 1)
    let store = try folder.open()
    await store.close()
    let written = try String(
      contentsOf: fixtures.appending(path: "schema-\(Self.schemas.last ?? 0).sql"),
      encoding: .utf8)
    #expect(try engine(schema()) == engine(written))
  }

  private func copy(schema: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder.device, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: fixtures.appending(path: "schema-\(schema).db"),
      to: URL(filePath: "\(folder.device)/commute.db"))
  }

  @Test(arguments: schemas)
  func `a file of every schema opens with everything in it`(schema: Int) async throws {
    try copy(schema: schema)
    let store = try folder.open { $0.randomSeed = 9 }
    let books = try await store.read { tx in try tx.fetch(Book.order(by: \.title)) }
    let counts = try await store.counts()
    let inbox = try await store.inbox()
    let retry = try await store.retry()
    let server = try await store.server()
    let note = try await store.write { tx in tx.note("note") }
    let device = try await store.device()
    #expect(books.map(\.title) == ["In flight", "Momo", "Seed"])
    #expect(books.map(\.rating) == [3, 5, nil])
    #expect(counts == StoreCounts(waiting: 5, inFlight: 1, refused: 2))
    #expect(inbox.map(\.message) == ["no", "no"])
    #expect(retry?.failures == 2)
    #expect(server == "http://localhost:1")
    #expect(note == "kept")
    // The file came from elsewhere, so it writes under another name from here on.
    #expect(device.earlierReplicas.count == 1)
    #expect(try folder.value("SELECT count(*) FROM c_unknown") == .integer(1))
    // What the server told of the two records that were changed since stands in their rows.
    #expect(try folder.bases().map { $0[1] } == [id(1), id(2)].map { .bytes($0.bytes) })
    #expect(try folder.value("SELECT count(*) FROM c_base") == .integer(0))
    let round = try await store.beginRound(batch: 100)
    #expect(round.operationCount == 4)
  }
}
