import Testing

@testable import SQLiteSimulator

/// What the program reads and says; other tools read its last lines.
@Suite struct ProgramTests {
  @Test func `the command line is read`() throws {
    let options = try Options(["--histories", "12", "--seed", "3", "--jobs", "4", "--json"])
    #expect(options.histories == 12)
    #expect(options.seed == 3)
    #expect(options.jobs == 4)
    #expect(options.isJSON)
    #expect(try Options(["--hunt", "--share", "2"]).share == 2)
    #expect(try Options(["--replay", "9"]).mode == .replay(seed: 9))
  }

  @Test(arguments: [["--histories"], ["--seed", "x"], ["--jobs", "-1"], ["--nonsense"]])
  func `a wrong command line is refused in words`(arguments: [String]) {
    #expect {
      _ = try Options(arguments)
    } throws: { error in
      (error as? Options.Refusal)?.message.contains(arguments[0]) ?? false
    }
  }

  private func row(_ breach: Breach? = nil) -> Row {
    var report = Report()
    report.writes = 7
    report.checks = 3
    report.faults[FaultKind.power.rawValue] = 2
    return Row(History.Outcome(seed: 5, report: report, breach: breach))
  }

  @Test func `a row is read as it was written`() {
    let good = row()
    #expect(Row(line: good.line) == good)
    let bad = row(Breach(promise: .notDurable, text: "1 holds\twhat\nnever was"))
    #expect(Row(line: bad.line)?.breach?.promise == .notDurable)
    #expect(Row(line: bad.line)?.breach?.text == "1 holds what never was")
    #expect(Row(line: "hunting") == nil)
  }

  @Test func `a row of the hunt is read as it was written`() {
    let quarry = Summary.Quarry(name: "inboxApart", promise: .lost, history: 4, text: "gone")
    #expect(Summary.Quarry(line: quarry.line) == quarry)
    let survivor = Summary.Quarry(name: "x", promise: nil, history: 9, text: "")
    #expect(Summary.Quarry(line: survivor.line) == survivor)
  }

  @Test func `what was dealt out in turn comes back in its order`() {
    #expect(Team.inTurn([[1, 4, 7], [2, 5, 8], [3, 6]]) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(Team.inTurn([[Int](), []]) == [])
  }

  @Test func `the first findings are those of the lowest seeds`() {
    var summary = Summary()
    for seed: UInt64 in [12, 3, 11, 1, 2, 9, 8, 7, 6, 5, 4, 10] {
      summary.add(finding: Row(lost: seed, text: ""))
    }
    #expect(summary.violations == 12)
    #expect(summary.findings.map(\.seed) == Array(1...10))
  }

  @Test func `the last line has the form that others read`() {
    var summary = Summary()
    summary.add(row())
    summary.add(row(Breach(promise: .lost, text: "")))
    summary.seconds = 0.5
    #expect(
      summary.lines.last
        == "simulate-sqlite: 2 histories, 14 writes, 4 faults (error 0 fullDisk 0 kill 0 power 4"
        + " torn 0 loss 0 duplication 0 reordering 0 trouble 0 clockJump 0 putBackFile 0"
        + " putBackMachine 0 putBackServer 0 absence 0), 1 violations, 6 integrity checks,"
        + " 4.0 histories/s")
    #expect(!summary.isGood)
  }

  @Test func `a long run that never met a kind of fault is not good`() {
    var summary = Summary()
    summary.histories = Summary.telling
    #expect(summary.neverMet.count == FaultKind.allCases.count)
    for index in summary.faults.indices { summary.faults[index] = 1 }
    #expect(summary.isGood)
    summary.hunted = [Summary.Quarry(name: "x", promise: nil, history: 1, text: "")]
    #expect(!summary.isGood)
  }
}
