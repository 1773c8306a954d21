import CommuteCore
import CommuteStore

struct Book: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var note = ""
  var read = false

  static let table = Table("book", feed: "books", blank: Book()) {
    Column("title", \.title)
    Column("note", \.note)
    Column("read", \.read)
  }
}

/// An id that tests can name.
func id(_ number: UInt64) -> RecordID {
  RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}

extension Store {
  /// Adds books that are called by their numbers, the first one `1`.
  func add(_ numbers: ClosedRange<UInt64>) async throws {
    try await write { tx in
      for number in numbers { try tx.insert(Book(id: id(number), title: "\(number)")) }
    }
  }

  /// The titles of all books, in order.
  func titles() async throws -> [String] {
    try await read { tx in try tx.fetch(Book.order(by: \.title)) }.map(\.title)
  }
}
