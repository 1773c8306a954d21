import CommuteCore
import CommuteFeatures
import CommuteStore
import Foundation
import Testing

@Suite struct ReadingListRepositoryTests {
  @Test func `a book that is added is there, with its tags in order and waiting to be sent`()
    async throws
  {
    let home = try await Household()
    let device = try home.device("tablet")
    let added = try await device.list.add(
      Book(title: "Emma", author: "Jane Austen", tags: [" classics", "england,classics", ""]))
    let books = try await device.list.books()
    #expect(books == [added])
    #expect(added.tags == ["classics", "england"])
    #expect(added.id != .zero)
    let waiting = try await device.waiting()
    #expect(waiting == 1)
  }

  @Test func `a tick tells the moment; a second one keeps it and writes nothing`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let book = try await device.list.add(Book(title: "Emma"))
    let first = try await device.list.tick(book.id)
    #expect(first.book.readAt == Date(timeIntervalSince1970: 1_700_000_000))
    await device.sync()
    home.pass(milliseconds: 5_000)
    let second = try await device.list.tick(book.id)
    #expect(!second.isChanged)
    #expect(second.book.readAt == first.book.readAt)
    let waiting = try await device.waiting()
    #expect(waiting == 0)
    let taken = try await device.list.untick(book.id)
    #expect(!taken.book.read && taken.book.readAt == nil)
  }

  @Test func `notes, stars and tags are changed one by one`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let book = try await device.list.add(Book(title: "Emma", tags: ["classics"]))
    try await device.list.note(book.id, "Badly done, Emma.")
    try await device.list.rate(book.id, 4)
    try await device.list.retag(book.id, adding: ["england"], removing: ["classics"])
    let now = try await device.list.book(book.id)
    #expect(now?.notes == "Badly done, Emma.")
    #expect(now?.rating == 4)
    #expect(now?.tags == ["england"])
    try await device.list.rate(book.id, nil)
    let bare = try await device.list.book(book.id)
    #expect(bare?.rating == nil)
  }

  @Test func `what no book can be is refused, and nothing is written`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    await #expect(throws: ReadingListError.refused("a book needs a title")) {
      try await device.list.add(Book(title: " \n"))
    }
    let book = try await device.list.add(Book(title: "Emma"))
    await #expect(throws: ReadingListError.refused("a rating is 0 to 5 stars, not 6")) {
      try await device.list.rate(book.id, 6)
    }
    await #expect(throws: ReadingListError.noSuchBook(RecordID(high: 1, low: 2))) {
      try await device.list.tick(RecordID(high: 1, low: 2))
    }
    let now = try await device.list.books()
    #expect(now == [book])
  }

  @Test func `a tick and a note made apart are on both devices afterwards`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    let book = try await tablet.list.add(Book(title: "Emma"))
    await tablet.sync()
    await phone.sync()
    try await phone.list.tick(book.id)
    try await tablet.list.note(book.id, "for the club")
    await tablet.sync()
    await phone.sync()
    await tablet.sync()
    let here = try await tablet.list.book(book.id)
    let there = try await phone.list.book(book.id)
    #expect(here == there)
    #expect(here?.read == true && here?.notes == "for the club")
  }
}
