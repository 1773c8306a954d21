/// Lower-case hexadecimal numbers of fixed width.
@usableFromInline
enum Hexadecimal {
  /// Appends the low `digits` hexadecimal digits of a number.
  @inlinable
  static func append(_ number: UInt64, digits: Int, to output: inout [UInt8]) {
    var shift = UInt64(digits) * 4
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: number >> shift & 0xF)
      output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }

  /// Reads `digits` lower-case digits from `start`; nil if one is something else.
  @inlinable
  static func read(_ bytes: ArraySlice<UInt8>, from start: Int, digits: Int) -> UInt64? {
    guard start >= bytes.startIndex, start + digits <= bytes.endIndex else { return nil }
    var number: UInt64 = 0
    for index in start..<start + digits {
      let byte = bytes[index]
      switch byte {
      case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
      case 0x61...0x66: number = number << 4 | UInt64(byte - 0x57)
      default: return nil
      }
    }
    return number
  }

  /// The number as text of fixed width.
  static func text(_ number: UInt64, digits: Int) -> String {
    var bytes: [UInt8] = []
    append(number, digits: digits, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a text that is exactly `digits` long.
  static func read(text: String, digits: Int) -> UInt64? {
    let bytes = Array(text.utf8)
    guard bytes.count == digits else { return nil }
    return read(bytes[...], from: 0, digits: digits)
  }
}
