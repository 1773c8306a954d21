import Testing

@testable import TasksSoak

/// The judge of the soak on ledgers that were forged.
@Suite struct SoakLedgerTests {
  /// Two tasks and a poisonous one, all as they should be.
  private let clean = SoakLedger(
    told: [1, 2, 3], committed: [1, 2, 3], poison: [3],
    entries: [
      1: [.init(state: 10, key: "a", attempts: 1)], 2: [.init(state: 10, key: "b", attempts: 2)],
      3: [.init(state: 11, key: "c", attempts: 3)],
    ],
    effects: [1: ["a"], 2: ["b"]], calls: [1: ["a": 1], 2: ["b": 2], 3: ["c": 1]])

  private func forged(_ change: (inout SoakLedger) -> Void) -> SoakLedger.Verdict {
    var ledger = clean
    change(&ledger)
    return ledger.verdict()
  }

  private func isFound(_ change: (inout SoakLedger) -> Void) -> Bool {
    !forged(change).faults.isEmpty
  }

  @Test func `what is as it should be is clean`() {
    #expect(clean.verdict() == SoakLedger.Verdict())
    // What was committed and never told of counts, too.
    #expect(forged { $0.told = [] } == SoakLedger.Verdict())
  }

  @Test func `what was lost is found`() {
    #expect(forged { $0.committed = [1, 3] }.lost == 1)
    #expect(forged { $0.entries[1] = nil }.lost == 1)
    #expect(forged { $0.effects[2] = nil }.lost == 1)
    #expect(forged { $0.entries[1]?[0].state = 2 }.lost == 1)
    #expect(forged { $0.calls[1] = nil }.lost == 1)
    #expect(forged { $0.entries[1]?.append(.init(state: 10, key: "d", attempts: 1)) }.lost == 1)
  }

  @Test func `what was doubled is found`() {
    #expect(forged { $0.effects[1] = ["a", "a"] }.doubled == 1)
    #expect(isFound { $0.calls[1] = ["a": 2] })
    #expect(isFound { $0.calls[1] = ["other": 1] })
    #expect(isFound { $0.effects[1] = ["other"] })
    #expect(isFound { $0.effects[4] = ["d"] })
  }

  @Test func `who failed without a part in it is found`() {
    #expect(forged { $0.entries[2]?[0].state = 11 }.innocent == 1)
    #expect(isFound { $0.entries[3]?[0].state = 10 })
    #expect(isFound { $0.entries[3]?[0].attempts = 2 })
    #expect(isFound { $0.effects[3] = ["c"] })
  }

  @Test func `a report that is not clean says how to see it again`() {
    let plan = SoakPlan()
    let report = SoakReport(
      plan: plan, tasks: 3, kills: 2, stops: 1, steps: 1, repeated: 1, crashes: 3, seconds: 1,
      verdict: forged { $0.effects[1] = ["a", "a"] })
    #expect(!report.isClean)
    #expect(report.lines.contains("the same choices again: --seed 1"))
    #expect(
      report.lines.last == "soak: 3 tasks, 100 graphs, 2 kills, 0 lost, 1 doubled, 0 innocent")
  }
}
