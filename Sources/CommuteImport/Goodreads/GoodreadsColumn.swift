/// A column of the file that Goodreads exports, of which the list has use.
enum GoodreadsColumn: Int, CaseIterable {
  case title, author, authorLastFirst, isbn, isbn13, rating, dateRead, bookshelves
  case exclusiveShelf, review, privateNotes, readCount
  /// Not of Goodreads: the id that our own list gave to the book.
  case recordID

  /// What the first line of the file calls it.
  var name: String {
    switch self {
    case .title: "Title"
    case .author: "Author"
    case .authorLastFirst: "Author l-f"
    case .isbn: "ISBN"
    case .isbn13: "ISBN13"
    case .rating: "My Rating"
    case .dateRead: "Date Read"
    case .bookshelves: "Bookshelves"
    case .exclusiveShelf: "Exclusive Shelf"
    case .review: "My Review"
    case .privateNotes: "Private Notes"
    case .readCount: "Read Count"
    case .recordID: "Commute Id"
    }
  }

  /// All columns of an export, in their order there; ours is last.
  static let exported = [
    "Book Id", "Title", "Author", "Author l-f", "Additional Authors", "ISBN", "ISBN13", "My Rating",
    "Average Rating", "Publisher", "Binding", "Number of Pages", "Year Published",
    "Original Publication Year", "Date Read", "Date Added", "Bookshelves",
    "Bookshelves with positions", "Exclusive Shelf", "My Review", "Spoiler", "Private Notes",
    "Read Count", "Owned Copies", "Commute Id",
  ]
}
