import CommuteCore
import CommuteFeatures
import Foundation
import Testing

@Suite struct FindingTests {
  private let books = [
    Book(
      id: RecordID(high: 0x1111_2222_3333_4444, low: 1), title: "Emma", author: "Jane Austen",
      tags: ["classics"], read: true, readAt: Date(timeIntervalSince1970: 100), rating: 4),
    Book(
      id: RecordID(high: 0x1111_2222_9999_4444, low: 2), title: "Émile", author: "Rousseau",
      tags: ["français"], notes: "Ask ANNA about it"),
    Book(
      id: RecordID(high: 0xDEAD_2222_3333_4444, low: 3), title: "dead", author: "Zola",
      tags: ["classics"], read: true, readAt: Date(timeIntervalSince1970: 200), rating: 5),
    Book(
      id: RecordID(high: 0xABCD_0000_0000_0000, low: 4), title: "Dead Souls", author: "Gogol",
      tags: ["classics", "russia"]),
  ]

  private func titles(_ filter: BookFilter) -> [String] { filter.apply(to: books).map(\.title) }

  @Test func `case and accents decide nothing in order and search`() {
    #expect(titles(BookFilter()) == ["dead", "Dead Souls", "Émile", "Emma"])
    #expect(titles(BookFilter(text: "EMILE")) == ["Émile"])
    #expect(titles(BookFilter(text: "anna")) == ["Émile"])
    #expect(titles(BookFilter(text: "jane emma")) == ["Emma"])
    #expect(titles(BookFilter(text: "emma gogol")) == [])
    #expect(titles(BookFilter(text: "francais")) == ["Émile"])
  }

  @Test func `tag and state narrow the list, orders arrange it`() {
    #expect(titles(BookFilter(tag: "classics")) == ["dead", "Dead Souls", "Emma"])
    #expect(titles(BookFilter(state: .unread, tag: "classics")) == ["Dead Souls"])
    #expect(titles(BookFilter(state: .read, sort: .rating)) == ["dead", "Emma"])
    #expect(titles(BookFilter(state: .read, sort: .read)) == ["dead", "Emma"])
    #expect(titles(BookFilter(sort: .author)) == ["Dead Souls", "Emma", "Émile", "dead"])
    #expect(titles(BookFilter(sort: .rating)) == ["dead", "Emma", "Dead Souls", "Émile"])
  }

  @Test func `a book is named by its title, the beginning of its id, or a part of its title`() {
    #expect(BookReference("EMMA").find(in: books) == .one(books[0]))
    #expect(BookReference("dead").find(in: books) == .one(books[2]))
    #expect(BookReference("souls").find(in: books) == .one(books[3]))
    #expect(BookReference("abcd").find(in: books) == .one(books[3]))
    #expect(BookReference("ABCD0000-0000").find(in: books) == .one(books[3]))
    #expect(BookReference("11112222-3").find(in: books) == .one(books[0]))
  }

  @Test func `a name for several books, or for none, names none`() {
    #expect(BookReference("11112222").find(in: books) == .several([books[1], books[0]]))
    #expect(BookReference("em").find(in: books) == .several([books[1], books[0]]))
    #expect(BookReference("nobody").find(in: books) == .none)
    #expect(BookReference("  ").find(in: books) == .none)
  }

  @Test func `ids are shown as long as it takes to tell them apart`() {
    #expect(BookReference.shortLength(for: [books[0], books[2]]) == 8)
    #expect(BookReference.shortLength(for: books) == 10)
    #expect(BookReference.shortLength(for: []) == 8)
  }

  @Test func `tags are counted by name`() {
    #expect(
      TagCount.count(books) == [
        TagCount(tag: "classics", count: 3), TagCount(tag: "français", count: 1),
        TagCount(tag: "russia", count: 1),
      ])
  }
}
