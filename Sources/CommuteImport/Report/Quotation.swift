/// Text from a file, made fit to be shown on a terminal inside a message.
enum Quotation {
  /// The text in quotes, shortened, and with what could act on a terminal spelt out.
  static func of(_ bytes: ArraySlice<UInt8>) -> String { "\"\(plain(bytes))\"" }

  /// The text without quotes, shortened and made harmless in the same way.
  ///
  /// Controls, and the marks that turn the direction of writing, become their numbers, so a file
  /// can neither move the cursor nor make a message read like another one.
  static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    var result = String.UnicodeScalarView()
    var left = 40
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      guard left > 0 else {
        result.append("…")
        break
      }
      left -= 1
      if isHarmless(scalar.value) {
        result.append(scalar)
      } else {
        let number = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "\\u{\(number)}".unicodeScalars)
      }
    }
    return String(result)
  }

  private static func isHarmless(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x00...0x1F, 0x7F...0x9F: false
    case 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: false
    default: true
    }
  }
}
