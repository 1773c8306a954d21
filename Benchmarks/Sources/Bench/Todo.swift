import CFloor
import Commute
import Foundation

/// A to-do of five columns, as the floors have it.
struct Todo: Record {
  var id = RecordID.zero
  var title = ""
  var completed = false
  var updatedAt: Int?
  var version = 0

  static let table = Table("todo", feed: "todos", blank: Todo()) {
    Column("title", \.title)
    Column("completed", \.completed)
    Column("updatedAt", \.updatedAt)
    Column("version", \.version)
  }

  static let everything = Todo.all

  /// The to-dos of the bench: the same in every run, and the same as the floors'.
  static func numbered(_ number: Int) -> Todo {
    Todo(
      id: id(of: number), title: title(of: number), completed: number % 2 == 1,
      updatedAt: 1_700_000_000_000 + number, version: number)
  }

  static func id(of number: Int) -> RecordID {
    var high: UInt64 = 0
    var low: UInt64 = 0
    floor_key(UInt64(number), &high, &low)
    return RecordID(high: high, low: low)
  }

  static func title(of number: Int) -> String {
    "Buy milk and bread, item \(String(format: "%06d", number))"
  }
}

/// A volume of ten columns, with optionals and a list, as the floors have it.
struct Volume: Record {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var note: String?
  var read = false
  var rating: Int?
  var price = 0.0
  var added = 0.0
  var tags: [String] = []
  var link = ""

  static let table = Table("volume", feed: "volumes", blank: Volume()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("note", \.note)
    Column("read", \.read)
    Column("rating", \.rating)
    Column("price", \.price)
    Column("added", \.added)
    Column("tags", \.tags)
    Column("link", \.link)
  }

  static let everything = Volume.all

  static func numbered(_ number: Int) -> Volume {
    Volume(
      id: Todo.id(of: number),
      title: "The long way to a small planet \(String(format: "%06d", number))",
      author: "Becky Chambers", note: number % 3 == 0 ? nil : "read it again in spring",
      read: number % 2 == 1, rating: number % 4 == 0 ? nil : number % 5,
      price: Double(number) / 8, added: 1.7e9 + Double(number),
      tags: number % 2 == 0 ? [] : ["novel", "space"],
      link: "https://example.org/books/\(number)")
  }
}
