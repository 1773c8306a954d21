/// A Swift file of the package, read just far enough to hold it against the house rules.
struct SourceFile: Sendable {
  /// Where it lies, from the root of the package.
  var path: String
  var lines: [Substring]
  var tokens: [SwiftLexer.Token]
  var comments: [SwiftLexer.Comment]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    let lexer = SwiftLexer(text)
    tokens = lexer.tokens
    comments = lexer.comments
  }

  /// The folders above the file, outermost first, and its name.
  var pathComponents: [Substring] { path.split(separator: "/") }
  /// The name without `.swift`.
  var name: String { String((pathComponents.last ?? "").dropLast(".swift".count)) }
  /// Whether the file belongs to a module, not to its tests.
  var isSource: Bool { pathComponents.first == "Sources" }
  /// Whether the file is test code.
  var isTest: Bool { pathComponents.first == "Tests" }
  /// The folder below `Sources` or `Tests`.
  var module: String { pathComponents.count > 2 ? String(pathComponents[1]) : "" }
  /// The layer of the file's module, if it has one.
  var layer: Layer? { isSource ? Module.all[module]?.layer : nil }

  /// The modules that the file imports, with their lines.
  var imports: [(module: String, line: Int)] {
    tokens.indices.compactMap { index in
      guard tokens[index].is("import"), index + 1 < tokens.count else { return nil }
      var next = index + 1
      let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "typealias"]
      if kinds.contains(tokens[next].text) && next + 1 < tokens.count { next += 1 }
      return (tokens[next].text, tokens[index].line)
    }
  }

  /// The names of the types that the file declares or extends.
  var declaredTypes: Set<String> {
    let keywords: Set<String> = [
      "struct", "class", "enum", "actor", "protocol", "extension", "typealias",
    ]
    var names: Set<String> = []
    for index in tokens.indices.dropLast() where keywords.contains(tokens[index].text) {
      guard tokens[index].kind == .word else { continue }
      var next = index + 1
      names.insert(tokens[next].text)
      // In `extension Outer.Inner` it is the last name that counts.
      while next + 2 < tokens.count, tokens[next + 1].is(".") {
        next += 2
        names.insert(tokens[next].text)
      }
    }
    return names
  }

  /// The functions of the file with their lengths in lines.
  var functions: [Function] { Function.all(in: tokens) }
}
