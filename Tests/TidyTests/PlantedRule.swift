extension Rule {
  static let nothingPlantedIsShipped = Rule(
    "shipped modules speak of planted bugs only inside #if PLANTED",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "if Planted.isOn { a() }"),
      Sample("Sources/CommuteCore/A.swift", "#if PLANTED\n#else\n  plantedBug()\n#endif"),
      Sample("Sources/CommuteTool/A.swift", "#if !PLANTED\n  plantedBug()\n#endif"),
      Sample("Sources/CommuteStore/A.swift", "#if PLANTED\n#endif\nlet a = \"--planted\""),
      Sample("Sources/CommuteStore/A.swift", "#if PLANTED || DEBUG\n  plantedBug()\n#endif"),
    ],
    innocents: [
      Sample(
        "Sources/CommuteCore/A.swift",
        "#if PLANTED\n  if Planted.a { b() }\n#else\n  b()\n#endif"),
      Sample("Sources/CommuteCore/A.swift", "#if !PLANTED\n  b()\n#else\n  Planted.b()\n#endif"),
      Sample(
        "Sources/CommuteCore/A.swift",
        "#if PLANTED\n  #if DEBUG\n  #else\n    Planted.b()\n  #endif\n#endif"),
      Sample("Sources/CommuteSimulator/A.swift", "let a = \"--planted\""),
      Sample("Sources/CommuteCore/A.swift", "// Planted bugs live elsewhere."),
    ]
  ) { file in
    guard let layer = file.layer, layer.isShipped else { return [] }
    let planted = plantedLines(of: file)
    return file.tokens.compactMap { token in
      guard token.text.lowercased().contains("planted"), !planted.contains(token.line) else {
        return nil
      }
      return (token.line, "\(token.text) would be shipped; put it inside #if PLANTED")
    }
  }

  /// The lines that only a planted build compiles, and those of the conditions themselves.
  static func plantedLines(of file: SourceFile) -> Set<Int> {
    var conditions: [(then: Bool, otherwise: Bool, isThen: Bool)] = []
    var lines: Set<Int> = []
    for (index, line) in file.lines.enumerated() {
      let words = line.split(separator: " ")
      switch words.first {
      case "#if":
        let condition = words.dropFirst().joined(separator: " ")
        let isPlanted = condition == "PLANTED" || condition.hasPrefix("PLANTED && ")
        conditions.append((isPlanted, condition == "!PLANTED", true))
        lines.insert(index + 1)
      case "#else", "#elseif":
        if !conditions.isEmpty { conditions[conditions.count - 1].isThen = false }
        lines.insert(index + 1)
      case "#endif":
        conditions = conditions.dropLast()
      default:
        if conditions.contains(where: { $0.isThen ? $0.then : $0.otherwise }) {
          lines.insert(index + 1)
        }
      }
    }
    return lines
  }
}
