import CommuteCore
import CommuteStore
import Foundation
import Synchronization

/// A folder for the stores of one test that is gone when the test is over.
final class Place: Sendable {
  let path: String
  let time = TestClock()

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "commute-snippets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The folder that a store is opened in.
  var folder: String { "\(path)/library" }

  /// Options whose time, ids and host records belong to the test.
  func options(schemaVersion: UInt64 = 1, seed: UInt64 = 1) -> StoreOptions {
    var options = StoreOptions(schemaName: "library", schemaVersion: schemaVersion)
    govern(&options, seed: seed)
    return options
  }

  /// Takes time, ids and host records from the test.
  func govern(_ options: inout StoreOptions, seed: UInt64 = 1) {
    options.clock = time.clock
    options.randomSeed = seed
    options.hostDirectory = "\(path)/hosts"
  }
}

/// An id that tests can name.
func id(_ number: UInt64) -> RecordID {
  RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}

extension Store {
  /// A store in memory with two authors and four books.
  static func library() async throws -> Store {
    var options = StoreOptions(schemaName: "library")
    options.clock = TestClock().clock
    options.randomSeed = 1
    let store = try Store.inMemory(tables: [Author.table, Book.table], options: options)
    try await store.write { tx in
      try tx.insert(Author(id: id(1), name: "Michael Ende"))
      try tx.insert(Author(id: id(2), name: "Otfried Preussler"))
      try tx.insert([
        Book(
          id: id(11), title: "Momo", author: id(1), isbn: "978-1", pages: 304, shelf: .done,
          tags: ["time"]),
        Book(
          id: id(12), title: "The Neverending Story", author: id(1), pages: 448, shelf: .reading,
          tags: ["dragon"]),
        Book(id: id(13), title: "Krabat", author: id(2), pages: 256, tags: ["mill", "dark"]),
        Book(id: id(14), title: "Emma", pages: 512),
      ])
    }
    return store
  }

  /// The titles of a query's books.
  func titles(_ query: Query<Book>) async throws -> [String] {
    try await read { tx in try tx.fetch(query, \.title) }
  }
}
