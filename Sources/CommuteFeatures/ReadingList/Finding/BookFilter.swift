public import CommuteStore

/// Which books are shown, and in which order.
public struct BookFilter: Hashable, Sendable {
  /// Read, unread, or both.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// All books.
    case all
    /// Only books that were read.
    case read
    /// Only books that were not.
    case unread
  }

  /// Read, unread, or both.
  public var state = State.all
  /// A tag that every book must have; nil for any.
  public var tag: String?
  /// Words that must all stand in title, author, notes or tags; case and accents do not count.
  public var text = ""
  /// The order.
  public var sort = BookSort.title

  /// Shows all books by title.
  public init(
    state: State = .all, tag: String? = nil, text: String = "", sort: BookSort = .title
  ) {
    self.state = state
    self.tag = tag
    self.text = text
    self.sort = sort
  }

  /// What the database sorts out; the rest is ``apply(to:)``.
  public var query: Query<Book> {
    var query = Book.all
    switch state {
    case .all: break
    case .read: query = query.where(\.read == true)
    case .unread: query = query.where(\.read == false)
    }
    if let tag { query = query.where(.contains(\.tags, tag)) }
    return query
  }

  /// The books that pass, in order.
  public func apply(to books: [Book]) -> [Book] {
    let words = FoldedText(text).words
    return sort.sorted(books.filter { passes($0, words: words) })
  }

  private func passes(_ book: Book, words: [FoldedText]) -> Bool {
    switch state {
    case .all: break
    case .read: if !book.read { return false }
    case .unread: if book.read { return false }
    }
    if let tag, !book.tags.contains(where: { $0.utf8.elementsEqual(tag.utf8) }) { return false }
    guard !words.isEmpty else { return true }
    let places = ([book.title, book.author, book.notes] + book.tags).map { FoldedText($0) }
    return words.allSatisfy { word in places.contains { $0.contains(word) } }
  }
}
