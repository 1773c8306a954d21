import Commute
import Foundation

/// A book of eight fields, as the reading list has them.
struct Book: Record {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var tags: [String] = []
  var read = false
  var readAt: Date?
  var rating: Int?
  var notes = ""
  var isbn: String?

  static let table = Table("book", feed: "books", blank: Book()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("tags", \.tags)
    Column("read", \.read)
    Column("readAt", \.readAt)
    Column("rating", \.rating)
    Column("notes", \.notes)
    Column("isbn", \.isbn)
  }

  /// The books of the bench: the same in every run.
  static func numbered(_ number: Int) -> Book {
    Book(
      title: "Pride and Prejudice, volume \(number)", author: "Jane Austen",
      tags: ["classics", "shelf-\(number % 17)"], read: number % 3 == 0,
      readAt: number % 3 == 0 ? Date(timeIntervalSince1970: 1.6e9 + Double(number)) : nil,
      rating: number % 5 + 1, notes: "Read again in spring, number \(number)",
      isbn: "978014143\(1000 + number % 9000)")
  }
}
