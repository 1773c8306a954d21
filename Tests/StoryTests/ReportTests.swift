import Testing

@testable import StoryRunner

@Suite struct ReportTests {
  private let kept = Telling(held: [.server: [Book("Emma")]], losses: [])

  private func lost(_ kind: Loss.Kind) -> Telling {
    Telling(held: [:], losses: [Loss(kind: kind, place: .server, words: "“Emma” is lost")])
  }

  private func outcome(_ index: Int, naive: Telling, ours: Telling) -> Outcome {
    Outcome(story: Story.all[index], naive: naive, ours: ours)
  }

  @Test func `a run in which only the naive design loses ends with 0`() {
    let report = Report(outcomes: [outcome(0, naive: lost(.missing), ours: kept)])
    #expect(report.code == 0)
    #expect(report.summary == "stories: 1 told, 1 lost by the naive design, 0 by ours")
  }

  @Test func `a run in which ours loses ends with 1 and names the story`() {
    let outcomes = [outcome(1, naive: lost(.back), ours: lost(.back))]
    let report = Report(outcomes: outcomes, without: .tombstone)
    #expect(report.code == 1)
    #expect(report.complaints == [])
    #expect(
      report.summary == "stories: 1 told, 1 lost by the naive design, 1 by ours without its"
        + " tombstone: A deletes while B still has it")
  }

  @Test func `a naive design that loses nothing, or something else, is found out`() {
    let nothing = Report(outcomes: [outcome(0, naive: kept, ours: kept)])
    let other = Report(outcomes: [outcome(0, naive: lost(.tick), ours: kept)])
    #expect(nothing.code == 2)
    #expect(other.code == 2)
    #expect(other.complaints.count == 1)
  }

  @Test func `a defence that nobody misses is found out`() {
    let report = Report(
      outcomes: [outcome(2, naive: lost(.tick), ours: kept)], without: .merge)
    #expect(report.code == 2)
    #expect(report.complaints == ["story 3 is not lost without the merge"])
  }

  @Test func `the table has all values, and losses in red for a terminal`() {
    let table = StoryTable([outcome(0, naive: lost(.missing), ours: kept)])
    let plain = table.lines(inColour: false)
    #expect(plain.contains { $0.contains("server  Emma") })
    #expect(plain.contains { $0.contains("✗ “Emma” is lost (server)") })
    #expect(Set(plain.map(\.count)).count == 1)
    #expect(table.lines(inColour: true).contains { $0.contains("\u{1B}[31m") })
  }

  @Test func `long cells are broken between words`() {
    #expect(
      StoryTable.wrapped("A  one two three", indent: "   ", limit: 10) == [
        "A  one two", "   three",
      ])
    #expect(StoryTable.wrapped("  one two", indent: "  ", limit: 5) == ["  one", "  two"])
  }

  @Test func `the command line is read, and refused by name`() throws {
    #expect(try Options(["--break", "merge", "--json"]).without == .merge)
    #expect(throws: StoryError.self) { try Options(["--break", "tea"]) }
    #expect(throws: StoryError.self) { try Options(["--break"]) }
    #expect(throws: StoryError.self) { try Options(["--tea"]) }
  }

  @Test func `the port is read from the server's line`() {
    #expect(ServerProcess.port(in: "listening on http://127.0.0.1:8787\n") == 8_787)
    #expect(ServerProcess.port(in: "listening on http://127.0.0.1:87") == nil)
    #expect(ServerProcess.port(in: "another line\n") == nil)
  }
}
