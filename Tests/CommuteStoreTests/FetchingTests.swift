import CommuteCore
import CommuteStore
import Foundation
import Testing

/// Records that are read where the caller stands.
@Suite(.timeLimit(.minutes(1))) struct FetchingTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open()
  }

  @Test func `a record is fetched as the latest write left it, and none where there is none`()
    async throws
  {
    let none = try await store.fetch(Book.self, id(1))
    #expect(none == nil)
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    for rating in 0..<50 {
      try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = rating } }
      let book = try await store.fetch(Book.self, id(1))
      #expect(book?.rating == rating)
      #expect(book?.title == "Momo")
    }
    try await store.write { tx in try tx.delete(Book.self, id(1)) }
    let gone = try await store.fetch(Book.self, id(1))
    #expect(gone == nil)
  }

  @Test func `no fetch waits for a write, nor sees the half of it`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "before")) }
    _ = try await store.fetch(Book.self, id(1))
    let began = DispatchSemaphore(value: 0)
    let ends = DispatchSemaphore(value: 0)
    let store = store
    let writing = Task.detached {
      try await store.write(durability: .full) { tx in
        try tx.update(Book.self, id(1)) { $0.title = "after" }
        began.signal()
        ends.wait()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        began.wait()
        continuation.resume()
      }
    }
    for _ in 0..<100 {
      let during = try await store.fetch(Book.self, id(1))
      #expect(during?.title == "before")
    }
    ends.signal()
    try await writing.value
    let after = try await store.fetch(Book.self, id(1))
    #expect(after?.title == "after")
  }

  @Test func `many who fetch at once see whole records`() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "0", author: "0", rating: 0))
    }
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...400 {
          try await store.write { tx in
            try tx.update(Book.self, id(1)) {
              $0.title = "\(number)"
              $0.author = "\(number)"
              $0.rating = number
            }
          }
        }
      }
      for _ in 0..<8 {
        group.addTask {
          var last = 0
          for _ in 0..<500 {
            let book = try #require(try await store.fetch(Book.self, id(1)))
            let rating = try #require(book.rating)
            #expect(book.title == "\(rating)" && book.author == "\(rating)")
            // What was seen once is not unseen.
            #expect(rating >= last)
            last = rating
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `fetching is refused by name while suspended and once closed`() async throws {
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    _ = try await store.fetch(Book.self, id(1))
    await store.suspend()
    await #expect(throws: StoreError.suspended) { try await store.fetch(Book.self, id(1)) }
    try await store.resume()
    let book = try await store.fetch(Book.self, id(1))
    #expect(book?.title == "Momo")
    await store.close()
    await #expect(throws: StoreError.closed) { try await store.fetch(Book.self, id(1)) }
  }

  @Test func `a store in memory is fetched from as well`() async throws {
    let store = try Store.inMemory(tables: [Book.table])
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let book = try await store.fetch(Book.self, id(1))
    #expect(book?.title == "Momo")
  }
}
