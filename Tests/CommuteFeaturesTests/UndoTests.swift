import CommuteCore
import CommuteFeatures
import CommuteImport
import CommuteStore
import Testing

@Suite struct UndoTests {
  @Test func `everything a person does can be taken back, latest first`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let book = try await device.list.add(Book(title: "Emma", tags: ["classics"]))
    try await device.list.tick(book.id)
    try await device.list.note(book.id, "a note")
    try await device.list.rate(book.id, 5)
    try await device.list.retag(book.id, adding: ["england"])
    var titles: [String] = []
    for _ in 0..<4 { titles.append(try await device.list.undo().title) }
    #expect(titles == ["tagged Emma", "rated Emma", "wrote a note on Emma", "ticked Emma"])
    let now = try await device.list.book(book.id)
    #expect(now == book)
    try await device.list.undo()
    let books = try await device.list.books()
    #expect(books.isEmpty)
    await #expect(throws: ReadingListError.nothingToUndo) { try await device.list.undo() }
  }

  @Test func `it is remembered when the process has ended`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let book = try await device.list.add(Book(title: "Emma"))
    try await device.list.tick(book.id)
    await device.store.close()
    let later = try home.device("tablet")
    let outcome = try await later.list.undo()
    #expect(outcome == UndoOutcome(title: "ticked Emma", remarks: []))
    let now = try await later.list.book(book.id)
    #expect(now?.read == false)
  }

  @Test func `a deletion that was not sent is withdrawn: the book is the same as before`()
    async throws
  {
    let home = try await Household()
    let device = try home.device("tablet")
    let book = try await device.list.add(Book(title: "Emma"))
    await device.sync()
    try await device.list.delete(book.id)
    let gone = try await device.list.books()
    #expect(gone.isEmpty)
    let outcome = try await device.list.undo()
    #expect(outcome.remarks.isEmpty)
    let now = try await device.list.books()
    #expect(now == [book])
    let waiting = try await device.waiting()
    #expect(waiting == 0)
  }

  @Test func `a deletion that was sent brings the book back as a new one, with its history`()
    async throws
  {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let book = try await tablet.list.add(Book(title: "Emma"))
    try await tablet.list.tick(book.id)
    try await tablet.list.delete(book.id)
    await tablet.sync()
    let outcome = try await tablet.list.undo()
    #expect(
      outcome.remarks == [
        "the deletion had been sent already, so Emma was added again as a new book"
      ])
    let back = try await tablet.book("Emma")
    #expect(back?.read == true)
    #expect(back?.id != book.id)
    try await tablet.list.undo()
    let unticked = try await tablet.book("Emma")
    #expect(unticked?.read == false)
    await tablet.sync()
    await phone.sync()
    let there = try await phone.list.books()
    #expect(there == [try #require(unticked)])
  }

  @Test func `what others changed since stays`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let book = try await tablet.list.add(Book(title: "Emma"))
    try await tablet.list.note(book.id, "mine")
    await tablet.sync()
    await phone.sync()
    home.pass(milliseconds: 10)
    try await phone.list.note(book.id, "theirs")
    await phone.sync()
    await tablet.sync()
    let outcome = try await tablet.list.undo()
    #expect(outcome.remarks == ["the note of Emma was changed since and stays"])
    let now = try await tablet.list.book(book.id)
    #expect(now?.notes == "theirs")
    let added = try await tablet.list.undo()
    #expect(added.remarks == ["Emma was changed since and stays; delete it if you mean it"])
    let books = try await tablet.list.books()
    #expect(books.count == 1)
  }

  @Test func `an import is taken back, but for what was touched since`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    try await device.list.importBooks([
      ImportedBook(title: "Emma"), ImportedBook(title: "Persuasion"),
      ImportedBook(title: "Dracula"),
    ])
    let emma = try #require(try await device.book("Emma"))
    // Another program of this device: its edit is not among what can be undone here.
    try await device.store.write { tx in try tx.update(Book.self, emma.id) { $0.rating = 5 } }
    let outcome = try await device.list.undo()
    #expect(outcome.title == "imported 3 books")
    #expect(outcome.remarks == ["Emma was changed since and stays; delete it if you mean it"])
    let books = try await device.list.books()
    #expect(books.map(\.title) == ["Emma"])
  }

  @Test func `the last hundred steps are kept`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    for number in 1...105 { try await device.list.add(Book(title: "Book \(number)")) }
    let steps = try await device.list.undoable()
    #expect(steps.count == 100)
    #expect(steps.first?.title == "added Book 105")
    #expect(steps.last?.title == "added Book 6")
  }
}
