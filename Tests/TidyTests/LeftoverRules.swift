extension Rule {
  private static let marks: Set<Substring> = ["FIXME", "TODO", "XXX", "HACK"]

  static let nothingIsLeftForLater = Rule(
    "no comment puts something off",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "let a = 1  // FIXME: wrong"),
      Sample("Tests/CommuteCoreTests/A.swift", "/// What it does.\n/// TODO more"),
      Sample("Sources/CommuteCore/A.swift", "/*\n * XXX\n */"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", "let a = \"TODO\"  // To do so, do this."),
      Sample("Sources/CommuteFeatures/A.swift", "struct ToDo {}"),
    ]
  ) { file in
    file.comments.compactMap { comment in
      let words = comment.text.split { !$0.isLetter }
      guard words.contains(where: marks.contains) else { return nil }
      return (comment.line, "finish this, or leave it out and file an issue")
    }
  }

  static let noCodeIsCommentedOut = Rule(
    "no code is commented out",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "// let count = rows.count"),
      Sample("Sources/CommuteCore/A.swift", "//    return nil"),
      Sample("Sources/CommuteCore/A.swift", "//}"),
      Sample("Tests/CommuteCoreTests/A.swift", "// if count > 3 {"),
      Sample("Tests/CommuteCoreTests/A.swift", "// #expect(count == 3)"),
      Sample("Sources/CommuteCore/A.swift", "/* store.save(record, at: 3) */"),
      Sample("Sources/CommuteCore/A.swift", "// try connection.execute(statement)"),
      Sample("Sources/CommuteCore/A.swift", "// total += 1"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", "// Return nil where there is nothing to say."),
      Sample("Sources/CommuteCore/A.swift", "// Let the row go, if count > 3, for good."),
      Sample("Sources/CommuteCore/A.swift", "/// ```swift\n/// let a = store.read()\n/// ```"),
      Sample("Sources/CommuteCore/A.swift", "// The cursor stays (see `Feed`)"),
      Sample("Sources/CommuteCore/A.swift", "// for every one of them, as said above"),
    ]
  ) { file in
    file.comments.filter { !$0.isDocumentation && looksLikeCode($0.text) }.map {
      ($0.line, "code in a comment; the history keeps what is deleted")
    }
  }

  /// Tells code from prose by how a line begins and ends: prose has a capital and a full stop.
  private static func looksLikeCode(_ comment: String) -> Bool {
    var text = Substring(comment)
    while text.last == " " || text.last == "*" || text.last == "/" { text.removeLast() }
    let tokens = SwiftLexer(String(text)).tokens
    guard let first = tokens.first, let last = tokens.last else { return false }
    if last.is(".") || last.is(",") || last.is(":") { return false }
    if first.is("}") || last.is("{") || last.is(";") { return true }
    let second = tokens.count > 1 ? tokens[1] : first
    switch first.text {
    case "let", "var": return tokens.contains { $0.is("=") }
    case "return", "throw", "try", "await", "import": return tokens.count < 4 || last.is(")")
    case "func", "#if", "#else", "#endif", "#expect", "#require": return true
    default: break
    }
    let isCall = last.is(")") && (second.is(".") || second.is("(")) && second.isGlued
    return isCall || isAssignment(tokens)
  }

  private static func isAssignment(_ tokens: [SwiftLexer.Token]) -> Bool {
    guard let sign = tokens.firstIndex(where: { $0.is("=") }), sign + 1 < tokens.count else {
      return false
    }
    var target = tokens[..<sign]
    if let operation = target.last, "+-*/|&^".contains(operation.text), tokens[sign].isGlued {
      target.removeLast()
    }
    // A path of names and nothing else stands on the left.
    return !target.isEmpty && target.dropFirst().allSatisfy { $0.isGlued }
      && target.allSatisfy { $0.kind == .word || $0.is(".") } && !tokens[sign + 1].is("=")
  }
}
