public import CommuteCore

/// One line of a table's declaration: a column, an index, a unique key, or a search.
public struct TableElement<Model: Record>: Sendable {
  enum Content: Sendable {
    case column(Column<Model>)
    case index(Index<Model>)
    case search(Search<Model>)
  }

  let content: Content
}

/// Collects the lines of a table's declaration.
@resultBuilder
public enum TableBuilder<Model: Record> {
  /// Takes a column.
  public static func buildExpression(_ column: Column<Model>) -> [TableElement<Model>] {
    [TableElement(content: .column(column))]
  }

  /// Takes an index.
  public static func buildExpression(_ index: Index<Model>) -> [TableElement<Model>] {
    [TableElement(content: .index(index))]
  }

  /// Takes a unique key.
  public static func buildExpression(_ key: Unique<Model>) -> [TableElement<Model>] {
    [TableElement(content: .index(key.index))]
  }

  /// Takes a search.
  public static func buildExpression(_ search: Search<Model>) -> [TableElement<Model>] {
    [TableElement(content: .search(search))]
  }

  /// Puts the lines together.
  public static func buildBlock(_ lines: [TableElement<Model>]...) -> [TableElement<Model>] {
    lines.flatMap { $0 }
  }
}

/// Columns by which records are found or ordered fast: `Index(\.author, \.title)`.
///
/// Only this device has it; it may be added and taken away at any time.
public struct Index<Model: Record>: Sendable {
  let paths: [any PartialKeyPath<Model> & Sendable]
  let isUnique: Bool
  /// How the server keeps the key; nil where it does not, or where this is no key.
  let rule: UniqueRule?

  /// Declares an index over some columns, the most important first.
  public init(_ paths: (any PartialKeyPath<Model> & Sendable)...) {
    self.paths = paths
    isUnique = false
    rule = nil
  }

  init(unique paths: [any PartialKeyPath<Model> & Sendable], rule: UniqueRule?) {
    self.paths = paths
    isUnique = true
    self.rule = rule
  }
}

/// Columns that together no two records share: `Unique(\.isbn)`.
///
/// What is written on this device is checked, and refused with
/// ``StoreError/taken(table:columns:by:)``. What others wrote at the same time is taken as it
/// comes: a device alone cannot forbid it. Records with nothing in one of the columns are in
/// nobody's way.
///
/// The server keeps a key that is declared with a rule, in each feed apart:
///
/// - `Unique(\.isbn, across: .first)`: the record that comes to the server first keeps the key, and
///   the later one goes to its writer's inbox.
/// - `Unique(\.name, across: .sameRecord)`: records with one key are one record, whichever devices
///   made it. Its id comes from the key: leave it zero. Its values never change, and none of them
///   is null. The table's rule is `editRevives`, so that what was deleted can be made again.
///
/// Such a key has up to three columns, in no other key, of the rules `latest`, `serverWins` or
/// `clientWins`; the server's tables declare it alike.
public struct Unique<Model: Record>: Sendable {
  let index: Index<Model>

  /// Declares a unique key of some columns, and an index over them.
  public init(
    _ paths: (any PartialKeyPath<Model> & Sendable)..., across rule: UniqueRule? = nil
  ) {
    index = Index(unique: paths, rule: rule)
  }
}

/// Columns whose words are looked for: `Search(\.title, \.author)` is asked by
/// ``Record/matching(_:_:)``.
///
/// Columns of text and of lists of texts can be searched. The index is kept in every transaction
/// that writes, whether a person or the server wrote.
public struct Search<Model: Record>: Sendable {
  /// What a word is.
  public enum Words: String, Hashable, Sendable {
    /// Letters and digits of any alphabet; upper and lower case and accents are the same.
    case unicode = "unicode61 remove_diacritics 2"
    /// The same, and English words of one stem are the same: `reading` finds `read`.
    case english = "porter unicode61 remove_diacritics 2"
    /// Any three signs in a row: parts of words are found, words of one or two signs are not.
    case trigrams = "trigram"
  }

  let paths: [any PartialKeyPath<Model> & Sendable]
  let words: Words

  /// Declares a search over some columns; a table has one.
  public init(_ paths: (any PartialKeyPath<Model> & Sendable)..., words: Words = .unicode) {
    self.paths = paths
    self.words = words
  }
}

/// An index without its record type.
struct DeclaredIndex: Hashable, Sendable {
  /// The declared numbers of its columns.
  let columns: [Int]
  let isUnique: Bool
  /// How the server keeps the key; nil where it does not.
  var rule: UniqueRule?
}

/// A search without its record type.
struct DeclaredSearch: Hashable, Sendable {
  /// The declared numbers of its columns.
  let columns: [Int]
  /// The words in FTS5's terms.
  let tokenizer: String
}
