import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// Words found wherever a record came from, and never an error for what a person types.
@Suite struct SearchTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer(tables: [Author.table.schema, Novel.table.schema])

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open(Library.tables)
  }

  private func titles(
    _ words: String, _ style: SearchStyle = .allWords
  ) async throws -> [String] {
    try await store.read { tx in try tx.fetch(Novel.matching(words, style)).map(\.title) }
  }

  /// Whether the index says exactly what the rows say, by FTS5's own check.
  private func check(_ table: String = "novel") throws {
    let words = "c_search-\(table)-words"
    try folder.execute(
      "INSERT INTO \"\(words)\"(\"\(words)\", rank) VALUES ('integrity-check', 1)")
    let rows = try folder.rows(
      """
      SELECT (SELECT count(*) FROM \(name: table)), (SELECT count(*) FROM \(name: words)),
        (SELECT count(*) FROM \(name: "c_search-\(table)-rows")),
        (SELECT count(*) FROM \(name: "c_search-\(table)-changes"))
      """)
    #expect(rows[0][0] == rows[0][1])
    #expect(rows[0][0] == rows[0][2])
    #expect(rows[0][3] == .integer(0))
  }

  @Test func `words are found whatever their case and accents, the best record first`() async throws
  {
    try await store.write { tx in
      try tx.insert(Novel(id: id(1), title: "Émile oder über die Erziehung", tags: ["pädagogik"]))
      try tx.insert(Novel(id: id(2), title: "Emile", blurb: "emile, and emile again"))
      try tx.insert(Novel(id: id(3), title: "Krabat", blurb: "a mill"))
    }
    let emile = try await titles("emile")
    let tagged = try await titles("PADAGOGIK")
    let both = try await titles("mill krabat")
    let neither = try await titles("mill emile")
    let either = try await titles("mill emile", .anyWord)
    let beginning = try await titles("erz emi", .beginnings)
    let phrase = try await titles("die erziehung", .phrase)
    let turned = try await titles("erziehung die", .phrase)
    #expect(emile == ["Emile", "Émile oder über die Erziehung"])
    #expect(tagged == ["Émile oder über die Erziehung"])
    #expect(both == ["Krabat"])
    #expect(neither == [])
    #expect(either.count == 3)
    #expect(beginning == ["Émile oder über die Erziehung"])
    #expect(phrase == ["Émile oder über die Erziehung"])
    #expect(turned == [])
    try check()
  }

  @Test func `changes are found as soon as they are made, and undone with what they came with`()
    async throws
  {
    struct Never: Error {}
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "Momo", pages: 3)) }
    try await store.write { tx in
      try tx.update(Novel.self, id(1)) { $0.title = "Momo und die Zeit" }
      try tx.insert(Novel(id: id(2), title: "Krabat"))
      let time = try tx.fetch(Novel.matching("zeit"))
      try tx.update(Novel.self, id(1)) { $0.title = "Momo" }
      let none = try tx.count(Novel.matching("zeit"))
      #expect(time.map(\.id) == [id(1)])
      #expect(none == 0)
      try? tx.savepoint { tx in
        try tx.delete(Novel.self, id(2))
        try tx.update(Novel.self, id(1)) { $0.title = "Gone" }
        let gone = try tx.fetch(Novel.matching("gone"))
        #expect(gone.count == 1)
        throw Never()
      }
      try tx.delete(Novel.self, try tx.insert(Novel(title: "Brief")))
    }
    let krabat = try await titles("krabat")
    let momo = try await titles("momo")
    let gone = try await titles("gone brief", .anyWord)
    #expect(krabat == ["Krabat"])
    #expect(momo == ["Momo"])
    #expect(gone == [])
    try check()
    try await store.write { tx in try tx.delete(Novel.self, id(1)) }
    let after = try await titles("momo")
    #expect(after == [])
    try check()
  }

  @Test func `what the server tells is found, too`() async throws {
    server.put(
      "novel", id(7), feed: "library", ["title": .text("Ronja"), "blurb": .text("in the woods")])
    try await store.syncAll(with: server)
    let first = try await titles("woods ronja")
    server.put("novel", id(7), feed: "library", ["blurb": .text("a castle")])
    try await store.syncAll(with: server)
    let second = try await titles("castle ronja")
    let old = try await titles("woods")
    server.put("novel", id(7), feed: "library", [:], deleted: true)
    try await store.syncAll(with: server)
    let third = try await titles("ronja")
    #expect(first == ["Ronja"])
    #expect(second == ["Ronja"])
    #expect(old == [])
    #expect(third == [])
    try check()
  }

  @Test func `nothing that a person types is an error`() async throws {
    try await store.write { tx in
      try tx.insert(Novel(title: "NOT so AND \"quoted\" OR c++ near(me)", blurb: "don't"))
    }
    let typed = [
      "", " ", "\"", "\"\"", "*", "a*", "NOT", "AND", "OR NOT", "NEAR(", "title:", "^so", "-so",
      "c++", "(", ")", "don't", "\u{0}", "so\u{0}", "\\", "{title} : so", "so +", "\"\u{301}", "…",
    ]
    for text in typed {
      for style in [SearchStyle.allWords, .beginnings, .anyWord, .phrase] {
        _ = try await titles(text, style)
      }
    }
    let not = try await titles("NOT")
    let quoted = try await titles("\"quoted\"")
    let near = try await titles("near(me) so")
    let empty = try await titles(" \u{0} ")
    let half = try await titles("so\u{0}")
    #expect(not.count == 1)
    #expect(quoted.count == 1)
    #expect(near.count == 1)
    #expect(empty.isEmpty)
    #expect(half.count == 1)
  }

  @Test func `a search narrows, orders, counts and turns pages like any query`() async throws {
    try await store.write { tx in
      for number in 1...30 {
        try tx.insert(Novel(id: id(UInt64(number)), title: "Tale \(number)", pages: number % 4))
      }
      try tx.insert(Novel(id: id(99), title: "Other"))
    }
    let query = Novel.matching("tale").where(\.pages > 1).order(by: \.pages, .descending)
    let wanted = try folder.rows(
      "SELECT id FROM novel WHERE title LIKE 'tale %' AND pages > 1 ORDER BY pages DESC, id")
    var paged: [Novel] = []
    while true {
      let page = paged.last.map { query.limit(4).after($0) } ?? query.limit(4)
      let found = try await store.read { tx in try tx.fetch(page) }
      if found.isEmpty { break }
      paged += found
    }
    let count = try await store.read { tx in try tx.count(query) }
    let sum = try await store.read { tx in try tx.sum(query, \.pages) }
    let titles = try await store.read { tx in try tx.fetch(query.limit(1), \.title) }
    #expect(paged.map { SQLValue.bytes($0.id.bytes) } == wanted.map { $0[0] })
    #expect(count == wanted.count)
    #expect(sum == paged.reduce(0) { $0 + $1.pages })
    #expect(titles == ["Tale 3"])
    #expect(query.matches(paged[0]) == nil)
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Novel.matching("tale").after(Novel())) }
    }
    #expect(error?.message == "pages of novel behind a record need an order; a rank is none")
  }

  @Test func `a search that no table declares is named`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Author.matching("ende")) }
    }
    #expect(
      error?.message == "author declares no search; add Search() with the columns to its table")
  }

  @Test
  func `a search that is declared later finds what was there, one that changes what is there`()
    async throws
  {
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "Reading", blurb: "aloud"))
    }
    await store.close()
    let plain = try folder.open([PlainNovel.table])
    try await plain.write { tx in try tx.update(PlainNovel.self, id(1)) { $0.title = "Readings" } }
    await plain.close()
    #expect(
      try folder.value("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'c_search*'")
        == .integer(0))
    let english = try folder.open([EnglishNovel.table])
    let found = try await english.read { tx in try tx.fetch(EnglishNovel.matching("read")) }
    let blurb = try await english.read { tx in try tx.fetch(EnglishNovel.matching("aloud")) }
    #expect(found.map(\.id) == [id(1)])
    #expect(blurb == [])
    await english.close()
    try check()
  }

  @Test func `new columns and a table's return leave the search true`() async throws {
    try await store.write { tx in try tx.insert(Novel(id: id(1), title: "Momo", blurb: "time")) }
    await store.close()
    // Without the table its records are kept as unknown, and its search goes.
    let without = try folder.open([Author.table]) { $0.schemaVersion = 2 }
    await without.close()
    let again = try folder.open(Library.tables) { $0.schemaVersion = 3 }
    let found = try await again.read { tx in try tx.fetch(Novel.matching("time")) }
    #expect(found.map(\.title) == ["Momo"])
    await again.close()
    try check()
  }
}

/// The same table without its search.
private struct PlainNovel: Record {
  var id = RecordID.zero
  var title = ""
  var blurb: String?

  static let table = Table("novel", feed: "library", blank: PlainNovel()) {
    Column("title", \.title)
    Column("blurb", \.blurb)
  }
}

/// The same table with another search.
private struct EnglishNovel: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var blurb: String?

  static let table = Table("novel", feed: "library", blank: EnglishNovel()) {
    Column("title", \.title)
    Column("blurb", \.blurb)
    Search(\.title, words: .english)
  }
}
