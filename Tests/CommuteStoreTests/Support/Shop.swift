import CommuteCore
import CommuteStore
import CommuteTestKit
import Foundation

/// Records with everything that conditions can look at.
struct Item: Record, Equatable {
  struct Size: Codable, Equatable, Sendable {
    var width = 0
    var unit = "cm"
  }

  var id = RecordID.zero
  var name = ""
  var note: String?
  var price = 0
  var stars: Int?
  var weight = 0.0
  var tags: [String] = []
  var shelf = Shelf.wanted
  var sold: Date?
  var size = Size()
  var box: Size?

  static let table = Table("item", feed: "shop", blank: Item()) {
    Column("name", \.name)
    Column("note", \.note)
    Column("price", \.price)
    Column("stars", \.stars)
    Column("weight", \.weight)
    Column("tags", \.tags)
    Column("shelf", \.shelf)
    Column("sold", \.sold)
    Column("size", json: \.size)
    Column("box", json: \.box)
  }
}

extension SeededGenerator {
  /// One of some values.
  mutating func one<Value>(of values: [Value]) -> Value { values[draw(values.count)] }
}

extension Item {
  static let words = ["", "a", "A", "ab", "b%", "_", "é", "e\u{301}", "*x", "[y", "zz"]

  /// An item of values that often meet.
  static func drawn(_ number: UInt64, from dice: inout SeededGenerator) -> Item {
    Item(
      id: CommuteStoreTests.id(number), name: dice.one(of: words),
      note: dice.one(of: [nil, "", "a", "B"]), price: dice.draw(4) - 1,
      stars: dice.one(of: [nil, 0, 1, 2]), weight: dice.one(of: [-1.5, 0, -0.0, 2.25]),
      tags: dice.one(of: [[], ["a"], ["a", "é"], ["b%", "a"]]),
      shelf: dice.one(of: [.wanted, .reading, .done]),
      sold: dice.one(of: [nil, Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: -2.5)]))
  }
}
