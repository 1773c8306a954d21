import CommuteCore

/// Comparing values as SQLite compares what their columns hold.
extension FieldValue {
  /// Whether the value is none.
  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether the value is before (below 0), the same as (0), or behind another one of its column.
  ///
  /// Null is before everything; text and bytes are compared byte by byte.
  func compared(to other: FieldValue) -> Int {
    switch (self, other) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.boolean(let one), .boolean(let two)): (one ? 1 : 0) - (two ? 1 : 0)
    case (.integer(let one), .integer(let two)), (.instant(let one), .instant(let two)):
      one < two ? -1 : one == two ? 0 : 1
    case (.double(let one), .double(let two)): one < two ? -1 : one == two ? 0 : 1
    case (.text(let one), .text(let two)): Self.compare(one, two)
    case (.list(let one), .list(let two)):
      Self.compare(TextList.json(of: one), TextList.json(of: two))
    case (.bytes(let one), .bytes(let two)):
      one == two ? 0 : one.lexicographicallyPrecedes(two) ? -1 : 1
    // A column holds values of one kind; another one never stands beside it.
    default: self == other ? 0 : self < other ? -1 : 1
    }
  }

  /// Compares two texts byte by byte.
  static func compare(_ one: String, _ two: String) -> Int {
    if one.hasSameBytes(as: two) { return 0 }
    return one.bytesPrecede(two) ? -1 : 1
  }
}

extension String {
  /// Whether the text holds another one, A to Z being the same as a to z: what `LIKE` finds.
  func holds(_ part: String) -> Bool {
    let text = utf8.map(Self.lowered)
    let wanted = part.utf8.map(Self.lowered)
    guard text.count >= wanted.count else { return false }
    return (0...(text.count - wanted.count)).contains { start in
      text[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
  }
}
