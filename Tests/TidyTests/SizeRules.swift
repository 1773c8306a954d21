extension Rule {
  private static let fileLines = (sources: 400, tests: 600)
  private static let functionLines = 70
  private static let lineWidth = 100

  private static func lines(_ count: Int, of line: String = "let a = 1") -> String {
    String(repeating: line + "\n", count: count)
  }

  static let filesAreShort = Rule(
    "a file has at most \(fileLines.sources) lines, a test file \(fileLines.tests)",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", lines(401)),
      Sample("Tests/CommuteCoreTests/A.swift", lines(601)),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", lines(400)),
      Sample("Tests/CommuteCoreTests/A.swift", lines(600)),
    ]
  ) { file in
    let limit = file.isTest ? fileLines.tests : fileLines.sources
    guard file.lines.count > limit else { return [] }
    return [(limit + 1, "\(file.lines.count) lines; at most \(limit), better half of it")]
  }

  static let functionsAreShort = Rule(
    "a function has at most \(functionLines) lines",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "func a() {\n\(lines(69))}"),
      Sample("Tests/CommuteCoreTests/A.swift", "  init(\n    a: Int = 1\n  ) {\n\(lines(67))  }"),
      Sample("Sources/CommuteCore/A.swift", "var a: Int {\n\(lines(69))}"),
      Sample(
        "Sources/CommuteCore/A.swift",
        "func a() throws(E) -> [Int] {\n  if \"}\" == b { c() }\n\(lines(68))}"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", "func a() {\n\(lines(68))}"),
      Sample("Sources/CommuteCore/A.swift", "protocol P {\n  func a()\n}\nenum E {\n\(lines(90))}"),
      Sample("Sources/CommuteCore/A.swift", "var a = 1\nenum E {\n\(lines(90))}"),
      Sample("Sources/CommuteCore/A.swift", "// func a() {\nenum E {\n\(lines(90))}"),
    ]
  ) { file in
    file.functions.filter { $0.lineCount > functionLines }.map {
      ($0.line, "a function of \($0.lineCount) lines; at most \(functionLines)")
    }
  }

  /// The formatter wraps code but leaves long comments alone.
  static let linesFitThePage = Rule(
    "a line has at most \(lineWidth) characters",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "// " + String(repeating: "a", count: 98)),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = 1\n" + String(repeating: "é", count: 101)),
    ],
    innocents: [
      Sample("Sources/CommuteCore/A.swift", String(repeating: "é", count: 100))
    ]
  ) { file in
    file.lines.indices.compactMap { index in
      let line = file.lines[index]
      guard line.utf8.count > lineWidth, line.count > lineWidth else { return nil }
      return (index + 1, "\(line.count) characters; at most \(lineWidth)")
    }
  }
}
