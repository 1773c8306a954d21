/// Text from people and files, made fit for a terminal.
enum TerminalText {
  /// The text with everything spelt out that could move the cursor or turn the line around.
  static func safe(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy(isPlain) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isPlain(scalar) {
        result.append(scalar)
      } else {
        let number = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "\\u{\(number)}".unicodeScalars)
      }
    }
    return String(result)
  }

  /// Whether a character only shows itself.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: false
    case 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: false
    case 0xE0000...0xE007F: false
    default: true
    }
  }

  /// How many columns of a terminal the text takes.
  static func width(_ text: String) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  /// The text cut to so many columns, with an ellipsis where something was cut.
  static func shortened(_ text: String, to limit: Int) -> String {
    if width(text) <= limit { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = width(character)
      guard used + next < limit else { break }
      result.append(character)
      used += next
    }
    return result + "…"
  }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    let properties = first.properties
    if properties.generalCategory == .nonspacingMark { return 0 }
    if character.unicodeScalars.count > 1, properties.isEmoji, first.value > 0xFF { return 2 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
      0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
