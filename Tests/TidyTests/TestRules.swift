extension Rule {
  static let testsDoNotSleep = Rule(
    "no test sleeps",
    offenders: [
      Sample("Tests/CommuteSyncTests/A.swift", "sleep(1)"),
      Sample("Tests/CommuteSyncTests/A.swift", "try await Task.sleep(for: .seconds(1))"),
      Sample("Tests/CommuteSyncTests/A.swift", "usleep(100)"),
      Sample("Tests/CommuteSyncTests/A.swift", "Thread.sleep(forTimeInterval: 1)"),
      Sample("Tests/CommuteSyncTests/A.swift", "try await ContinuousClock().sleep(for: a)"),
      Sample("Tests/CommuteSyncTests/A.swift", "Glibc.nanosleep(&a, nil)"),
    ],
    innocents: [
      Sample("Tests/CommuteSyncTests/A.swift", "await virtual.sleep(for: a)  // sleep(1)"),
      Sample("Tests/CommuteSyncTests/A.swift", "@Test func `no one can sleep(1) here`() {}"),
      Sample("Sources/CommuteSync/A.swift", "try await Task.sleep(for: a)"),
    ]
  ) { file in
    guard file.isTest else { return [] }
    let sleepers: Set<String> = ["sleep", "usleep", "nanosleep"]
    // Clocks that nobody can turn forward.
    let owners: Set<String> = [
      "Task", "Thread", "ContinuousClock", "SuspendingClock", "Glibc", "Darwin", "Foundation",
    ]
    let tokens = file.tokens
    return tokens.indices.compactMap { index in
      guard tokens[index].kind == .word, sleepers.contains(tokens[index].text),
        index + 1 < tokens.count, tokens[index + 1].is("(")
      else { return nil }
      if index > 1, tokens[index - 1].is(".") {
        let path = tokens[..<index].suffix(4).map(\.text)
        guard path.contains(where: owners.contains) else { return nil }
      }
      return (tokens[index].line, "wait for what happens, or turn a virtual clock forward")
    }
  }

  static let testsDoNotRollDice = Rule(
    "no test depends on the wall clock or on chance",
    offenders: [
      Sample("Tests/CommuteCoreTests/A.swift", "let a = Date()"),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = Date.now"),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = Int.random(in: 0..<9)"),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = b.shuffled()"),
      Sample("Tests/CommuteCoreTests/A.swift", "var a = SystemRandomNumberGenerator()"),
    ],
    innocents: [
      Sample("Tests/CommuteCoreTests/A.swift", "let a = Int.random(in: 0..<9, using: &seeded)"),
      Sample("Tests/CommuteCoreTests/A.swift", "let a = Date(timeIntervalSince1970: 1)"),
    ]
  ) { file in
    guard file.isTest else { return [] }
    let tokens = file.tokens
    return tokens.indices.compactMap { index in
      let next = tokens[index...].dropFirst().prefix(2).map(\.text)
      let isChance =
        switch tokens[index].text {
        case "Date": next == ["(", ")"] || next == [".", "now"]
        case "random", "shuffled", "shuffle", "randomElement":
          next.first == "(" && !arguments(after: index, in: tokens).contains("using")
        case "SystemRandomNumberGenerator": true
        default: false
        }
      guard isChance, tokens[index].kind == .word else { return nil }
      return (tokens[index].line, "\(tokens[index].text): take a fixed time or a seeded generator")
    }
  }

  /// The words between the parentheses of a call.
  private static func arguments(after index: Int, in tokens: [SwiftLexer.Token]) -> [String] {
    var depth = 0
    var words: [String] = []
    for token in tokens[index...].dropFirst() {
      if token.is("(") { depth += 1 }
      if token.is(")") { depth -= 1 }
      if depth == 0 { break }
      words.append(token.text)
    }
    return words
  }
}
