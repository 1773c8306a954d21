extension Rule {
  static let importsPointDownwards = Rule(
    "a module imports only what lies beneath it",
    offenders: [
      Sample("Sources/CommuteCore/A.swift", "import Foundation"),
      Sample("Sources/CommuteCore/A.swift", "#if canImport(Glibc)\n  import Glibc\n#endif"),
      Sample("Sources/CommuteSQLite/A.swift", "internal import CommuteCore"),
      Sample("Sources/CommuteHTTP/A.swift", "import FoundationNetworking"),
      Sample("Sources/CommuteStore/A.swift", "public import struct CommuteSync.Driver"),
      Sample("Sources/Nameless/A.swift", "struct A {}"),
    ],
    innocents: [
      Sample("Sources/CommuteImport/A.swift", "public import CommuteCore\n// import Foundation"),
      Sample("Sources/CommuteStore/A.swift", "import struct Foundation.Date\nlet a = \"import B\""),
      Sample("Sources/Commute/A.swift", "@_exported public import CommuteCore"),
      Sample("Tests/CommuteCoreTests/A.swift", "import Foundation"),
    ]
  ) { file in
    guard file.isSource else { return [] }
    guard let module = Module.all[file.module] else {
      return [(1, "\(file.module) has no layer; give it one in Layer.swift")]
    }
    return file.imports.filter { !module.mayImport($0.module) }.map {
      ($0.line, "\(file.module) must not import \($0.module)")
    }
  }

  /// The judge must not share the reasoning of the judged.
  static let oracleKnowsNoMerge = Rule(
    "the simulator's oracle imports nothing and knows neither merge nor clock",
    offenders: [
      Sample("Sources/CommuteSimulator/Oracle/Oracle.swift", "import CommuteCore"),
      Sample("Sources/CommuteSimulator/Oracle/Oracle.swift", "let a = left.merged(with: right)"),
      Sample("Sources/CommuteSimulator/Oracle/Oracle.swift", "var clock: HybridClock"),
    ],
    innocents: [
      Sample("Sources/CommuteSimulator/Oracle/Oracle.swift", "// No merge here.\nstruct Oracle {}"),
      Sample("Sources/CommuteSimulator/Device.swift", "import CommuteCore\nvar a: HybridClock"),
    ]
  ) { file in
    guard file.path.hasPrefix("Sources/CommuteSimulator/Oracle/") else { return [] }
    let imports = file.imports.map { (line: $0.line, message: "imports \($0.module)") }
    let words = file.tokens.filter { token in
      let word = token.text.lowercased()
      return token.kind == .word && (word.contains("merge") || word.contains("hybridclock"))
    }
    return imports + words.map { ($0.line, "speaks of \($0.text)") }
  }
}
