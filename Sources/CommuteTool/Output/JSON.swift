/// What a command tells other programs.
enum JSON: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case text(String)
  case list([JSON])
  case object([Member])
  /// JSON on one line that somebody else has made.
  case made(String)

  /// One member of an object; members keep the order in which they are told.
  struct Member: Hashable, Sendable {
    var name: String
    var value: JSON
  }

  /// The JSON on one line.
  var encoded: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    // Numbers that JSON has no word for cannot be stored in a field either.
    case .double(let number): number.isFinite ? String(number) : "null"
    case .text(let text): Self.quoted(text)
    case .made(let text): text
    case .list(let items): "[\(items.map(\.encoded).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.name)):\($0.value.encoded)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where TerminalText.isPlain(scalar): result.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return result + "\""
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: $0, value: $1) })
  }

  init(arrayLiteral elements: JSON...) {
    self = .list(elements)
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(nilLiteral: ()) { self = .null }
}

extension JSON {
  /// A text, or null.
  init(_ text: String?) { self = text.map(JSON.text) ?? .null }
  /// A number, or null.
  init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
  /// A list of texts.
  init(_ texts: [String]) { self = .list(texts.map(JSON.text)) }
}
