import CommuteCore

/// The feeds, records and fields that every history has.
///
/// Three records are hot: most writes go to them. The server knows the table `book` and only relays
/// `memo`.
struct Stage {
  /// The feeds by number.
  let feeds: [Key] = ["library", "desk"]
  /// The records by number, the hot ones first.
  let records: [RecordKey]
  /// The feed of each record.
  let feedOfRecord = [0, 0, 1, 1, 0, 1, 0]
  /// The names of the fields of each record, in their order.
  let fields: [[Key]]
  /// The tables that the server knows.
  let tables: FieldMap<TableSchema>

  /// How many records have plain fields only.
  static let plainCount = 6
  /// The record with fields of other rules.
  static let item = 6
  /// The names of its fields, of which a history plays some.
  static let itemFields: [Key] = ["f0", "f1", "f2"]
  static let recordCount = 7
  static let fieldCount = 3
  /// Places of a record: its fields and its deletion.
  static let placesPerRecord = 4

  init() {
    let book: Key = "book"
    let memo: Key = "memo"
    let bookFields: [Key] = ["rating", "tags", "title"]
    let memoFields: [Key] = ["at", "body", "raw"]
    records = (0..<UInt64(Self.recordCount)).map { number in
      RecordKey(
        table: number == UInt64(Self.item) ? "item" : number == 2 || number == 4 ? memo : book,
        // One has a fixed id, as samples have; the others are drawn.
        id: RecordID(
          high: number == 1 ? 0x018F_3C5E_7A10_8000 : 0x018F_3C5E_7A10_7000,
          low: 0x8000_0000_0000_0000 | number))
    }
    fields = records.map { $0.table == memo ? memoFields : bookFields }
    let schema = TableSchema(
      book,
      fields: [
        FieldSchema("rating", .integer, isOptional: true), FieldSchema("tags", .list),
        FieldSchema("title", .text),
      ])
    tables = [book: schema]
  }

  /// The number of a record, which its id ends with.
  static func number(of key: RecordKey) -> Int {
    Int(truncatingIfNeeded: key.id.low & 0xFF)
  }

  /// The oracle's number of a field of a record.
  static func place(_ record: Int, _ field: Int) -> Int {
    record * placesPerRecord + field
  }

  /// The oracle's number of the deletion of a record.
  static func deletion(of record: Int) -> Int {
    record * placesPerRecord + fieldCount
  }

  /// The number of a feed.
  func number(of feed: Key) -> Int { feed == feeds[0] ? 0 : 1 }

  /// The number of a field by its name.
  func field(_ name: Key, of record: Int) -> Int {
    for index in 0..<Self.fieldCount where fields[record][index] == name { return index }
    return 0
  }

  /// A value that nobody else writes: the number makes it unique, the style is 0 for plain, 1 and 2
  /// for texts that look alike and differ in bytes.
  func value(_ record: Int, _ field: Int, number: Int, style: Int) -> FieldValue {
    let mark = style == 1 ? "\u{E9}" : style == 2 ? "e\u{301}" : "w"
    switch (records[record].table == "book", field) {
    case (true, 0): return .integer(Int64(style == 1 ? -number - 100 : number + 100))
    case (true, 1): return .list([mark + String(number)])
    case (false, 0): return .instant(1_700_000_000_000 + Int64(number))
    case (false, 2): return .bytes([UInt8(style), 0, UInt8(truncatingIfNeeded: number)])
    default: return .text(mark + String(number))
    }
  }

  /// A title as the older version of the app writes it, with a mark that the server takes away.
  func older(_ value: FieldValue, _ record: Int, _ field: Int) -> FieldValue {
    guard case .text(let text) = value, records[record].table == "book", field == 2 else {
      return value
    }
    return .text(text + "~")
  }

  /// A value that several devices put there alike, in one of three versions.
  func seed(_ record: Int, _ field: Int, version: Int) -> FieldValue {
    let text = version == 0 ? "e" : version == 1 ? "\u{E9}" : "e\u{301}"
    switch (records[record].table == "book", field) {
    case (true, 0): return .integer(Int64(1 - version))
    case (true, 1): return .list([text])
    case (false, 0): return .instant(Int64(version + 1))
    case (false, 2): return .bytes([9, UInt8(version)])
    default: return .text(text)
    }
  }
}

extension Content {
  /// The bytes that tell a value from all others of a history, in the order of canonical bytes.
  init(_ value: FieldValue) {
    switch value {
    // The mark of an older app's title is not part of what it says.
    case .text(let text): self.init(text.hasSuffix("~") ? text.utf8.dropLast() : text.utf8[...])
    case .bytes(let bytes): self.init(bytes)
    case .integer(let number), .instant(let number):
      self.init(number: UInt64(bitPattern: number))
    case .list(let texts): self.init(counted: (texts.first ?? "").utf8)
    case .null, .boolean, .double, .unknown: self.init(value.canonicalBytes)
    }
  }

  /// The content of a deletion.
  static let nothing = Content([])
}

extension Moment {
  /// A stamp in plain numbers.
  init(_ stamp: Stamp) {
    self.init(time: stamp.time, writer: stamp.replica.rawValue)
  }
}
