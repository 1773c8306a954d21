import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Testing

/// The item of a newer app, which knows more shelves.
private struct NewerItem: Record {
  enum NewerShelf: String, ColumnValue { case wanted, reading, done, lent }

  var id = RecordID.zero
  var name = ""
  var shelf = NewerShelf.wanted
  var spare: NewerShelf?
  var size = "{\"width\":0}"
  var price = 0

  static let table = Table("item", feed: "shop", blank: NewerItem()) {
    Column("name", \.name)
    Column("shelf", \.shelf)
    Column("spare", \.spare)
    Column("size", \.size)
    Column("price", \.price)
  }
}

/// The same table as an older app declares it.
private struct OlderItem: Record, Equatable {
  struct Size: Codable, Equatable, Sendable { var width = 0 }

  var id = RecordID.zero
  var name = ""
  var shelf = Shelf.wanted
  var spare: Shelf?
  var size = Size()
  var price: UInt8 = 0

  static let table = Table("item", feed: "shop", blank: OlderItem()) {
    Column("name", \.name)
    Column("shelf", \.shelf, unknown: .done)
    Column("spare", \.spare, unknown: nil)
    Column("size", json: \.size)
    Column("price", \.price)
  }
}

/// Values that have a form of their own in their column.
@Suite struct ColumnFormTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  private func newer(_ item: NewerItem) async throws {
    let store = try folder.open([NewerItem.table])
    try await store.write { tx in try tx.insert(item) }
    await store.close()
  }

  @Test func `a newer app's case reads as declared, and stays until it is changed`() async throws {
    try await newer(NewerItem(id: id(1), name: "a", shelf: .lent, spare: .lent))
    let store = try folder.open([OlderItem.table])
    let read = try await store.read { tx in try tx.fetch(OlderItem.self, id(1)) }
    let names = try await store.write { tx in
      try tx.update(OlderItem.self, id(1)) { $0.name = "b" }
    }
    let kept = try folder.rows("SELECT shelf, spare, name FROM item")
    let changed = try await store.write { tx in
      try tx.update(OlderItem.self, id(1)) { $0.shelf = .reading }
    }
    #expect(read?.shelf == .done)
    #expect(read?.spare == nil)
    #expect(names == ["name"])
    #expect(kept == [[.text("lent"), .text("lent"), .text("b")]])
    #expect(changed == ["shelf"])
    #expect(
      try folder.rows("SELECT shelf, spare FROM item") == [[.text("reading"), .text("lent")]])
    // What stands for another value cannot be looked for in memory.
    #expect((\OlderItem.shelf == .done).matches(OlderItem()) == nil)
    #expect(OlderItem.order(by: \.shelf).matches(OlderItem()) == nil)
    await store.close()
  }

  @Test(arguments: [
    (NewerItem(id: id(1), size: "{\"width\":\"x\"}"), "size"),
    (NewerItem(id: id(1), size: "no JSON"), "size"),
    (NewerItem(id: id(1), size: "{\"width\":1}", price: 256), "price"),
    (NewerItem(id: id(1), size: "{\"width\":1}", price: -1), "price"),
  ])
  private func `what a property has no form for is named`(
    item: NewerItem, column: String
  ) async throws {
    try await newer(item)
    let store = try folder.open([OlderItem.table])
    await #expect(
      throws: StoreError.value(table: "item", column: column, problem: .notUnderstood)
    ) {
      try await store.read { tx in try tx.fetch(OlderItem.all) }
    }
    await store.close()
  }

  @Test func `JSON is one field, written only where it changes, and SQL looks into it`()
    async throws
  {
    let store = try folder.open([Item.table])
    try await store.write { tx in
      try tx.insert(Item(id: id(1), size: Item.Size(width: 3, unit: "m"), box: Item.Size()))
      try tx.insert(Item(id: id(2)))
    }
    let same = try await store.write { tx in
      try tx.update(Item.self, id(1)) { $0.size = Item.Size(width: 3, unit: "m") }
    }
    let other = try await store.write { tx in
      try tx.update(Item.self, id(1)) {
        $0.size.width = 4
        $0.box = nil
      }
    }
    let read = try await store.read { tx in try tx.fetch(Item.self, id(1)) }
    let wide = try await store.read { tx in
      try tx.fetch(Item.where(.sql("json_extract(size, '$.width') > 3")))
    }
    let none = try await store.read { tx in try tx.fetch(Item.self, id(2)) }
    #expect(same == [])
    #expect(Set(other) == ["size", "box"])
    #expect(read?.size == Item.Size(width: 4, unit: "m"))
    #expect(read?.box == nil)
    #expect(none == Item(id: id(2)))
    #expect(wide.map(\.id) == [id(1)])
    #expect(
      try folder.rows("SELECT size, box FROM item ORDER BY id") == [
        [.text(#"{"unit":"m","width":4}"#), .null], [.text(#"{"unit":"cm","width":0}"#), .null],
      ])
    await store.close()
  }
}
