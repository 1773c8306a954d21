import CommuteCore
import CommuteStore

/// Records with everything that a declaration can say beside columns.
struct Author: Record, Equatable {
  var id = RecordID.zero
  var name = ""
  var mentor: RecordID?

  static let table = Table("author", feed: "library", blank: Author()) {
    Column("name", \.name)
    Column("mentor", \.mentor)
    Index(\.mentor)
  }
}

struct Novel: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var blurb: String?
  var tags: [String] = []
  var author = RecordID.zero
  var isbn: String?
  var pages = 0
  var price = 0.0

  static let table = Table("novel", feed: "library", blank: Novel()) {
    Column("title", \.title)
    Column("blurb", \.blurb)
    Column("tags", \.tags)
    Column("author", \.author)
    Column("isbn", \.isbn)
    Column("pages", \.pages)
    Column("price", \.price)
    Index(\.author, \.title)
    Unique(\.isbn)
    Search(\.title, \.blurb, \.tags)
  }
}

/// What a person typed and has not sent yet: nobody else's business.
struct Draft: Record, Equatable {
  var id = RecordID.zero
  var text = ""
  var line = 0
  var about: RecordID?

  static let table = Table(local: "draft", blank: Draft()) {
    Column("text", \.text)
    Column("line", \.line)
    Column("about", \.about)
    Unique(\.about, \.line)
    Search(\.text)
  }
}

enum Library {
  static let tables: [any TableDeclaration] = [Author.table, Novel.table, Draft.table]
}
