import CommuteCore
import CommuteSQLite
import CommuteStore
import Testing

@Suite struct QueryTests {
  let folder: TemporaryStore
  let store: Store

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open()
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo", author: "Ende", tags: ["child"], rating: 5))
      try tx.insert(Book(id: id(2), title: "Krabat", author: "Preußler", read: true, rating: 4))
      try tx.insert(Book(id: id(3), title: "100% Wolle_", author: "Ende", tags: ["knit", "sf"]))
    }
  }

  private func titles(_ query: Query<Book>) async throws -> [String] {
    try await store.read { tx in try tx.fetch(query).map(\.title) }
  }

  @Test func `conditions choose, and joined ones narrow and widen`() async throws {
    let unread = try await titles(Book.where(\.read == false))
    let both = try await titles(Book.where(\.author == "Ende" && \.rating > 4))
    let either = try await titles(Book.where(\.read == true || \.rating == nil))
    let neither = try await titles(Book.where(!(\.author == "Ende")))
    let between = try await titles(Book.where(\.rating >= 4).where(\.rating < 5))
    #expect(unread == ["Momo", "100% Wolle_"])
    #expect(both == ["Momo"])
    #expect(either == ["Krabat", "100% Wolle_"])
    #expect(neither == ["Krabat"])
    #expect(between == ["Krabat"])
  }

  @Test func `nothing equals nothing and is no number`() async throws {
    let unrated = try await titles(Book.where(\.rating == nil))
    let rated = try await titles(Book.where(\.rating != nil))
    #expect(unrated == ["100% Wolle_"])
    #expect(rated == ["Momo", "Krabat"])
  }

  @Test func `lists, parts of texts and ids can be looked for`() async throws {
    let tagged = try await titles(Book.where(.contains(\.tags, "sf")))
    let named = try await titles(Book.where(.contains(\.title, "KRA")))
    let percent = try await titles(Book.where(.contains(\.title, "0% ")))
    let underscore = try await titles(Book.where(.contains(\.title, "_")))
    let known = try await titles(Book.where(.isIn(\.author, ["Preußler", "Kästner"])))
    let one = try await titles(Book.where(\.id == id(2)))
    #expect(tagged == ["100% Wolle_"])
    #expect(named == ["Krabat"])
    #expect(percent == ["100% Wolle_"])
    #expect(underscore == ["100% Wolle_"])
    #expect(known == ["Krabat"])
    #expect(one == ["Krabat"])
  }

  @Test func `orders decide one after another, and limits cut`() async throws {
    let ordered = try await titles(Book.order(by: \.author).order(by: \.title, .descending))
    let first = try await titles(Book.order(by: \.title).limit(1))
    let count = try await store.read { tx in try tx.count(Book.where(\.author == "Ende")) }
    #expect(ordered == ["Momo", "100% Wolle_", "Krabat"])
    #expect(first == ["100% Wolle_"])
    #expect(count == 2)
  }

  @Test func `SQL binds what is put into it, and columns may come in any order`() async throws {
    let name = "Ende' OR 1 = 1 --"
    let none = try await store.read { tx in
      try tx.fetch(Book.self, sql: "SELECT * FROM \(Book.self) WHERE author = \(name)")
    }
    let some = try await store.read { tx in
      try tx.fetch(
        Book.self,
        sql: "SELECT shelf, rating, tags, read, author, title, id FROM book WHERE id = \(id(1))")
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Book.self, sql: "SELECT id, title FROM book") }
    }
    #expect(none.isEmpty)
    #expect(some.map(\.title) == ["Momo"])
    #expect(error?.message.contains("author") == true)
  }

  @Test func `a property that is no column is an error, not a guess`() async throws {
    struct Named: Record {
      var id = RecordID.zero
      var name = ""
      var shown = ""
      static let table = Table("named", feed: "n", blank: Named()) { Column("name", \.name) }
    }
    let other = try TemporaryStore()
    let names = try other.open([Named.table])
    let error = await #expect(throws: StoreError.self) {
      try await names.read { tx in try tx.fetch(Named.where(\.shown == "x")) }
    }
    #expect(error?.message.contains("no column of named") == true)
  }
}
