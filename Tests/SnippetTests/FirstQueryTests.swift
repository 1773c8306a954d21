import CommuteCore
import CommuteSQLite
import CommuteStore
import Testing

@Suite struct FirstQueryTests {
  let store: Store

  init() async throws { store = try await Store.library() }

  @Test func `records are chosen and ordered`() async throws {
    // snippet: query
    let long = Book.where(\.pages > 300 && \.shelf != .done).order(by: \.title)
    let books = try await store.read { tx in try tx.fetch(long.limit(20)) }
    // end
    #expect(books.map(\.title) == ["Emma", "The Neverending Story"])
    // snippet: conditions
    let open = Book.where(.isIn(\.shelf, [.wanted, .reading]) && .isIn(\.pages, 200...480))
    let dark = open.where(.contains(\.tags, "dark") || .hasPrefix(\.title, "The "))
    let anonymous = Book.where(\.author == nil)
    let short = Book.where(.sql("length(title) < \(6)"))
    // end
    let found = try await (
      store.titles(dark.order(by: \.title)), store.titles(anonymous),
      store.titles(short.order(by: \.title))
    )
    #expect(found.0 == ["Krabat", "The Neverending Story"])
    #expect(found.1 == ["Emma"])
    #expect(found.2 == ["Emma", "Momo"])
  }

  @Test func `one transaction reads whatever belongs together`() async throws {
    // snippet: reads
    let summary = try await store.read { tx in
      (
        longest: try tx.first(Book.order(by: \.pages, .descending)),
        wanted: try tx.count(Book.where(\.shelf == .wanted)),
        hasKrabat: try tx.exists(Book.where(\.title == "Krabat")),
        titles: try tx.fetch(Book.order(by: \.title), \.title),
        pages: try tx.sum(Book.all, \.pages)
      )
    }
    // end
    #expect(summary.longest?.title == "Emma")
    #expect(summary.wanted == 2 && summary.hasKrabat && summary.pages == 1_520)
    #expect(summary.titles == ["Emma", "Krabat", "Momo", "The Neverending Story"])
  }

  @Test func `books come with their authors, and authors with their books`() async throws {
    // snippet: pairs
    let books = try await store.read { tx in
      try tx.fetch(Book.order(by: \.title).leftJoin(\.author, Author.self))
    }
    let works = try await store.read { tx in
      try tx.fetch(Author.order(by: \.name).join(referring: \Book.author))
    }
    // end
    #expect(books.map { $1?.name } == [nil, "Otfried Preussler", "Michael Ende", "Michael Ende"])
    #expect(works.map { $1.title } == ["Momo", "The Neverending Story", "Krabat"])
  }

  @Test func `groups are made of a column`() async throws {
    // snippet: groups
    let shelves = try await store.read { tx in
      try tx.fetch(Book.group(by: \.shelf).count().order(byValue: .descending))
    }
    // end
    #expect(shelves.map(\.key) == [.wanted, .done, .reading])
    #expect(shelves.map(\.value) == [2, 1, 1])
  }

  @Test func `pages are turned behind the last record`() async throws {
    var titles: [String] = []
    // snippet: pages
    let byTitle = Book.order(by: \.title)
    var page = try await store.read { tx in try tx.fetch(byTitle.limit(3)) }
    while let last = page.last {
      titles += page.map(\.title)
      page = try await store.read { tx in try tx.fetch(byTitle.after(last).limit(3)) }
    }
    // end
    #expect(titles == ["Emma", "Krabat", "Momo", "The Neverending Story"])
  }

  @Test func `any number of records is read in the same memory`() async throws {
    // snippet: stream
    let pages = try await store.read { tx in
      var pages = 0
      try tx.forEach(Book.where(\.shelf != .done)) { book in pages += book.pages }
      return pages
    }
    // end
    #expect(pages == 1_216)
  }

  @Test func `SQL takes values, properties and types`() async throws {
    // snippet: sql
    let least = 300
    let books = try await store.read { tx in
      try tx.fetch(
        Book.self,
        sql: """
          SELECT * FROM \(Book.self)
          WHERE \(\Book.pages) >= \(least) AND \(\Book.shelf) IN \([Shelf.wanted, .reading])
          ORDER BY \(\Book.pages)
          """)
    }
    // end
    #expect(books.map(\.title) == ["The Neverending Story", "Emma"])
  }
}
