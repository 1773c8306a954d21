import Foundation

/// A text as people look for it: without case, accents and surplus blanks.
///
/// It serves search and order on screens only; nothing that devices must agree on depends on it.
struct FoldedText: Hashable, Comparable, Sendable {
  let bytes: [UInt8]

  init(_ text: String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in Self.folded(text) {
      let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte)
      if !isBlank { bytes.append(byte) } else if bytes.last != 0x20 { bytes.append(0x20) }
    }
    while bytes.last == 0x20 { bytes.removeLast() }
    if bytes.first == 0x20 { bytes.removeFirst() }
    self.bytes = bytes
  }

  /// Whether the other text stands somewhere in this one.
  func contains(_ other: FoldedText) -> Bool {
    let needle = other.bytes
    guard let first = needle.first else { return true }
    guard bytes.count >= needle.count else { return false }
    for start in 0...bytes.count - needle.count where bytes[start] == first {
      if bytes[start..<start + needle.count].elementsEqual(needle) { return true }
    }
    return false
  }

  /// The words between blanks.
  var words: [FoldedText] {
    bytes.split(separator: 0x20).map { FoldedText(bytes: Array($0)) }
  }

  static func < (left: FoldedText, right: FoldedText) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private static func folded(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    var plain = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      plain.append(scalar)
    }
    return Array(String(plain).lowercased().utf8)
  }
}
