import Foundation

/// In which order books are shown.
public enum BookSort: String, Hashable, Sendable, CaseIterable {
  /// By title.
  case title
  /// By author, then title.
  case author
  /// The best first.
  case rating
  /// The book read last first; unread ones behind.
  case read

  /// The books in this order; whatever is equal stands in the order of the ids.
  func sorted(_ books: [Book]) -> [Book] {
    let keyed = books.map { (key: Key($0, by: self), book: $0) }
    return keyed.sorted { $0.key < $1.key }.map(\.book)
  }

  /// What two books are compared by.
  private struct Key: Comparable {
    let number: Double
    let first: FoldedText
    let second: FoldedText
    let book: Book

    init(_ book: Book, by sort: BookSort) {
      let title = FoldedText(book.title)
      let author = FoldedText(book.author)
      self.book = book
      switch sort {
      case .title: (number, first, second) = (0, title, author)
      case .author: (number, first, second) = (0, author, title)
      case .rating: (number, first, second) = (-Double(book.rating ?? 0), title, author)
      case .read:
        let moment = book.readAt?.timeIntervalSince1970 ?? -.greatestFiniteMagnitude / 2
        (number, first, second) = (book.read ? -moment : .infinity, title, author)
      }
    }

    static func < (left: Key, right: Key) -> Bool {
      if left.number != right.number { return left.number < right.number }
      if left.first != right.first { return left.first < right.first }
      if left.second != right.second { return left.second < right.second }
      return left.book.id < right.book.id
    }

    static func == (left: Key, right: Key) -> Bool { !(left < right) && !(right < left) }
  }
}
