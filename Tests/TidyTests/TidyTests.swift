import Testing

/// Holds the house rules that the formatter cannot.
@Suite struct TidyTests {
  @Test(arguments: Rule.all) func `the tree keeps the rule`(_ rule: Rule) {
    let findings = rule.findings(Tree.sources)
    if findings.isEmpty { return }
    Issue.record("\(findings.map(\.description).joined(separator: "\n"))")
  }

  /// A check that cannot fail is no check.
  @Test(arguments: Rule.all) func `the rule finds its offenders`(_ rule: Rule) {
    #expect(!rule.offenders.isEmpty)
    for sample in rule.offenders {
      #expect(!rule.findings([sample.file]).isEmpty, "overlooked: \(sample.text.prefix(200))")
    }
  }

  @Test(arguments: Rule.all) func `the rule leaves innocents alone`(_ rule: Rule) {
    for sample in rule.innocents {
      let findings = rule.findings([sample.file])
      #expect(findings.isEmpty, "\(findings) in: \(sample.text.prefix(200))")
    }
  }

  @Test func `a program that prints in two files is found`() {
    let files = ["Output", "Other"].map {
      SourceFile(path: "Sources/CommuteTool/\($0).swift", text: "print(1)")
    }
    #expect(Rule.programsSpeakThroughOneType.findings(files).count == 1)
  }

  @Test func `the tree is really read`() {
    let modules = Set(Tree.sources.filter(\.isSource).map(\.module))
    #expect(modules.isSuperset(of: ["CommuteCore", "CommuteSQLite", "CommuteTool"]))
    #expect(Tree.sources.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
    #expect(Tree.sources.reduce(0) { $0 + $1.tokens.count } > 10_000)
  }

  @Test func `the simulator has an oracle to hold`() {
    #expect(Tree.sources.contains { $0.path.hasPrefix("Sources/CommuteSimulator/Oracle/") })
  }
}
