import CommuteCore

/// The fields of both tables, each under another rule.
enum Stock: Int, CaseIterable, Sendable {
  case title, author, note, copies, tags, best
  case body, place, steps, mood

  /// How concurrent changes of the field are judged.
  enum Manner {
    /// One of the values stands.
    case one
    /// The greatest value stands.
    case greatest
    /// What was added is summed up.
    case sum
    /// Elements or words that were put in and not taken out.
    case many
    /// The values of those who had not seen each other stand side by side.
    case beside
  }

  var manner: Manner {
    switch self {
    case .title, .author, .body, .place: .one
    case .best: .greatest
    case .copies, .steps: .sum
    case .note, .tags: .many
    case .mood: .beside
    }
  }

  /// The name of the column.
  var key: Key {
    switch self {
    case .title: "title"
    case .author: "author"
    case .note: "note"
    case .copies: "copies"
    case .tags: "tags"
    case .best: "best"
    case .body: "body"
    case .place: "place"
    case .steps: "steps"
    case .mood: "mood"
    }
  }

  init?(key: Key) {
    guard let found = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = found
  }

  /// The fields of a table.
  static func all(in table: Key) -> [Stock] {
    table == "book"
      ? [.title, .author, .note, .copies, .tags, .best] : [.body, .place, .steps, .mood]
  }

  /// How many numbers one edit of a record takes: one for each field.
  static let stride = 10
  /// What the greatest value is counted in, so that the rest names the edit.
  static let scale = 100_000

  /// The text that stands for an edit.
  static func word(_ number: Int, isBad: Bool = false) -> String {
    (isBad ? "bad" : "v") + String(number)
  }

  /// The edits whose values a field holds; those of a sum are in its bits and not here.
  func edits(in value: FieldValue) -> [Int] {
    switch value {
    case .text(let text): text.split(separator: " ").compactMap { Self.number(of: $0) }
    case .list(let elements): elements.compactMap { Self.number(of: $0[...]) }
    case .integer(let number) where self == .best: [Int(number) % Self.scale].filter { $0 > 0 }
    default: []
    }
  }

  private static func number(of word: Substring) -> Int? {
    if word.hasPrefix("bad") { return Int(word.dropFirst(3)) }
    return word.hasPrefix("v") ? Int(word.dropFirst()) : nil
  }
}

/// A change of one record that somebody is about to make.
struct Intent: Sendable {
  var record: Int
  var stock: Stock
  /// The number of the edit; that of a field is this and the field's place.
  var first: Int
  /// The place of the bit that a counter gets; nil where its bits are used up.
  var bit: Int?
  /// Whether the server's rule will refuse it.
  var isBad = false
  var deletes = false
  /// Three numbers that choose places in texts and lists.
  var rolls: [Int] = [0, 0, 0]

  /// What it is, for people.
  var words: String {
    deletes ? "deletion of \(record)" : "\(stock) of \(record) (\(number(stock)))"
  }

  var id: RecordID { Shelf.id(record) }
  var isMemo: Bool { Shelf.isMemo(record) }
  func number(_ stock: Stock) -> Int { first + stock.rawValue }
}

/// The records that every history may have; the first three are hot.
enum Shelf {
  static let count = 8
  static let feeds: [Key] = ["desk", "library"]

  static func isMemo(_ record: Int) -> Bool { record == 2 || record == 4 || record == 6 }

  static func id(_ record: Int) -> RecordID {
    // One has a fixed id, as samples have; the others are drawn.
    RecordID(
      high: record == 1 ? 0x018F_3C5E_7A10_8000 : 0x018F_3C5E_7A10_7000,
      low: 0x8000_0000_0000_0000 | UInt64(record))
  }

  static func key(_ record: Int) -> RecordKey {
    RecordKey(table: isMemo(record) ? "memo" : "book", id: id(record))
  }

  /// The number of a record; nil for a record of another table.
  static func number(of key: RecordKey) -> Int? {
    let number = Int(truncatingIfNeeded: key.id.low & 0xFF)
    return number < count && Self.key(number) == key ? number : nil
  }
}
