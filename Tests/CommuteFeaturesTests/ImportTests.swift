import CommuteCore
import CommuteFeatures
import CommuteImport
import CommuteStore
import CommuteSync
import Foundation
import Testing

@Suite struct ImportTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  private func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.root.appending(path: "Examples/data/\(name)")))
  }

  @Test func `ids are derived from what a book is, the same on every device`() {
    #expect(
      ReadingListRepository.id(of: ImportedBook(title: "?", isbn13: "9780141439518")).text
        == "0286c3f6-6c2a-807e-8a98-b3b3978f9b47")
    #expect(
      ReadingListRepository.id(of: ImportedBook(title: " EMMA ", author: "Jane  Austen")).text
        == "1841266b-6703-8353-8dc3-7108118ca92d")
    let own = RecordID(high: 5, low: 6)
    #expect(
      ReadingListRepository.id(of: ImportedBook(title: "Emma", recordID: own.bytes)) == own)
    let zero = ImportedBook(title: "Emma", author: "Jane Austen", recordID: RecordID.zero.bytes)
    #expect(ReadingListRepository.id(of: zero).text == "1841266b-6703-8353-8dc3-7108118ca92d")
  }

  @Test func `the same file twice doubles nothing and sends nothing`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let bytes = try file("reading-list.csv")
    let first = try await device.list.importFile(bytes)
    #expect(first.outcome.added == first.report.taken)
    #expect(first.outcome.added >= 100)
    await device.sync()
    let second = try await device.list.importFile(bytes)
    #expect(second.outcome.added == 0)
    #expect(second.outcome.alreadyThere == first.outcome.added)
    let waiting = try await device.waiting()
    #expect(waiting == 0)
  }

  @Test func `imported on two devices, the books are the same books`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let bytes = try file("reading-list.csv")
    try await tablet.list.importFile(bytes)
    try await phone.list.importFile(bytes)
    await tablet.sync()
    await phone.sync()
    await tablet.sync()
    let here = try await tablet.list.books()
    let there = try await phone.list.books()
    #expect(here == there)
    #expect(here.count >= 100)
  }

  @Test func `a tick and stars stay when the same book is imported later, here and elsewhere`()
    async throws
  {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let emma = ImportedBook(title: "Emma", tags: ["england"], rating: 2)
    try await tablet.list.importBooks([emma])
    let id = ReadingListRepository.id(of: emma)
    try await tablet.list.tick(id)
    try await tablet.list.rate(id, 5)
    let again = try await tablet.list.importBooks([emma])
    #expect(again.alreadyThere == 1)
    await tablet.sync()
    home.pass(milliseconds: 60_000)
    try await phone.list.importBooks([emma])
    await phone.sync()
    await tablet.sync()
    for device in [tablet, phone] {
      let book = try await device.list.book(id)
      #expect(book?.read == true)
      #expect(book?.rating == 5)
      #expect(book?.tags == ["england"])
    }
  }

  @Test func `what was deleted stays deleted and is named, until it is asked for again`()
    async throws
  {
    let home = try await Household()
    let device = try home.device("tablet")
    let books = ["Emma", "Persuasion", "Dracula"].map { ImportedBook(title: $0) }
    try await device.list.importBooks(books)
    await device.sync()
    for title in ["Emma", "Dracula"] {
      try await device.list.delete(try #require(try await device.book(title)).id)
    }
    let second = try await device.list.importBooks(books)
    #expect(second.deletedEarlier == ["Emma", "Dracula"])
    #expect(
      second.lines == [
        "0 added · 1 already there",
        "2 skipped: deleted earlier; `--again` adds them as new books", "  Emma", "  Dracula",
      ])
    let third = try await device.list.importBooks(books, again: true)
    #expect(third.addedAgain == 2 && third.deletedEarlier.isEmpty)
    let fourth = try await device.list.importBooks(books, again: true)
    #expect(fourth.addedAgain == 0 && fourth.alreadyThere == 3)
    let now = try await device.list.books()
    #expect(now.map(\.title) == ["Dracula", "Emma", "Persuasion"])
  }

  @Test func `a list that was exported is known again on a fresh device`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    try await tablet.list.importFile(try file("reading-list.csv"))
    try await tablet.list.add(
      Book(title: "=1+1", author: "Ä, \"B\"", tags: ["x"], notes: "two\nlines"))
    let books = try await tablet.list.books()
    let outcome = try await phone.list.importFile(ReadingListRepository.export(books))
    #expect(outcome.outcome.added == books.count)
    #expect(outcome.report.notes.isEmpty)
    let copies = try await phone.list.books()
    #expect(copies == books)
  }

  @Test func `a hostile file is taken as far as it can be, and the list goes on`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let outcome = try await device.list.importFile(try file("hostile.csv"))
    #expect(outcome.outcome.added == outcome.report.taken)
    #expect(outcome.outcome.added > 0)
    let report = await device.sync()
    #expect(report.failure == nil && report.rejected == 0)
    let waiting = try await device.waiting()
    #expect(waiting == 0)
  }

  @Test func `a file that is no list is refused in words`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    await #expect(
      throws: ReadingListError.file("the file is empty; export the library from Goodreads again")
    ) {
      try await device.list.importFile([])
    }
  }

  @Test func `two devices that begin with the sample share it`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    try await tablet.list.addSample()
    try await phone.list.addSample()
    try await phone.list.tick(SampleBooks.all[1].id)
    await tablet.sync()
    await phone.sync()
    await tablet.sync()
    let here = try await tablet.list.books()
    let there = try await phone.list.books()
    #expect(here == there)
    #expect(here.count == SampleBooks.all.count)
    #expect(here.filter(\.read).map(\.title) == ["Frankenstein"])
    let again = try await tablet.list.addSample()
    #expect(again == 0)
  }

  @Test func `the ids of the sample are what they have always been`() {
    #expect(
      SampleBooks.all.map(\.id.text) == [
        "636f6d6d-7574-8562-8f6f-6b0000000001", "636f6d6d-7574-8562-8f6f-6b0000000002",
        "636f6d6d-7574-8562-8f6f-6b0000000003", "636f6d6d-7574-8562-8f6f-6b0000000004",
        "636f6d6d-7574-8562-8f6f-6b0000000005",
      ])
  }
}
