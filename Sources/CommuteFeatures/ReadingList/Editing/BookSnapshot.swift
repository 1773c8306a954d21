import CommuteCore
import Foundation

/// A book as it was at some moment, kept to be put back.
struct BookSnapshot: Codable, Hashable, Sendable {
  var id: String
  var title: String
  var author: String
  var tags: [String]
  var read: Bool
  var readAt: Date?
  var rating: Int?
  var notes: String
  var isbn: String?

  init(_ book: Book) {
    id = book.id.text
    title = book.title
    author = book.author
    tags = book.tags
    read = book.read
    readAt = book.readAt
    rating = book.rating
    notes = book.notes
    isbn = book.isbn
  }

  /// The book.
  var book: Book {
    Book(
      id: RecordID(text: id) ?? .zero, title: title, author: author, tags: tags, read: read,
      readAt: readAt, rating: rating, notes: notes, isbn: isbn)
  }
}

/// Which book was added, and what tells whether it is still as it was then.
struct BookMark: Codable, Hashable, Sendable {
  var id: String
  var fingerprint: String

  init(_ book: Book) {
    id = book.id.text
    fingerprint = Self.fingerprint(of: book)
  }

  /// Whether the book is as it was when the mark was made.
  func fits(_ book: Book) -> Bool { fingerprint == Self.fingerprint(of: book) }

  private static func fingerprint(of book: Book) -> String {
    var bytes: [UInt8] = []
    for field in BookField.allCases {
      let value = field.value(of: book).canonicalBytes
      bytes += Array("\(value.count):".utf8) + value
    }
    return String(SHA256.hash(bytes).text.prefix(16))
  }
}
