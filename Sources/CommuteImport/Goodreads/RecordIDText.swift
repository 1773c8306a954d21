/// An id of the list in a cell: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
enum RecordIDText {
  private static let groupEnds: [Int] = [4, 6, 8, 10]

  /// The 16 bytes of the id; nil if the text is none.
  ///
  /// Upper-case digits are taken too.
  static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count == 36 else { return nil }
    var result: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      if groupEnds.contains(result.count), text[index] == UInt8(ascii: "-") {
        index += 1
      }
      guard index + 1 < text.endIndex, let high = digit(text[index]),
        let low = digit(text[index + 1])
      else { return nil }
      result.append(high << 4 | low)
      index += 2
    }
    return result.count == 16 ? result : nil
  }

  /// The id as text; nil if there are not 16 bytes.
  static func text(of bytes: [UInt8]) -> String? {
    guard bytes.count == 16 else { return nil }
    var result = ""
    for (index, byte) in bytes.enumerated() {
      if groupEnds.contains(index) { result += "-" }
      result += byte < 16 ? "0" : ""
      result += String(byte, radix: 16)
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    if let value = byte.digitValue { return UInt8(value) }
    let letter = byte.asciiLowercased
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
  }
}
