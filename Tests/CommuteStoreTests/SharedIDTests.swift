import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

private struct Loan: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var rating: Int?

  static let table = Table("loan", feed: "loans", blank: Loan()) {
    Column("title", \.title)
    Column("rating", \.rating)
  }
}

/// Two tables may have records of one and the same id, and nothing of them is mixed up.
@Suite struct SharedIDTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()
  let book = RecordKey(table: "book", id: id(1))
  let loan = RecordKey(table: "loan", id: id(1))

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Book.table, Loan.table])
  }

  private func shown() async throws -> (book: Book?, loan: Loan?) {
    try await store.read { tx in
      (try tx.fetch(Book.self, id(1)), try tx.fetch(Loan.self, id(1)))
    }
  }

  private func tables(of engineTable: String) throws -> [SQLValue] {
    let rows = try folder.rows("SELECT tbl FROM \(name: engineTable) ORDER BY tbl")
    return rows.map { $0[0] }
  }

  private func writeBoth() async throws {
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo", rating: 1))
      try tx.insert(Loan(id: id(1), title: "to Anna", rating: 2))
    }
  }

  @Test func `both go through a whole round`() async throws {
    try await writeBoth()
    let round = try await store.beginRound(batch: 10)
    #expect(round.request.operations.map(\.operation.key) == [book, loan])
    #expect(round.request.operations.map(\.operation.feed) == ["books", "loans"])
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.rating = 3 }
      try tx.update(Loan.self, id(1)) { $0.rating = 4 }
    }
    #expect(try tables(of: "c_outbox") == ["book", "book", "loan", "loan"].map { .text($0) })
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    let applied = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    #expect(applied.settled == 2)
    #expect(try folder.bases().map { $0[0] } == [.text("book"), .text("loan")])
    let held = try await shown()
    #expect(held.book == Book(id: id(1), title: "Momo", rating: 3))
    #expect(held.loan == Loan(id: id(1), title: "to Anna", rating: 4))
    try await store.syncAll(with: server)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
    #expect(try folder.bases().map { $0[0] } == [])
    #expect(server.records[book]?.state.fields["rating"]?.value == .integer(3))
    #expect(server.records[loan]?.state.fields["rating"]?.value == .integer(4))
  }

  @Test func `a verdict on one leaves the other in line`() async throws {
    try await writeBoth()
    let first = try await store.sync(with: server, batch: 1)
    #expect(first.settled == 1)
    #expect(first.more)
    #expect(try tables(of: "c_outbox") == [.text("loan")])
    // The other is still known to be waiting: a page about it becomes its base.
    server.put("loan", id(1), feed: "loans", ["title": .text("to Ben"), "rating": .integer(9)])
    let round = try await store.beginRound(batch: 0)
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    _ = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 10)
    let held = try await shown()
    #expect(held.loan == Loan(id: id(1), title: "to Anna", rating: 2))
    #expect(held.book == Book(id: id(1), title: "Momo", rating: 1))
    #expect(try folder.bases().map { $0[0] } == [.text("loan")])
  }

  @Test func `a refusal of one leaves the other`() async throws {
    try await writeBoth()
    let round = try await store.beginRound(batch: 10)
    let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
    var answer = try SyncAnswer(decoding: bytes)
    for index in answer.verdicts.indices
    where answer.verdicts[index].id == round.request.operations[0].operation.id {
      answer.verdicts[index] = Verdict(
        id: answer.verdicts[index].id, kind: .rejected(.invalid, message: "no"))
    }
    answer.feeds = []
    let applied = try await store.apply(answer, roundTrip: 10)
    let held = try await shown()
    let inbox = try await store.inbox()
    #expect(applied.settled == 1)
    #expect(applied.rejected == 1)
    #expect(held.book == nil)
    #expect(held.loan == Loan(id: id(1), title: "to Anna", rating: 2))
    #expect(inbox.map(\.key) == [book])
  }

  @Test func `a page and a deletion of one leave the other`() async throws {
    try await writeBoth()
    try await store.syncAll(with: server)
    server.put("book", id(1), feed: "books", [:], deleted: true)
    server.put("loan", id(1), feed: "loans", ["title": .text("to Ben")])
    try await store.syncAll(with: server)
    let held = try await shown()
    #expect(held.book == nil)
    #expect(held.loan == Loan(id: id(1), title: "to Ben", rating: 2))
    #expect(try tables(of: "c_tombstone") == [.text("book")])
  }

  @Test func `after a new start both are still known to wait`() async throws {
    try await writeBoth()
    _ = try await store.sync(with: server, batch: 1)
    await store.close()
    let again = try folder.open([Book.table, Loan.table]) { $0.randomSeed = 9 }
    try await again.write { tx in
      try tx.update(Book.self, id(1)) { $0.rating = 3 }
      try tx.update(Loan.self, id(1)) { $0.rating = 4 }
    }
    // The book's is a change of its own; the loan's joins its creation.
    let rows = try folder.rows("SELECT tbl, creates FROM c_outbox ORDER BY position")
    #expect(rows == [[.text("loan"), .integer(1)], [.text("book"), .integer(0)]])
    try await again.syncAll(with: server)
    #expect(server.records[book]?.state.fields["rating"]?.value == .integer(3))
    #expect(server.records[loan]?.state.fields["rating"]?.value == .integer(4))
  }
}
