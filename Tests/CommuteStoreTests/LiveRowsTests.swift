import CommuteCore
import CommuteTestKit
import Testing

@testable import CommuteStore

/// Lists so long that they are kept twice, against a list that the test sorts itself.
@Suite struct LiveRowsTests {
  private static let query = Book.where(\.read == false).order(by: \.title)

  private static func book(_ number: UInt64, _ dice: inout SeededGenerator) -> Book {
    Book(
      id: id(number), title: "\(dice.draw(400))", author: "\(dice.draw(3))",
      read: dice.draw(8) == 0, rating: dice.draw(5))
  }

  private static func wanted(_ books: [RecordID: Book], _ limit: Int?) -> [Book] {
    let sorted = books.values.filter { !$0.read }.sorted { one, other in
      if one.title != other.title { return one.title < other.title }
      return one.id < other.id
    }
    return Array(sorted.prefix(limit ?? .max))
  }

  @Test(arguments: 1...12) func `a long list is in step, whoever still has an earlier one`(
    seed: UInt64
  ) {
    var dice = SeededGenerator(seed: seed)
    let limit = seed % 3 == 0 ? 520 : nil
    let query = limit.map { Self.query.limit($0) } ?? Self.query
    var books: [RecordID: Book] = [:]
    for number in 1...700 as ClosedRange<UInt64> { books[id(number)] = Self.book(number, &dice) }
    var rows = LiveRows(query, Self.wanted(books, limit))
    var held: [(list: [Book], was: [Book])] = []
    for step in 0..<300 {
      for _ in 0...dice.draw(4) {
        let number = UInt64(1 + dice.draw(760))
        let now = dice.draw(5) == 0 ? nil : Self.book(number, &dice)
        books[id(number)] = now
        guard rows.take(id(number), now) == .stale else { continue }
        rows = LiveRows(query, Self.wanted(books, limit))
      }
      // Now and then nobody looks, and what was changed goes on being changed.
      if step % 5 == 4 { continue }
      let wanted = Self.wanted(books, limit)
      let shown = rows.show()
      #expect(shown == wanted, "seed \(seed), step \(step)")
      if dice.draw(3) == 0 { held.append((shown, wanted)) }
      if held.count > dice.draw(4) { held.removeFirst() }
      for one in held { #expect(one.list == one.was) }
    }
  }
}
