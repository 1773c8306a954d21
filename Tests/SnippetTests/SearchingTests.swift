import CommuteCore
import CommuteStore
import Testing

// snippet: note
struct Note: Record {
  var id = RecordID.zero
  var text = ""
  var keywords: [String] = []

  static let table = Table("note", feed: "library", blank: Note()) {
    Column("text", \.text)
    Column("keywords", \.keywords)
    Search(\.text, \.keywords, words: .english)
  }
}
// end

@Suite struct SearchingTests {
  @Test func `words are found by their stems`() async throws {
    let store = try Store.inMemory(tables: [Note.table], options: Place().options())
    try await store.write { tx in
      try tx.insert(Note(text: "Reading aloud", keywords: ["evening"]))
      try tx.insert(Note(text: "The mill at the pond"))
    }
    // snippet: match
    let found = try await store.read { tx in try tx.fetch(Note.matching("read evenings")) }
    // end
    #expect(found.map(\.text) == ["Reading aloud"])
  }

  @Test func `a search field finds beginnings, narrows and orders`() async throws {
    let store = try await Store.library()
    let typed = "the nev"
    // snippet: search-field
    let hits = Book.matching(typed, .beginnings).where(\.shelf != .done).limit(50)
    let books = try await store.read { tx in try tx.fetch(hits) }
    let byTitle = try await store.read { tx in try tx.fetch(hits.order(by: \.title)) }
    // end
    #expect(books.map(\.title) == ["The Neverending Story"])
    #expect(byTitle == books)
  }

  @Test func `a search is observed`() async throws {
    let store = try await Store.library()
    // snippet: observed-search
    let hits = store.values(Book.matching("mill").order(by: \.title))
    // end
    var lists = hits.makeAsyncIterator()
    let first = try await lists.next()
    try await store.write { tx in try tx.insert(Book(title: "A Mill on the Floss")) }
    let second = try await lists.next()
    #expect(first?.map(\.title) == ["Krabat"])
    #expect(second?.map(\.title) == ["A Mill on the Floss", "Krabat"])
  }
}
