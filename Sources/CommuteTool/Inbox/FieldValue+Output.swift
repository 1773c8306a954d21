import CommuteCore
import Foundation

extension FieldValue {
  /// The value for programs; what JSON has no kind for is told as text.
  var json: JSON {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .text(let text): .text(text)
    case .bytes(let bytes), .unknown(let bytes): .text(Data(bytes).base64EncodedString())
    case .instant(let milliseconds): .text(Moment.text(milliseconds))
    case .list(let texts): JSON(texts)
    }
  }

  /// The value for people.
  var words: String {
    switch self {
    case .null: "nothing"
    case .boolean(let flag): flag ? "yes" : "no"
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .text(let text): text.isEmpty ? "nothing" : "“\(text)”"
    case .bytes(let bytes): Plural.text(bytes.count, "byte")
    case .unknown: "something newer than this version"
    case .instant(let milliseconds): Moment.text(milliseconds)
    case .list(let texts): texts.isEmpty ? "nothing" : texts.joined(separator: ", ")
    }
  }
}

/// What people call the fields of a book.
enum BookField {
  /// The name of a field in a sentence, as `note`.
  static func name(_ field: String) -> String {
    switch field {
    case "notes": "note"
    case "rating": "stars"
    case "read": "tick"
    case "readAt": "day of reading"
    case "isbn": "ISBN"
    default: field
    }
  }

  /// Several of them, as `note, stars and title`.
  static func names(_ fields: [String]) -> String {
    let names = fields.map(name)
    guard names.count > 1, let last = names.last else { return names.first ?? "book" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}
