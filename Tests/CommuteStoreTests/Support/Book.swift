import CommuteCore
import CommuteStore

enum Shelf: String, ColumnValue { case wanted, reading, done }

struct Book: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var read = false
  var tags: [String] = []
  var rating: Int?
  var shelf = Shelf.wanted

  static let table = Table("book", feed: "books", blank: Book()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("read", \.read)
    Column("tags", \.tags)
    Column("rating", \.rating)
    Column("shelf", \.shelf)
  }
}
