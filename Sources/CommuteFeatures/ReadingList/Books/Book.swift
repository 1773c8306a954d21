public import CommuteCore
public import CommuteStore
public import Foundation

/// A book of the reading list.
public struct Book: Record, Hashable {
  /// Which book; the same on all devices.
  public var id = RecordID.zero
  /// What it is called.
  public var title = ""
  /// Who wrote it; empty if nobody said.
  public var author = ""
  /// Words it can be found by, each once, in the order they were given.
  public var tags: [String] = []
  /// Whether it was read.
  public var read = false
  /// When it was read, as far as that is known.
  public var readAt: Date?
  /// One to five stars; nil if none were given.
  public var rating: Int?
  /// What its reader thinks of it.
  public var notes = ""
  /// The 13 digits of its ISBN, as far as they are known.
  public var isbn: String?

  /// Makes a book of which nothing is known but what is given.
  public init(
    id: RecordID = .zero, title: String = "", author: String = "", tags: [String] = [],
    read: Bool = false, readAt: Date? = nil, rating: Int? = nil, notes: String = "",
    isbn: String? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.tags = tags
    self.read = read
    self.readAt = readAt
    self.rating = rating
    self.notes = notes
    self.isbn = isbn
  }

  /// How books are stored and synced; every field by itself, the later change of one wins.
  public static let table = Table("book", feed: ReadingList.feed, blank: Book()) {
    Column("title", \.title)
    Column("author", \.author)
    Column("tags", \.tags)
    Column("read", \.read)
    Column("readAt", \.readAt)
    Column("rating", \.rating)
    Column("notes", \.notes)
    Column("isbn", \.isbn)
  }
}
