extension Rule {
  /// What brings text to a screen or a log.
  private static let printers: Set<String> = [
    "print", "debugPrint", "dump", "fputs", "puts", "printf", "NSLog",
  ]

  private static func isPrinting(at index: Int, in tokens: [SwiftLexer.Token]) -> Bool {
    guard printers.contains(tokens[index].text), tokens[index].kind == .word else { return false }
    guard index + 1 < tokens.count, tokens[index + 1].is("(") else { return false }
    guard index > 0 else { return true }
    if tokens[index - 1].is("func") { return false }
    return !tokens[index - 1].is(".") || (index > 1 && tokens[index - 2].is("Swift"))
  }

  static let programsSpeakThroughOneType = Rule(
    "only programs print, each in one file", acrossFiles: misplacedPrinting,
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "func a() { print(\"a\") }"),
      Sample("Sources/CommuteStore/A.swift", "Swift.print(a)"),
      Sample("Sources/CommuteTestKit/A.swift", "debugPrint(a)"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", "func print(_ a: Int) {}\npage.print(a)  // print(a)"),
      Sample("Sources/CommuteTool/Output.swift", "print(a)\nprint(b)"),
      Sample("Tests/CommuteCoreTests/A.swift", "print(a)"),
    ]
  )

  /// Finds modules that must not print, and programs that print in more than one file.
  private static func misplacedPrinting(in files: [SourceFile]) -> [Finding] {
    var speakers: [String: String] = [:]
    var findings: [Finding] = []
    for file in files where file.isSource {
      let prints = file.tokens.indices.filter { isPrinting(at: $0, in: file.tokens) }
      guard let first = prints.first else { continue }
      let isProgram = file.layer.map { $0 >= .program } ?? false
      let speaker = speakers[file.module]
      if isProgram && speaker == nil && file.module != "CommuteTestKit" {
        speakers[file.module] = file.path
        continue
      }
      let message = speaker.map { "prints, but \($0) does it for this program" }
      findings.append(
        Finding(
          path: file.path, line: file.tokens[first].line,
          message: message ?? "prints; only programs do"))
    }
    return findings
  }

  static let nothingCrashes = Rule(
    "no source gives up with a crash",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "default: fatalError(\"cannot be\")"),
      Sample("Sources/CommuteTool/A.swift", "let a = try! b()"),
      Sample("Sources/CommuteStore/A.swift", "let a = b as! Int"),
      Sample("Sources/CommuteStore/A.swift", "let a = b!.c"),
      Sample("Sources/CommuteStore/A.swift", "let a = b(1)!"),
      Sample("Sources/CommuteStore/A.swift", "let a = \"\\(b[1]!)\""),
      Sample("Sources/CommuteStore/A.swift", "var a: Int!"),
      Sample("Sources/CommuteStore/A.swift", "let a = b.unsafelyUnwrapped"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", "if a != b && !c { d(!e, f!=g) }  // fatalError"),
      Sample("Sources/CommuteCore/A.swift", "let a = \"Hurry! b()!\""),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = try! b()"),
    ]
  ) { file in
    guard file.isSource else { return [] }
    let tokens = file.tokens
    return tokens.indices.compactMap { index in
      let token = tokens[index]
      if token.is("fatalError") || token.is("unsafelyUnwrapped") {
        return (token.line, "\(token.text): throw, or return what is true")
      }
      guard token.is("!"), token.isGlued, index > 0 else { return nil }
      let before = tokens[index - 1]
      let isOperand = before.kind == .word || [")", "]", "}", ">", "?"].contains(before.text)
      let isComparison = index + 1 < tokens.count && tokens[index + 1].is("=")
      guard isOperand, before.kind != .text, !isComparison || !tokens[index + 1].isGlued else {
        return nil
      }
      return (token.line, "\(before.text)! crashes: unwrap it with a rule or an error")
    }
  }

  static let noUncheckedSharing = Rule(
    "unchecked sharing is not for layers 0 and 2, and proved by a comment elsewhere",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "// Why.\nstruct A: @unchecked Sendable {}"),
      Sample("Sources/CommuteStore/A.swift", "// Why.\nnonisolated(unsafe) var a = 1"),
      Sample("Sources/CommuteSQLite/A.swift", "import B\n\nclass A: @unchecked Sendable {}"),
      Sample("Sources/CommuteHTTP/A.swift", "/// A line.\nclass A: @unchecked Sendable {}"),
      Sample("Sources/CommuteCore/A.swift", "#if PLANTED\nnonisolated(unsafe) var a = 1\n#endif"),
    ],
    innocents: [
      Sample(
        "Sources/CommuteSQLite/A.swift",
        "/// A line.\n// One thread only: the queue above.\nclass A: @unchecked Sendable {}"),
      Sample("Sources/CommuteHTTP/A.swift", "nonisolated(unsafe) let a = b  // Written once."),
      Sample(
        "Sources/CommuteHTTP/A.swift",
        "/// A line.\n///\n/// Lives on one thread.\npublic class A: @unchecked Sendable {}"),
      Sample("Sources/CommuteCore/A.swift", "struct A: Sendable {}  // not @unchecked Sendable"),
      Sample(
        "Sources/CommuteCore/A.swift",
        "#if PLANTED\n  // Set before the threads start.\n  nonisolated(unsafe) var a = 1\n#endif"),
    ]
  ) { file in
    guard let layer = file.layer else { return [] }
    let tokens = file.tokens
    let planted = plantedLines(of: file)
    return tokens.indices.dropFirst().compactMap { index in
      let isUnchecked = tokens[index].is("unchecked") && tokens[index - 1].is("@")
      let isUnsafe =
        tokens[index].is("unsafe") && index > 1 && tokens[index - 1].is("(")
        && tokens[index - 2].is("nonisolated")
      guard isUnchecked || isUnsafe else { return nil }
      let line = tokens[index].line
      if (layer == .values || layer == .product) && !planted.contains(line) {
        return (line, "unchecked sharing in \(file.module)")
      }
      if isSharingExplained(at: line, in: file) { return nil }
      return (line, "say in a comment above why this sharing is safe")
    }
  }

  /// Whether a comment stands right there; documentation counts where it speaks of threads.
  private static func isSharingExplained(at line: Int, in file: SourceFile) -> Bool {
    let subjects = ["thread", "lock", "Sendable", "mutex", "queue"]
    var above = line
    for comment in file.comments.reversed() {
      guard comment.line == above || comment.line == above - 1 else { continue }
      above = comment.line
      if !comment.isDocumentation || subjects.contains(where: comment.text.contains) { return true }
    }
    return false
  }
}
