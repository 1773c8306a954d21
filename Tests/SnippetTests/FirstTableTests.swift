import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Testing

// snippet: author
struct Author: Record, Equatable {
  var id = RecordID.zero
  var name = ""

  static let table = Table("author", feed: "library", blank: Author()) {
    Column("name", \.name)
  }
}
// end

// snippet: book
enum Shelf: String, ColumnValue { case wanted, reading, done }

struct Book: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var author: RecordID?
  var isbn: String?
  var pages = 0
  var shelf = Shelf.wanted
  var tags: [String] = []
  var finishedOn: Date?

  static let table = Table("book", feed: "library", blank: Book()) {
    Column("title", \.title)
    Column("author", \.author, references: Reference("author", onDeletion: .nullify))
    Column("isbn", \.isbn)
    Column("pages", \.pages)
    Column("shelf", \.shelf, unknown: .wanted)
    Column("tags", \.tags)
    Column("finished_on", \.finishedOn)
    Index(\.author, \.title)
    Unique(\.isbn)
    Search(\.title, \.tags)
  }
}
// end

// snippet: draft
struct Draft: Record {
  struct Place: Codable, Equatable, Sendable {
    var chapter = 1
    var line = 0
  }

  var id = RecordID.zero
  var text = ""
  var place = Place()

  static let table = Table(local: "draft", blank: Draft()) {
    Column("text", \.text)
    Column("place", json: \.place)
  }
}
// end

@Suite struct FirstTableTests {
  let place: Place

  init() throws { place = try Place() }

  @Test func `a store is opened, written and read`() async throws {
    // snippet: options
    var options = StoreOptions(schemaName: "library", schemaVersion: 1)
    options.deviceName = "Anna's phone"
    // end
    place.govern(&options)
    let folder = place.folder
    // snippet: open
    let store = try Store(
      folder, tables: [Author.table, Book.table, Draft.table], options: options)
    // end
    // snippet: first-write
    let momo = try await store.write { tx in
      let ende = try tx.insert(Author(name: "Michael Ende"))
      return try tx.insert(Book(title: "Momo", author: ende, pages: 304, tags: ["time"]))
    }
    let book = try await store.fetch(Book.self, momo)
    // end
    #expect(book?.title == "Momo" && book?.tags == ["time"])
    let name = try await store.deviceName()
    #expect(name == "Anna's phone")
    let text = try await store.read { tx in try tx.value("SELECT name FROM author") }
    #expect(text == .text("Michael Ende"))
    #expect(store.databasePath == "\(folder)/commute.db")
    await store.close()
  }

  @Test func `ten lines write, read and observe`() async throws {
    let store = try Store.inMemory(tables: [Author.table], options: place.options())
    // snippet: overview
    try await store.write { tx in try tx.insert(Author(name: "Michael Ende")) }
    let byName = Author.order(by: \.name)
    let authors = try await store.read { tx in try tx.fetch(byName.limit(20)) }
    let following = store.values(byName)
    // end
    var lists = following.makeAsyncIterator()
    let first = try await lists.next()
    #expect(authors.map(\.name) == ["Michael Ende"])
    #expect(first == authors)
  }

  @Test func `what is declared local is queued for nobody, and JSON is looked into by SQL`()
    async throws
  {
    let store = try Store.inMemory(tables: [Draft.table], options: place.options())
    try await store.write { tx in
      try tx.insert(Draft(text: "Once upon", place: Draft.Place(chapter: 2, line: 7)))
    }
    let counts = try await store.counts()
    #expect(counts.waiting == 0)
    let line = try await store.read { tx in
      try tx.value("SELECT json_extract(place, '$.line') FROM draft")
    }
    #expect(line == .integer(7))
  }

  @Test func `a shelf of a newer app shows as the one that is named for it`() async throws {
    let store = try await Store.library()
    let shelf = try await store.read { tx in
      try tx.fetch(
        Book.self,
        sql: """
          SELECT id, title, author, isbn, pages, 'attic' AS shelf, tags, finished_on
          FROM \(Book.self) LIMIT 1
          """
      ).first?.shelf
    }
    #expect(shelf == .wanted)
  }
}
