import CommuteCore

/// What a person typed to name one book: the beginning of its id, or a part of its title.
public struct BookReference: Hashable, Sendable {
  /// What was found.
  public enum Finding: Hashable, Sendable {
    /// Exactly this book.
    case one(Book)
    /// No book.
    case none
    /// Several; the person has to say more.
    case several([Book])
  }

  /// The least number of hexadecimal digits that count as the beginning of an id.
  public static let leastDigits = 4

  private let text: String

  /// Takes what was typed.
  public init(_ text: String) {
    self.text = text
  }

  /// Finds the book that is meant.
  ///
  /// A whole title goes before the beginning of an id, and that before a part of a title, so that
  /// a book called “Dead” can be named although its title looks like an id.
  public func find(in books: [Book]) -> Finding {
    let wanted = FoldedText(text)
    guard !wanted.bytes.isEmpty else { return .none }
    let titles = books.map { (book: $0, title: FoldedText($0.title)) }
    let whole = titles.filter { $0.title == wanted }.map(\.book)
    if !whole.isEmpty { return finding(whole) }
    if let digits {
      let named = books.filter { Self.digits(of: $0.id).starts(with: digits) }
      if !named.isEmpty { return finding(named) }
    }
    return finding(titles.filter { $0.title.contains(wanted) }.map(\.book))
  }

  private func finding(_ books: [Book]) -> Finding {
    guard let first = books.first else { return .none }
    return books.count == 1 ? .one(first) : .several(BookSort.title.sorted(books))
  }

  /// The typed text as hexadecimal digits; nil where it cannot begin an id.
  private var digits: [UInt8]? {
    var digits: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x66: digits.append(byte)
      case 0x41...0x46: digits.append(byte | 0x20)
      case 0x2D: continue
      default: return nil
      }
    }
    return digits.count >= Self.leastDigits ? digits : nil
  }

  private static func digits(of id: RecordID) -> [UInt8] {
    id.text.utf8.filter { $0 != 0x2D }
  }

  /// How many characters of an id tell each book from the others, eight at least.
  public static func shortLength(for books: [Book]) -> Int {
    let ids = books.map { Array($0.id.text.utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    var length = 8
    for (one, other) in zip(ids, ids.dropFirst()) {
      var shared = 0
      while shared < one.count, one[shared] == other[shared] { shared += 1 }
      length = max(length, min(shared + 1, one.count))
    }
    return length
  }
}
