/// What counts as one character of UTF-8, by the table of RFC 3629.
enum UTF8Sequence {
  /// How many bytes the character that begins at `index` takes; nil if none begins there.
  ///
  /// Overlong forms, surrogates, characters beyond U+10FFFF and cut off ones are none.
  static func length(in bytes: [UInt8], at index: Int) -> Int? {
    let lead = bytes[index]
    guard lead >= 0x80 else { return 1 }
    guard lead >= 0xC2, lead <= 0xF4 else { return nil }
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard bytes.count - index >= length else { return nil }
    guard secondBytes(after: lead).contains(bytes[index + 1]) else { return nil }
    for next in (index + 2)..<(index + length) where bytes[next] & 0xC0 != 0x80 {
      return nil
    }
    return length
  }

  private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
