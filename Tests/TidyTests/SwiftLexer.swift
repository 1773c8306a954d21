/// Splits Swift source into tokens and comments, so that a rule can tell code from text.
///
/// It knows strings of every kind with what is interpolated in them, nested block comments, and
/// regular expressions between `#/` and `/#`; it does not know those between bare slashes.
struct SwiftLexer {
  /// A piece of code.
  struct Token: Sendable {
    enum Kind { case word, symbol, text }

    var kind: Kind
    var text: String
    var line: Int
    /// Whether nothing stands between this token and the one before.
    var isGlued: Bool

    func `is`(_ other: String) -> Bool { kind != .text && text == other }
  }

  /// A line of a comment.
  struct Comment: Sendable {
    var text: String
    var line: Int
    var isDocumentation: Bool
  }

  private(set) var tokens: [Token] = []
  private(set) var comments: [Comment] = []

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lastEnd = -1

  init(_ source: String) {
    bytes = Array(source.utf8)
    lexCode(isInterpolated: false)
  }

  private func byte(_ offset: Int = 0) -> UInt8 {
    position + offset < bytes.count ? bytes[position + offset] : 0
  }

  private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { bytes.dropFirst(position + offset).starts(with: $0) }
  }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  private mutating func append(_ kind: Token.Kind, _ text: String, start: Int, line: Int) {
    tokens.append(Token(kind: kind, text: text, line: line, isGlued: start == lastEnd))
    lastEnd = position
  }

  private mutating func lexCode(isInterpolated: Bool) {
    var depth = 0
    while position < bytes.count {
      switch byte() {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        advance()
      case UInt8(ascii: "/") where starts(with: "//"): lexLineComment()
      case UInt8(ascii: "/") where starts(with: "/*"): lexBlockComment()
      case UInt8(ascii: "\""): lexString(hashes: 0)
      case UInt8(ascii: "#"): lexHash()
      case UInt8(ascii: "`"): lexQuotedName()
      case let first where Self.isPartOfWord(first): lexWord()
      default:
        let symbol = byte()
        if symbol == UInt8(ascii: "(") { depth += 1 }
        if symbol == UInt8(ascii: ")") { depth -= 1 }
        if isInterpolated && depth < 0 { return }
        let start = position
        advance()
        append(.symbol, String(UnicodeScalar(symbol)), start: start, line: line)
      }
    }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
    default: byte >= 0x80
    }
  }

  private mutating func lexWord() {
    let start = position
    while Self.isPartOfWord(byte()) { advance() }
    append(.word, text(from: start, to: position), start: start, line: line)
  }

  private mutating func lexQuotedName() {
    let start = position
    advance()
    while position < bytes.count && byte() != UInt8(ascii: "`") { advance() }
    advance()
    append(.word, text(from: start, to: position), start: start, line: line)
  }

  private mutating func lexLineComment() {
    let start = position
    while position < bytes.count && byte() != UInt8(ascii: "\n") { advance() }
    let whole = text(from: start, to: position)
    let isDocumentation = whole.hasPrefix("///")
    let content = whole.drop { $0 == "/" }.drop { $0 == " " }
    comments.append(
      Comment(text: String(content), line: line, isDocumentation: isDocumentation))
  }

  private mutating func lexBlockComment() {
    let start = position
    let firstLine = line
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        advance(by: 2)
      } else if starts(with: "*/") {
        depth -= 1
        advance(by: 2)
      } else {
        advance()
      }
    } while depth > 0 && position < bytes.count
    let lines = text(from: start, to: position).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (offset, line) in lines.enumerated() {
      let content = String(line.drop { " /*".contains($0) })
      comments.append(Comment(text: content, line: firstLine + offset, isDocumentation: false))
    }
  }

  /// A `#` begins a directive, a macro, a raw string, or a regular expression.
  private mutating func lexHash() {
    var hashes = 0
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    let start = position
    if byte(hashes) == UInt8(ascii: "\"") {
      lexString(hashes: hashes)
    } else if byte(hashes) == UInt8(ascii: "/") {
      let firstLine = line
      advance(by: hashes + 1)
      while position < bytes.count && !starts(with: "/#") { advance() }
      advance(by: 1 + hashes)
      append(.text, text(from: start, to: position), start: start, line: firstLine)
    } else {
      advance(by: hashes)
      while Self.isPartOfWord(byte()) { advance() }
      append(.word, text(from: start, to: position), start: start, line: line)
    }
  }

  /// A string literal; what is interpolated follows as tokens of its own.
  private mutating func lexString(hashes: Int) {
    let start = position
    let firstLine = line
    let quotes = starts(with: "\"\"\"", at: hashes) ? 3 : 1
    advance(by: hashes + quotes)
    append(.text, "", start: start, line: firstLine)
    let index = tokens.count - 1
    var content: [UInt8] = []
    while position < bytes.count {
      if isEnd(quotes: quotes, hashes: hashes) {
        advance(by: quotes + hashes)
        break
      }
      guard byte() == UInt8(ascii: "\\"), hashesFollow(hashes, at: 1) else {
        content.append(byte())
        advance()
        continue
      }
      advance(by: 1 + hashes)
      let escaped = byte()
      advance()
      guard escaped == UInt8(ascii: "(") else { continue }
      lexCode(isInterpolated: true)
      advance()
    }
    tokens[index].text = String(decoding: content, as: UTF8.self)
    lastEnd = position
  }

  private func isEnd(quotes: Int, hashes: Int) -> Bool {
    for offset in 0..<quotes where byte(offset) != UInt8(ascii: "\"") { return false }
    return hashesFollow(hashes, at: quotes)
  }

  private func hashesFollow(_ count: Int, at offset: Int) -> Bool {
    for index in 0..<count where byte(offset + index) != UInt8(ascii: "#") { return false }
    return true
  }

  private func text(from start: Int, to end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
