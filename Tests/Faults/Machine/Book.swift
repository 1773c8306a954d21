import CommuteCore
import CommuteStore

struct Book: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var read = false
  var tags: [String] = []
  var rating: Int?

  static let table = Table("book", feed: "books", blank: Book()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("read", \.read)
    Column("tags", \.tags)
    Column("rating", \.rating)
  }
}

/// The same table in the app's next version.
struct NewerBook: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var read = false
  var tags: [String] = []
  var rating: Int?
  var publisher = ""

  static let table = Table("book", feed: "books", blank: NewerBook()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("read", \.read)
    Column("tags", \.tags)
    Column("rating", \.rating)
    Column("publisher", \.publisher)
  }
}

struct Note: Record, Equatable {
  var id = RecordID.zero
  var text = ""

  static let table = Table("note", feed: "notes", blank: Note()) {
    Column("text", \.text)
  }
}

/// An id that scenarios can name.
func id(_ number: UInt64) -> RecordID {
  RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}
