/// A function, initializer, subscript, or computed property, and how far it reaches.
struct Function {
  var line: Int
  var lineCount: Int

  private static let openers: Set<String> = ["func", "init", "deinit", "subscript", "var"]

  /// What cannot follow a signature: where it comes first, there is no body.
  private static let nextDeclaration: Set<String> = [
    "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "class", "enum",
    "actor", "protocol", "extension", "typealias", "associatedtype", "public", "package",
    "internal", "private", "fileprivate", "static", "mutating", "return", "if", "guard", "for",
    "}",
  ]

  /// Finds every function that has a body.
  static func all(in tokens: [SwiftLexer.Token]) -> [Function] {
    tokens.indices.compactMap { start in
      guard openers.contains(tokens[start].text), tokens[start].kind == .word else { return nil }
      if start > 0, tokens[start - 1].is(".") { return nil }
      guard let body = bodyStart(after: start, in: tokens) else { return nil }
      let end = bodyEnd(from: body, in: tokens)
      let count = tokens[end].line - tokens[start].line + 1
      return Function(line: tokens[start].line, lineCount: count)
    }
  }

  /// The brace that opens the body, past parameters and their default values.
  private static func bodyStart(after start: Int, in tokens: [SwiftLexer.Token]) -> Int? {
    var depth = 0
    for index in tokens.indices.dropFirst(start + 1) where tokens[index].kind != .text {
      switch tokens[index].text {
      case "(", "[": depth += 1
      case ")", "]":
        depth -= 1
        if depth < 0 { return nil }
      case "{" where depth == 0: return index
      // A stored property; where a closure makes its value, that closure counts.
      case "=" where depth == 0 && tokens[start].is("var"):
        return tokens.indices.contains(index + 1) && tokens[index + 1].is("{") ? index + 1 : nil
      case let text where depth == 0 && nextDeclaration.contains(text):
        if index > start + 1 { return nil }
      default: break
      }
    }
    return nil
  }

  /// The brace that closes what a brace opened.
  private static func bodyEnd(from start: Int, in tokens: [SwiftLexer.Token]) -> Int {
    var depth = 0
    for index in tokens.indices.dropFirst(start) {
      if tokens[index].is("{") { depth += 1 }
      if tokens[index].is("}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return tokens.count - 1
  }
}
