extension Rule {
  private static let emptyWords = ["Manager", "Helper", "Helpers", "Impl", "Utils", "Utilities"]

  static let namesSayWhatIsThere = Rule(
    "folders, files and types have names that say what is there",
    offenders: [
      Sample("Sources/CommuteCore/sorting.swift", ""),
      Sample("Sources/CommuteCore/Utils/A.swift", ""),
      Sample("Sources/CommuteCore/Two Words/A.swift", ""),
      Sample("Tests/CommuteCoreTests/ClockHelpers.swift", ""),
      Sample("Sources/CommuteCore/A.swift", "struct OutboxManager {}"),
    ],
    innocents: [
      Sample("Sources/CommuteTool/main.swift", ""),
      Sample("Sources/CommuteCore/Clock/HybridClock+Ticking.swift", "struct Implication {}"),
    ]
  ) { file in namingProblems(of: file) }

  private static func namingProblems(of file: SourceFile) -> [(line: Int, message: String)] {
    var problems: [(line: Int, message: String)] = []
    if file.path.contains(" ") { problems.append((1, "a path without spaces, please")) }
    if file.name.first?.isUppercase != true && file.name != "main" {
      problems.append((1, "a file is named for its type; only main.swift is in lower case"))
    }
    let folders = file.pathComponents.dropLast().map(String.init)
    for name in folders + [file.name] + file.declaredTypes {
      for word in emptyWords where name.hasSuffix(word) {
        problems.append((1, "\(name): \(word) says nothing; what is it?"))
      }
    }
    return problems
  }

  static let filesAreNamedForTheirType = Rule(
    "a source file is named for the type that it declares or extends",
    offenders: [
      Sample("Sources/CommuteCore/Clock.swift", "struct HybridClock {}"),
      Sample("Sources/CommuteCore/Clock+Ticking.swift", "extension HybridClock {}"),
    ],
    innocents: [
      Sample("Sources/CommuteCore/Clock.swift", "enum Tick {}\npublic struct Clock {}"),
      Sample("Sources/CommuteCore/Cursor.swift", "extension Feed.Cursor {}"),
      Sample("Sources/CommuteCore/Clock+Ticking.swift", "extension Clock {}"),
      Sample("Sources/CommuteTool/main.swift", "run()"),
      Sample("Tests/CommuteCoreTests/Clock.swift", "struct HybridClock {}"),
    ]
  ) { file in
    guard file.isSource, file.name != "main" else { return [] }
    let type = String(file.name.prefix { $0 != "+" })
    return file.declaredTypes.contains(type) ? [] : [(1, "no type here is called \(type)")]
  }
}
