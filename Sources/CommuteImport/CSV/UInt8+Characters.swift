extension UInt8 {
  static let comma = UInt8(ascii: ",")
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let equals = UInt8(ascii: "=")
  static let space = UInt8(ascii: " ")
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D

  /// Whether the byte is one of the six blanks U+0009 to U+000D and U+0020; no other counts.
  var isBlank: Bool { self == .space || (self >= 0x09 && self <= 0x0D) }

  /// The digit's value; nil if the byte is no ASCII digit.
  var digitValue: Int? { self >= 0x30 && self <= 0x39 ? Int(self - 0x30) : nil }

  /// The byte with A to Z made a to z, every other one as it is.
  var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self + 0x20 : self }
}

extension ArraySlice<UInt8> {
  /// The slice without the blanks at both ends.
  func trimmed() -> ArraySlice<UInt8> {
    guard let first = firstIndex(where: { !$0.isBlank }),
      let last = lastIndex(where: { !$0.isBlank })
    else { return [] }
    return self[first...last]
  }

  /// Whether both are the same but for the case of ASCII letters.
  func equalsIgnoringCase(_ name: String) -> Bool {
    elementsEqual(name.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }
}
