import Testing

@testable import CommuteTool

@Suite struct ProgramClockTests {
  @Test func `a clock is set off by a number of milliseconds within a thousand years`() {
    #expect(ProgramClock.ahead("34560000000") == 34_560_000_000)
    #expect(ProgramClock.ahead("-1") == -1)
    #expect(ProgramClock.ahead("31536000000001") == 0)
  }

  @Test(arguments: [nil, "", "soon", "1.5", "9223372036854775808"])
  func `what is no such number sets nothing off`(text: String?) {
    #expect(ProgramClock.ahead(text) == 0)
  }
}
