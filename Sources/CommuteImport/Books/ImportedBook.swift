/// One book as a list from elsewhere tells of it.
///
/// The same value is what a file for elsewhere is written from.
public struct ImportedBook: Sendable {
  /// The line of the file, from 1, on which the book's row begins; 0 for a book from no file.
  public var line: Int
  /// The id that the list gave to the book, as 16 bytes, where the file tells it.
  ///
  /// Only files written by ``GoodreadsWriter`` do; the book is that very record then.
  public var recordID: [UInt8]?
  /// What the book is called; never blank in a book that was read from a file.
  public var title: String
  /// Who wrote it; empty if the file does not say.
  public var author: String
  /// The 13 digits of the ISBN, its check digit proven; one of 10 digits is widened to 13.
  public var isbn13: String?
  /// The names of the shelves, each once, in the order of the file.
  public var tags: [String]
  /// Whether the book was read.
  public var read: Bool
  /// The day it was read: milliseconds since 1970 of that day's midnight in UTC.
  ///
  /// It may be there while ``read`` is false: the book is being read again.
  public var readAt: Int64?
  /// One to five stars; nil if none were given.
  public var rating: Int?
  /// What the reader wrote about it: the review, then the private notes, an empty line between.
  public var notes: String

  /// Makes a book of which nothing is known but what is given.
  public init(
    title: String, author: String = "", isbn13: String? = nil, tags: [String] = [],
    read: Bool = false, readAt: Int64? = nil, rating: Int? = nil, notes: String = "",
    recordID: [UInt8]? = nil, line: Int = 0
  ) {
    self.title = title
    self.author = author
    self.isbn13 = isbn13
    self.tags = tags
    self.read = read
    self.readAt = readAt
    self.rating = rating
    self.notes = notes
    self.recordID = recordID
    self.line = line
  }
}

extension ImportedBook {
  /// The bytes that say which book this is, the same on every device and in every language.
  ///
  /// With an ISBN they are `isbn:` and its 13 ASCII digits; without one, `title:`, the folded
  /// title, a zero byte and the folded author. Folding works on the bytes of the UTF-8 text:
  ///
  /// 1. the six blanks 09, 0A, 0B, 0C, 0D and 20 are dropped at both ends,
  /// 2. every run of them inside becomes one 20,
  /// 3. 41 to 5A (A to Z) become 61 to 7A,
  /// 4. every other byte stays: no other script is lowered and nothing is normalized, so that no
  ///    table of Unicode can make two devices disagree.
  public var identityBytes: [UInt8] {
    if let isbn13 { return Array("isbn:".utf8) + isbn13.utf8 }
    return Array("title:".utf8) + Self.folded(title) + [0] + Self.folded(author)
  }

  private static func folded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var isAfterBlank = false
    for byte in text.utf8 {
      if byte.isBlank {
        isAfterBlank = true
        continue
      }
      if isAfterBlank, !result.isEmpty { result.append(.space) }
      isAfterBlank = false
      result.append(byte.asciiLowercased)
    }
    return result
  }
}

extension ImportedBook: Equatable {
  /// Tells whether both say the same, byte by byte, whatever line they stood on.
  ///
  /// Swift's own comparison would take é and e with an accent for one text.
  public static func == (one: ImportedBook, other: ImportedBook) -> Bool {
    one.recordID == other.recordID && one.read == other.read && one.readAt == other.readAt
      && one.rating == other.rating && same(one.title, other.title)
      && same(one.author, other.author) && same(one.notes, other.notes)
      && same(one.isbn13 ?? "", other.isbn13 ?? "")
      && one.tags.elementsEqual(other.tags) { same($0, $1) }
  }

  private static func same(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }
}
