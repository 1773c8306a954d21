import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTestKit
import Testing

/// Pairs, groups and what is made of a column, each compared with SQL on the file.
@Suite(.timeLimit(.minutes(2))) struct JoinTests {
  let folder: TemporaryStore
  let store: Store

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open(Library.tables)
    var dice = SeededGenerator(seed: 3)
    let authors = (1...8).map { number in
      Author(
        id: id(UInt64(number)), name: dice.one(of: ["Ende", "Lindgren", "Kästner", "Preußler"]),
        mentor: dice.one(of: [nil, id(2), id(3), id(50)]))
    }
    let novels = (101...200).map { number in
      Novel(
        id: id(UInt64(number)), title: dice.one(of: ["Momo", "Krabat", "Emil", "momo"]),
        blurb: dice.one(of: [nil, "about a mill", ""]),
        author: id(UInt64(1 + dice.draw(10))), isbn: dice.one(of: [nil, "i\(number)"]),
        pages: dice.draw(300), price: dice.one(of: [1.5, 2, 9.99]))
    }
    try await store.write { tx in
      try tx.insert(authors)
      try tx.insert(novels)
    }
  }

  private func ids(_ sql: SQL) throws -> [[SQLValue]] { try folder.rows(sql) }

  private func row(_ ids: RecordID?...) -> [SQLValue] {
    ids.map { $0.map { .bytes($0.bytes) } ?? .null }
  }

  @Test func `each record stands beside the one it names`() async throws {
    let join = Novel.where(\.pages > 100).order(by: \.title).join(\.author, Author.self)
      .where(joined: \.name == "Ende").order(byJoined: \.mentor, .descending)
    let pairs = try await store.read { tx in try tx.fetch(join) }
    let count = try await store.read { tx in try tx.count(join) }
    let wanted = try ids(
      """
      SELECT n.id, a.id FROM novel n JOIN author a ON a.id = n.author
      WHERE n.pages > 100 AND a.name = 'Ende' ORDER BY n.title, a.mentor DESC, n.id
      """)
    #expect(pairs.map { row($0.id, $1.id) } == wanted)
    #expect(pairs.count > 3)
    #expect(pairs.allSatisfy { $0.author == $1.id && $1.name == "Ende" && $0.pages > 100 })
    #expect(count == wanted.count)
    let cut = try await store.read { tx in try tx.fetch(join.limit(3, offset: 1)) }
    #expect(cut.map { row($0.id, $1.id) } == Array(wanted[1..<4]))
  }

  @Test func `one without a partner stands beside nothing`() async throws {
    let pairs = try await store.read { tx in
      try tx.fetch(Novel.leftJoin(\.author, Author.self).order(byJoined: \.name))
    }
    let wanted = try ids(
      """
      SELECT n.id, a.id FROM novel n LEFT JOIN author a ON a.id = n.author ORDER BY a.name, n.id
      """)
    #expect(pairs.map { row($0.id, $1?.id) } == wanted)
    #expect(pairs.contains { $1 == nil })
    let alone = try await store.read { tx in
      try tx.fetch(
        Novel.leftJoin(\.author, Author.self).where(\.pages > 5).where(joined: \.id == .zero))
    }
    #expect(alone.isEmpty)
  }

  @Test func `a type joins itself, and the ones that refer to it`() async throws {
    let pupils = try await store.read { tx in
      try tx.fetch(Author.join(\.mentor, Author.self).order(byJoined: \.name))
    }
    let works = try await store.read { tx in
      try tx.fetch(
        Author.order(by: \.name).join(referring: \Novel.author).where(joined: \.pages < 50))
    }
    let mentors = try ids(
      "SELECT a.id, b.id FROM author a JOIN author b ON b.id = a.mentor ORDER BY b.name, a.id")
    let wanted = try ids(
      """
      SELECT a.id, n.id FROM author a JOIN novel n ON n.author = a.id WHERE n.pages < 50
      ORDER BY a.name, a.id, n.id
      """)
    #expect(pupils.map { row($0.id, $1.id) } == mentors)
    #expect(!mentors.isEmpty)
    #expect(works.map { row($0.id, $1.id) } == wanted)
    #expect(!wanted.isEmpty)
  }

  @Test func `a search and a page can be joined`() async throws {
    let first = try await store.read { tx in
      try tx.fetch(Novel.matching("mill").order(by: \.pages).join(\.author, Author.self).limit(5))
    }
    let last = try #require(first.last?.0)
    let rest = try await store.read { tx in
      try tx.fetch(
        Novel.matching("mill").order(by: \.pages).after(last).join(\.author, Author.self))
    }
    let wanted = try ids(
      """
      SELECT n.id, a.id FROM novel n JOIN author a ON a.id = n.author
      WHERE n.blurb = 'about a mill' ORDER BY n.pages, n.id
      """)
    #expect((first + rest).map { row($0.id, $1.id) } == wanted)
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in
        try tx.fetch(Novel.all.after(last).join(\.author, Author.self).order(byJoined: \.name))
      }
    }
    #expect(error?.message == "pages of novel cannot be ordered by author; write SQL")
  }

  @Test func `an observed pair changes with either of the two`() async throws {
    let names = store.values { tx in
      try tx.fetch(Novel.where(\.id == id(101)).leftJoin(\.author, Author.self)).map {
        $1?.name ?? "-"
      }
    }
    let author = try await store.read { tx in try tx.fetch(Novel.self, id(101))?.author } ?? .zero
    var seen: [[String]] = []
    for try await name in names {
      seen.append(name)
      if seen.count == 1 {
        try await store.write { tx in try tx.save(Author(id: author, name: "Another")) }
      } else if seen.count == 2 {
        try await store.write { tx in try tx.set(\Novel.author, to: id(77), on: id(101)) }
      } else {
        break
      }
    }
    #expect(seen.dropFirst() == [["Another"], ["-"]])
  }

  @Test func `what is made of a column is what SQL makes of it`() async throws {
    let queries: [(Query<Novel>, SQL)] = [
      (Novel.all, "(SELECT * FROM novel)"),
      (Novel.where(\.pages > 150), "(SELECT * FROM novel WHERE pages > 150)"),
      (Novel.where(\.pages > 5_000), "(SELECT * FROM novel WHERE pages > 5000)"),
      (
        Novel.order(by: \.pages, .descending).limit(7),
        "(SELECT * FROM novel ORDER BY pages DESC, id LIMIT 7)"
      ),
      (
        Novel.matching("mill").where(\.pages < 99),
        "(SELECT * FROM novel WHERE blurb = 'about a mill' AND pages < 99)"
      ),
    ]
    for (query, sql) in queries {
      let made = try await store.read { tx -> [SQLValue] in
        [
          .integer(Int64(try tx.count(query))), .integer(Int64(try tx.sum(query, \.pages))),
          .real(try tx.sum(query, \.price)),
          try tx.min(query, \.pages).map { .integer(Int64($0)) } ?? .null,
          try tx.max(query, \.title).map { .text($0) } ?? .null,
          try tx.max(query, \.isbn).map { .text($0) } ?? .null,
          try tx.average(query, \.price).map { .real($0) } ?? .null,
        ]
      }
      let wanted = try folder.rows(
        """
        SELECT count(*), coalesce(sum(pages), 0), coalesce(sum(price), 0.0), min(pages),
          max(title), max(isbn), avg(price) FROM \(sql)
        """)
      #expect([made] == wanted, "\(sql)")
    }
  }

  @Test func `groups are those of SQL`() async throws {
    let counted = try await store.read { tx in
      try tx.fetch(Novel.where(\.pages > 30).group(by: \.title).count())
    }
    let frequent = try await store.read { tx in
      try tx.fetch(
        Novel.group(by: \.author).sum(\.pages).order(byValue: .descending).having(atLeast: 3)
          .limit(4))
    }
    let means = try await store.read { tx in
      try tx.fetch(Novel.group(by: \.isbn).average(\.price))
    }
    let greatest = try await store.read { tx in
      try tx.fetch(Novel.matching("mill").group(by: \.blurb).max(\.isbn))
    }
    #expect(
      counted.map { [.text($0.key), .integer(Int64($0.value))] }
        == (try folder.rows(
          "SELECT title, count(*) FROM novel WHERE pages > 30 GROUP BY title ORDER BY title")))
    #expect(
      frequent.map { [.bytes($0.key.bytes), .integer(Int64($0.value))] }
        == (try folder.rows(
          """
          SELECT author, sum(pages) FROM novel GROUP BY author HAVING count(*) >= 3
          ORDER BY 2 DESC, 1 LIMIT 4
          """)))
    #expect(
      means.map { [$0.key.map { .text($0) } ?? .null, $0.value.map { .real($0) } ?? .null] }
        == (try folder.rows("SELECT isbn, avg(price) FROM novel GROUP BY isbn ORDER BY isbn")))
    #expect(greatest.map(\.key) == ["about a mill"])
    #expect(frequent.count == 4)
  }

  @Test func `some columns are read without their records`() async throws {
    let query = Novel.where(\.pages > 250).order(by: \.title)
    let titles = try await store.read { tx in try tx.fetch(query, \.title) }
    let rows = try await store.read { tx in try tx.fetch(query, \.title, \.isbn, \.pages) }
    let ids = try await store.read { tx in try tx.ids(query) }
    let first = try await store.read { tx in try tx.first(query) }
    let exists = try await store.read { tx in try tx.exists(query) }
    let not = try await store.read { tx in try tx.exists(query.where(\.pages > 9_999)) }
    let wanted = try folder.rows(
      "SELECT title, isbn, pages, id FROM novel WHERE pages > 250 ORDER BY title, id")
    #expect(titles.map { .text($0) } == wanted.map { $0[0] })
    #expect(rows.map(\.0) == titles)
    #expect(rows.map { $0.1.map { .text($0) } ?? .null } == wanted.map { $0[1] })
    #expect(rows.map { .integer(Int64($0.2)) } == wanted.map { $0[2] })
    #expect(ids.map { .bytes($0.bytes) } == wanted.map { $0[3] })
    #expect(first?.id == ids.first)
    #expect(exists)
    #expect(!not)
  }

  @Test func `a sum that does not fit is named`() async throws {
    try await store.write { tx in
      try tx.insert([Novel(pages: .max), Novel(pages: .max)])
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.sum(Novel.all, \.pages) }
    }
    #expect(error?.message == "the sum of novel.pages takes more than 64 bits")
  }

  @Test func `a column that is declared to name one table joins no other`() async throws {
    let folder = try TemporaryStore()
    let store = try folder.open(Library.tables + [Loan.table])
    try await store.write { tx in
      try tx.insert(Novel(id: id(1), title: "Momo"))
      try tx.insert(Loan(novel: id(1)))
    }
    let titles = try await store.read { tx in
      try tx.fetch(Loan.join(\.novel, Novel.self)).map { $1.title }
    }
    let loans = try await store.read { tx in try tx.count(Novel.join(referring: \Loan.novel)) }
    #expect(titles == ["Momo"])
    #expect(loans == 1)
    let reads: [@Sendable (borrowing ReadTransaction) throws -> Void] = [
      { tx in _ = try tx.fetch(Loan.join(\.novel, Author.self)) },
      { tx in _ = try tx.fetch(Loan.leftJoin(\.novel, Author.self)) },
      { tx in _ = try tx.fetch(Author.join(referring: \Loan.novel)) },
    ]
    for read in reads {
      let error = await #expect(throws: StoreError.self) {
        try await store.read { tx in try read(tx) }
      }
      #expect(error?.message == "loan.novel refers to novel, not to author")
    }
  }
}

private struct Loan: Record {
  var id = RecordID.zero
  var novel = RecordID.zero

  static let table = Table("loan", feed: "library", blank: Loan()) {
    Column("novel", \.novel, references: Reference("novel"))
  }
}
