import CommuteCore
import CommuteFeatures
import CommuteSQLite
import CommuteStore
import Foundation
import Testing

@Suite struct OldReadingListTests {
  /// A copy of the database that an older version left.
  private func old(in home: Household, _ name: String = "old.sqlite") throws -> String {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/old-reading-list.sqlite")
    let copy = "\(home.folder)/\(name)"
    try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
    return copy
  }

  private func ids(in path: String) throws -> [SQLValue] {
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    return try connection.all("SELECT uid FROM book ORDER BY number") {
      (row) throws(SQLiteError) in row.value(0)
    }
  }

  @Test func `every book gets an id of its own, those of the sample the ids they have everywhere`()
    async throws
  {
    let home = try await Household()
    let device = try home.device("tablet")
    let path = try old(in: home)
    let outcome = try await device.list.migrate(OldReadingList(path: path))
    #expect(outcome.books == 3 && outcome.samples == 4)
    #expect(outcome.changedSamples == 1 && outcome.known == 0)
    let ids = try ids(in: path)
    #expect(Set(ids).count == 7)
    let samples = [0, 1, 3, 4].map { SQLValue.bytes(SampleBooks.all[$0].id.bytes) }
    #expect(Array(ids.prefix(4)) == samples)
    let books = try await device.list.books()
    #expect(books.count == 7)
    let middlemarch = try #require(books.first { $0.title == "Middlemarch" })
    #expect(middlemarch.read && middlemarch.rating == 4 && middlemarch.tags == ["england"])
    #expect(middlemarch.readAt == Date(timeIntervalSince1970: 19_000 * 86_400))
    #expect(middlemarch.notes == "Long, and worth it.")
    let copies = books.filter { $0.title == "Jane Eyre" }
    #expect(copies.count == 2)
    #expect(copies.contains { $0.id == SampleBooks.all[3].id && $0.notes.isEmpty })
    let nameless = try #require(books.first { $0.title == "Untitled" })
    #expect(nameless.rating == nil && nameless.notes == "what was it called?")
  }

  @Test func `doing it again adds nothing and takes nothing back`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let path = try old(in: home)
    try await device.list.migrate(OldReadingList(path: path))
    let ids = try ids(in: path)
    let frankenstein = SampleBooks.all[1].id
    try await device.list.untick(frankenstein)
    let before = try await device.list.books()
    let outcome = try await device.list.migrate(OldReadingList(path: path))
    #expect(outcome.books == 0 && outcome.samples == 0)
    #expect(outcome.changedSamples == 0 && outcome.known == 7)
    let after = try await device.list.books()
    #expect(after == before)
    #expect(try self.ids(in: path) == ids)
  }

  @Test func `two devices with older lists share the sample and keep their own books`()
    async throws
  {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let other = try old(in: home, "other.sqlite")
    let connection = try Connection(.file(other), Configuration(.readWrite))
    // The same row number as Middlemarch on the other device, and another book.
    try connection.run("UPDATE book SET title = 'Dracula', author = 'Bram Stoker' WHERE number = 6")
    try connection.run("UPDATE book SET read = 0, read_on = NULL, rating = 0 WHERE number = 2")
    connection.close()
    try await tablet.list.migrate(OldReadingList(path: try old(in: home)))
    try await phone.list.migrate(OldReadingList(path: other))
    await tablet.sync()
    await phone.sync()
    await tablet.sync()
    let here = try await tablet.list.books()
    let there = try await phone.list.books()
    #expect(here == there)
    // Four of the sample once, and three of each device's own.
    #expect(here.count == 10)
    #expect(here.contains { $0.title == "Dracula" } && here.contains { $0.title == "Middlemarch" })
    // The tick was a person's; that the other device had none was nobody's decision.
    #expect(here.first { $0.title == "Frankenstein" }?.read == true)
  }

  @Test func `a deleted book of the sample stays deleted`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    try await device.list.addSample()
    try await device.list.delete(SampleBooks.all[1].id)
    let outcome = try await device.list.migrate(OldReadingList(path: try old(in: home)))
    #expect(outcome.changedSamples == 0)
    let books = try await device.list.books()
    #expect(!books.contains { $0.title == "Frankenstein" })
  }

  @Test func `a file of another kind is refused and left alone`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let path = "\(home.folder)/other.sqlite"
    let connection = try Connection(.file(path))
    try connection.execute("CREATE TABLE book(id TEXT)")
    connection.close()
    await #expect(
      throws: ReadingListError.oldList(
        path: path, reason: "it has no table of books with row numbers")
    ) {
      try await device.list.migrate(OldReadingList(path: path))
    }
    let text = "\(home.folder)/text"
    try Data("hello, this is no database at all, not even nearly".utf8)
      .write(to: URL(filePath: text))
    await #expect(throws: ReadingListError.self) {
      try await device.list.migrate(OldReadingList(path: text))
    }
    await #expect(throws: ReadingListError.self) {
      try await device.list.migrate(OldReadingList(path: "\(home.folder)/nowhere"))
    }
  }
}
