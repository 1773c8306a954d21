import CommuteTestKit
import Testing

@testable import CrashRunner

@Suite struct KillPlanTests {
  private func plan(_ count: Int, seed: UInt64 = 1) -> KillPlan {
    var generator = SeededGenerator(seed: seed)
    return KillPlan(count: count, using: &generator)
  }

  private func count(_ plan: KillPlan, _ phase: Phase, ofServer: Bool) -> Int {
    plan.kills.count { kill in
      guard kill.phase == phase else { return false }
      if case .server = kill.victim { return ofServer }
      return !ofServer
    }
  }

  @Test(arguments: [1, 4, 40, 200, 1_000])
  func `every phase is met by devices and server`(kills: Int) {
    let plan = plan(kills)
    for phase in Phase.named {
      #expect(count(plan, phase, ofServer: true) >= KillPlan.minimum(kills))
      #expect(count(plan, phase, ofServer: false) >= KillPlan.minimum(kills))
    }
    #expect(plan.kills.count >= 2 * kills)
  }

  @Test func `two hundred kills meet each phase twenty times, and random times, too`() {
    #expect(KillPlan.minimum(200) == 20)
    #expect(count(plan(200), .random, ofServer: true) >= 40)
    #expect(count(plan(200), .random, ofServer: false) >= 40)
  }

  @Test func `one seed, one plan`() {
    func points(_ seed: UInt64) -> [String] {
      plan(40, seed: seed).kills.map { "\($0.victim) \($0.charge?.point ?? "") \($0.delay)" }
    }
    #expect(points(7) == points(7))
    #expect(points(7) != points(8))
  }

  @Test func `a value survives being written and read`() {
    let value = SheetValue(slot: 2, sequence: 1_234_567, part: 1)
    #expect(value.text == "c-1234567-1")
    #expect(SheetValue(value.text) == value)
    #expect(SheetValue("d-0000001-0") == nil)
    #expect(SheetValue("a-0000001-0 ") == nil)
  }
}
