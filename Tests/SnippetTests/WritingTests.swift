import CommuteCore
import CommuteSQLite
import CommuteStore
import Testing

@Suite struct WritingTests {
  let store: Store

  init() async throws { store = try await Store.library() }

  private func waiting() async throws -> Int { try await store.counts().waiting }

  @Test func `a record is added, changed, saved and deleted`() async throws {
    // snippet: write
    let ronja = try await store.write { tx in
      try tx.insert(Book(title: "Ronja", pages: 236))
    }
    let changed = try await store.write { tx in
      try tx.update(Book.self, ronja) { book in
        book.title = "Ronja, the Robber's Daughter"
        book.pages = 236
      }
    }
    try await store.write { tx in try tx.set(\Book.shelf, to: .reading, on: ronja) }
    // end
    #expect(changed == ["title"])
    let book = try await store.fetch(Book.self, ronja)
    #expect(book?.shelf == .reading)
    var changing = try #require(book)
    changing.pages = 240
    let edited = changing
    // snippet: save
    try await store.write { tx in try tx.save(edited) }
    // end
    let pages = try await store.fetch(Book.self, ronja)?.pages
    #expect(pages == 240)
    // snippet: delete
    let wasThere = try await store.write { tx in try tx.delete(Book.self, ronja) }
    let isBack = try await store.write { tx in try tx.withdrawDeletion(Book.self, ronja) }
    // end
    let title = try await store.fetch(Book.self, ronja)?.title
    #expect(wasThere && isBack && title == "Ronja, the Robber's Daughter")
  }

  @Test func `many are written at once`() async throws {
    // snippet: bulk
    let (finished, dropped) = try await store.write { tx in
      let finished = try tx.set(\Book.shelf, to: .done, in: Book.where(\.shelf == .reading))
      try tx.update(Book.where(.contains(\.tags, "dark"))) { $0.tags.append("night") }
      let dropped = try tx.delete(Book.where(\.author == nil))
      return (finished, dropped)
    }
    // end
    #expect(finished == 1 && dropped == 1)
    let tags = try await store.fetch(Book.self, id(13))?.tags
    #expect(tags == ["mill", "dark", "night"])
  }

  @Test func `what changes nothing is not queued`() async throws {
    let before = try await waiting()
    try await store.write { tx in try tx.set(\Book.pages, to: 304, on: id(11)) }
    let stamps = try await store.write { tx in try tx.update(Book.self, id(11)) { _ in } }
    let after = try await waiting()
    #expect(stamps == [] && before == after)
  }

  @Test func `a part is undone alone`() async throws {
    let imported = [
      Book(title: "Jim Button", isbn: "978-2"), Book(title: "Momo", isbn: "978-1"),
      Book(title: "Lotta", isbn: "978-3"),
    ]
    // snippet: savepoint
    let known = try await store.write { tx in
      var known: [RecordID] = []
      for book in imported {
        do {
          try tx.savepoint { part in try part.insert(book) }
        } catch StoreError.taken(_, _, let holder) {
          known.append(holder)
        }
      }
      return known
    }
    // end
    #expect(known == [id(11)])
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 6)
  }

  @Test func `a write can be made to survive power loss`() async throws {
    let place = try Place()
    let store = try Store(place.folder, tables: [Book.table], options: place.options())
    let book = Book(title: "Momo")
    // snippet: durability
    try await store.write(durability: .full) { tx in try tx.insert(book) }
    // end
    await store.close()
    let connection = try Connection(.file(store.databasePath), Configuration(.readOnly))
    defer { connection.close() }
    #expect(try connection.value("SELECT title FROM book") == .text("Momo"))
  }

  private func add(
    _ book: Book, tell: @Sendable (String) async -> Void, retry: @Sendable () async -> Void
  ) async throws {
    // snippet: errors
    do {
      try await store.write { tx in try tx.insert(book) }
    } catch let error as StoreError where error.isRetryable {
      await retry()
    } catch let error as StoreError {
      await tell(error.message)
    }
    // end
  }

  @Test func `an error says what happened and what to do`() async throws {
    let (told, telling) = AsyncStream<String>.makeStream()
    try await add(Book(title: "Momo", isbn: "978-1")) {
      telling.yield($0)
    } retry: {
      telling.yield("later")
    }
    try await add(Book(title: "a\0b")) {
      telling.yield($0)
    } retry: {
      telling.yield("later")
    }
    telling.finish()
    var words: [String] = []
    for await line in told { words.append(line) }
    #expect(
      words == [
        "book \(id(11).text) has the same isbn; change one of the two",
        "book.title cannot hold text with a NUL; take it out",
      ])
    await store.close()
  }

  @Test func `what every device adds alike is added once`() async throws {
    // snippet: seed
    let sample = RecordID.derived(namespace: "library.sample", bytes: Array("momo".utf8))
    let outcome = try await store.write { tx in
      try tx.insertSeed(Book(id: sample, title: "Momo"))
    }
    // end
    let again = try await store.write { tx in
      try tx.insertSeed(Book(id: sample, title: "Momo"))
    }
    #expect(outcome == .added && again == .unchanged)
  }
}
