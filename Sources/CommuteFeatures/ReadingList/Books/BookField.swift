import CommuteCore
import CommuteStore

/// One of the fields of a book that a person can change.
enum BookField: String, CaseIterable, Sendable {
  case title, author, tags, read, readAt, rating, notes, isbn

  /// The field's value, as it is compared with others: byte by byte.
  func value(of book: Book) -> FieldValue {
    switch self {
    case .title: book.title.fieldValue
    case .author: book.author.fieldValue
    case .tags: book.tags.fieldValue
    case .read: book.read.fieldValue
    case .readAt: book.readAt.fieldValue
    case .rating: book.rating.fieldValue
    case .notes: book.notes.fieldValue
    case .isbn: book.isbn.fieldValue
    }
  }

  /// Copies the field from one book to another.
  func copy(from source: Book, to target: inout Book) {
    switch self {
    case .title: target.title = source.title
    case .author: target.author = source.author
    case .tags: target.tags = source.tags
    case .read: target.read = source.read
    case .readAt: target.readAt = source.readAt
    case .rating: target.rating = source.rating
    case .notes: target.notes = source.notes
    case .isbn: target.isbn = source.isbn
    }
  }

  /// What people call the field.
  var words: String {
    switch self {
    case .title: "title"
    case .author: "author"
    case .tags: "tags"
    case .read: "tick"
    case .readAt: "day it was read"
    case .rating: "rating"
    case .notes: "note"
    case .isbn: "ISBN"
    }
  }

  /// The fields in which two books differ.
  static func difference(_ one: Book, _ other: Book) -> [BookField] {
    allCases.filter { $0.value(of: one) != $0.value(of: other) }
  }
}
