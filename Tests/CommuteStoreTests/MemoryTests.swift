import CommuteCore
import CommuteStore
import Foundation
import StoreSupport
import Testing

/// Stores without files, for previews and tests.
@Suite struct MemoryTests {
  private func open(_ seed: UInt64 = 1) throws(StoreError) -> Store {
    var options = StoreOptions(deviceName: "preview")
    options.randomSeed = seed
    return try Store.inMemory(tables: [Book.table], options: options)
  }

  @Test func `stores in memory are independent, and write, read and observe`() async throws {
    let one = try open()
    let two = try open()
    var seen = one.values(Book.order(by: \.title)).makeAsyncIterator()
    let none = try await seen.next()
    #expect(none == [])
    try await one.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let first = try await seen.next()
    #expect(first?.map(\.title) == ["Momo"])
    let other = try await two.read { tx in try tx.count(Book.all) }
    #expect(other == 0)
    await #expect(throws: StoreError.refused(.exists(RecordKey(table: "book", id: id(1))))) {
      try await one.write { tx in
        try tx.insert(Book(title: "undone"))
        try tx.insert(Book(id: id(1), title: "twice"))
      }
    }
    let count = try await one.read { tx in try tx.count(Book.all) }
    #expect(count == 1)
  }

  @Test func `no file is made for a store in memory`() async throws {
    let files = FileManager.default
    let before = try Set(files.contentsOfDirectory(atPath: files.currentDirectoryPath))
    let store = try open()
    try await store.write(durability: .full) { tx in try tx.insert(Book(title: "Momo")) }
    await store.suspend()
    try await store.resume()
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 1)
    #expect(store.databasePath == ":memory:")
    await store.close()
    #expect(try Set(files.contentsOfDirectory(atPath: files.currentDirectoryPath)) == before)
    await #expect(throws: StoreError.closed) { try await store.read { _ in } }
    await #expect(throws: StoreError.closed) { try await store.write { _ in } }
  }

  @Test func `two devices in memory sync`() async throws {
    let server = SmallServer()
    let one = try open(1)
    let two = try open(2)
    try await one.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await one.syncAll(with: server)
    try await two.syncAll(with: server)
    let title = try await two.read { tx in try tx.fetch(Book.self, id(1))?.title }
    #expect(title == "Momo")
    let claim = try one.claimSync(as: "test")
    #expect(throws: StoreError.self) { try one.claimSync(as: "again") }
    claim.release()
  }

  @Test func `many readers and writers of a store in memory see whole transactions`() async throws {
    let store = try open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            try await store.write(durability: number.isMultiple(of: 5) ? .full : .normal) { tx in
              try tx.insert(Book(title: "\(writer) \(number)"))
              try tx.insert(Book(title: "\(writer) \(number) once more"))
            }
          }
        }
        group.addTask {
          for _ in 0..<50 {
            let count = try await store.read { tx in try tx.count(Book.all) }
            #expect(count.isMultiple(of: 2))
          }
        }
      }
      try await group.waitForAll()
    }
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 400)
  }
}
