import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTestKit
import Foundation
import Testing

/// What a condition says in SQL and what it says of records in memory.
@Suite struct ConditionTests {
  let folder: TemporaryStore
  let store: Store
  let items: [Item]

  init() async throws {
    folder = try TemporaryStore()
    store = try folder.open([Item.table])
    var dice = SeededGenerator(seed: 11)
    let items = (1...200).map { Item.drawn($0, from: &dice) }
    self.items = items
    try await store.write { tx in for item in items { try tx.insert(item) } }
  }

  /// A condition with the text that asks the same of the file.
  private static let leaves: [(Condition<Item>, SQL)] = [
    (\.name == "é", "name = 'é'"),
    (\.name != "a", "name <> 'a'"),
    (\.name < "a", "name < 'a'"),
    (\.name >= "e\u{301}", "name >= 'e\u{301}'"),
    (\.note == nil, "note IS NULL"),
    (\.note != "a", "note IS NOT 'a'"),
    (\.note > "", "note > ''"),
    (\.price <= 1, "price <= 1"),
    (\.stars > 0, "stars > 0"),
    (\.stars < nil, "stars < NULL"),
    (\.weight == 0, "weight = 0.0"),
    (\.weight > -1.5, "weight > -1.5"),
    (\.shelf == .reading, "shelf = 'reading'"),
    (\.sold < Date(timeIntervalSince1970: 0), "sold < 0"),
    (\.id > id(100), "id > x'01900000000070008000000000000064'"),
    (.isIn(\.price, [1, 2, 7]), "price IN (1, 2, 7)"),
    (.isIn(\.stars, [0, nil]), "(stars IN (0) OR stars IS NULL)"),
    (.isIn(\.name, [String]()), "name IN ()"),
    (.isIn(\.price, 0...1), "price BETWEEN 0 AND 1"),
    (.isIn(\.stars, 1...2), "stars BETWEEN 1 AND 2"),
    (.contains(\.name, "B%"), "instr(lower(name), 'b%') > 0"),
    (.contains(\.note, ""), "note >= ''"),
    (.contains(\.tags, "é"), "tags LIKE '%\"é\"%'"),
    (.hasPrefix(\.name, "*"), "substr(name, 1, 1) = '*'"),
    (.hasPrefix(\.name, "a"), "substr(name, 1, 1) = 'a'"),
    (.hasPrefix(\.note, ""), "note >= ''"),
  ]

  /// A condition of some parts, and the same by hand.
  private static func drawn(_ depth: Int, from dice: inout SeededGenerator) -> (
    Condition<Item>, SQL
  ) {
    if depth == 0 { return dice.one(of: leaves) }
    let (left, leftSQL) = drawn(depth - 1, from: &dice)
    let (right, rightSQL) = drawn(depth - 1, from: &dice)
    switch dice.draw(3) {
    case 0: return (left && right, "((\(leftSQL)) AND (\(rightSQL)))")
    case 1: return (left || right, "((\(leftSQL)) OR (\(rightSQL)))")
    default: return (!left, "NOT (\(leftSQL))")
    }
  }

  @Test func `conditions choose in SQL and in memory what the file says`() async throws {
    var dice = SeededGenerator(seed: 5)
    for round in 0..<400 {
      let (condition, sql) =
        round < Self.leaves.count ? Self.leaves[round] : Self.drawn(1 + round % 3, from: &dice)
      let wanted = try folder.rows("SELECT hex(id) FROM item WHERE \(sql) ORDER BY id")
      let fetched = try await store.read { tx in try tx.fetch(Item.where(condition)) }
      let counted = try await store.read { tx in try tx.count(Item.where(condition)) }
      let tested = items.filter { condition.matches($0) == true }
      #expect(fetched.map { $0.id } == tested.map { $0.id }, "\(sql)")
      #expect(fetched.map { SQLValue.text(hex($0.id)) } == wanted.map { $0[0] }, "\(sql)")
      #expect(counted == wanted.count, "\(sql)")
    }
  }

  private func hex(_ id: RecordID) -> String {
    id.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }

  @Test func `pages of every order hold every record once, in the order of the whole`() async throws
  {
    let orders: [Query<Item>] = [
      Item.all,
      Item.order(by: \.name),
      Item.order(by: \.stars).order(by: \.name, .descending),
      Item.order(by: \.stars, .descending).order(by: \.sold),
      Item.where(\.price > 0).order(by: \.weight, .descending),
    ]
    for query in orders {
      let whole = try await store.read { tx in try tx.fetch(query) }
      var paged: [Item] = []
      while true {
        var page = query.limit(7)
        if let last = paged.last { page = page.after(last) }
        let turned = page
        let found = try await store.read { tx in try tx.fetch(turned) }
        if found.isEmpty { break }
        #expect(found.allSatisfy { turned.matches($0) == true })
        paged += found
      }
      #expect(paged.map(\.id) == whole.map(\.id))
      #expect(
        whole.map(\.id)
          == items.filter { query.matches($0) == true }.sorted(by: query.precedes).map(\.id))
    }
  }

  @Test func `a page goes on behind a record that is gone, and one that came`() async throws {
    let query = Item.order(by: \.price).limit(10)
    let first = try await store.read { tx in try tx.fetch(query) }
    let last = try #require(first.last)
    try await store.write { tx in
      try tx.delete(Item.self, last.id)
      try tx.insert(Item(id: id(1_000), price: -2))
    }
    let second = try await store.read { tx in try tx.fetch(query.after(last)) }
    let price = Int64(last.price)
    let wanted = try folder.rows(
      """
      SELECT id FROM item WHERE (price, id) > (\(price), \(last.id)) ORDER BY price, id LIMIT 10
      """)
    #expect(second.map { SQLValue.bytes($0.id.bytes) } == wanted.map { $0[0] })
  }

  @Test func `a limit skips records before it takes some`() async throws {
    let query = Item.order(by: \.price).limit(5, offset: 3)
    let found = try await store.read { tx in try tx.fetch(query) }
    let counted = try await store.read { tx in try tx.count(query) }
    let wanted = try folder.rows("SELECT id FROM item ORDER BY price, id LIMIT 5 OFFSET 3")
    #expect(found.map { SQLValue.bytes($0.id.bytes) } == wanted.map { $0[0] })
    #expect(counted == 5)
  }

  @Test func `SQL in a condition is bound, checked and joined like others`() async throws {
    let count = 1
    let part: Condition<Item> = .sql("length(name) > \(count)")
    let query = Item.where(part && \.price > 0)
    let found = try await store.read { tx in try tx.fetch(query) }
    let wanted = try folder.rows("SELECT id FROM item WHERE length(name) > 1 AND price > 0")
    #expect(found.map { SQLValue.bytes($0.id.bytes) } == wanted.map { $0[0] })
    #expect(found.count > 3)
    #expect(part.matches(items[0]) == nil)
    await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Item.where(.sql("load_extension('x')"))) }
    }
  }

  @Test func `what cannot be compared is named`() async throws {
    let weight = await #expect(throws: StoreError.self) {
      try await store.read { tx in try tx.fetch(Item.where(\.weight < .nan)) }
    }
    #expect(weight?.message == "item.weight cannot be compared with what is not a number")
    #expect((\Item.weight < .nan).matches(items[0]) == nil)
  }
}
