import Testing

@testable import CommuteSimulator

/// What the program reads and says; other tools read its last lines.
@Suite struct ProgramTests {
  @Test func `the command line is read`() throws {
    let options = try Options(["--histories", "12", "--seed", "3", "--planted", "x", "--json"])
    #expect(options.histories == 12)
    #expect(options.seed == 3)
    #expect(options.planted == "x")
    #expect(options.isJSON)
    let replay = try Options(["--replay", "9", "--trace"])
    #expect(replay.mode == .replay(seed: 9))
    #expect(replay.tellsStory)
  }

  @Test(arguments: [["--histories"], ["--seed", "x"], ["--histories", "-1"], ["--nonsense"]])
  func `a wrong command line is refused in words`(arguments: [String]) {
    #expect {
      _ = try Options(arguments)
    } throws: { error in
      (error as? Options.Refusal)?.message.contains(arguments[0]) ?? false
    }
  }

  @Test func `the last lines have the form that others read`() {
    var summary = Summary()
    summary.histories = 2
    summary.total.steps = 129
    summary.total.writes = 31
    summary.total.faults[FaultClass.loss.rawValue] = 11
    summary.total.devices = 7
    summary.processorSeconds = 0.5
    summary.hunted = [
      Quarry(name: "one", invariant: 4, history: 1, writes: 2, text: "seen"),
      Quarry(name: "two", invariant: nil, history: 9, writes: 0, text: ""),
    ]
    let lines = summary.lines.suffix(2)
    #expect(
      lines.first?.hasPrefix(
        "simulate: means 64.5 steps, 15.5 writes, 5.5 faults, 3.5 devices;"
          + " fault classes: loss 11 duplication 0") == true)
    #expect(
      lines.last
        == "simulate: 2 histories, 31 writes, 11 faults, 0 violations,"
        + " 1 of 2 planted bugs killed, 4 histories/s")
    #expect(!summary.isGood)
  }

  @Test func `a run that never met a class of faults is not good`() {
    var summary = Summary()
    summary.histories = Summary.tellingFaults - 1
    #expect(summary.isGood)
    summary.histories = Summary.tellingFaults
    #expect(!summary.isGood)
    for index in summary.total.faults.indices { summary.total.faults[index] = 1 }
    #expect(summary.neverReached == ["playedTwice"])
    summary.playedTwice = 1
    #expect(summary.isGood)
    summary.total.faults[FaultClass.garbledMessage.rawValue] = 0
    #expect(!summary.isGood)
    #expect(summary.neverReached == ["garbledMessage"])
  }

  @Test func `a long run that never met a situation is not good`() {
    var summary = Summary()
    summary.playedTwice = 1
    for index in summary.total.faults.indices { summary.total.faults[index] = 1 }
    for index in summary.total.marks.indices { summary.total.marks[index] = 1 }
    summary.total.marks[Mark.olderClaim.rawValue] = 0
    summary.histories = Summary.tellingMarks - 1
    #expect(summary.isGood)
    summary.histories = Summary.tellingMarks
    #expect(summary.neverReached == ["olderClaim"])
  }

  @Test func `known limits are counted apart`() {
    var summary = Summary()
    var world = World(choices: Choices(playing: []), stage: Stage(), usesCodec: false)
    world.blame(Breach(invariant: 20, text: "", limit: .copied))
    world.blame(Breach(invariant: 12, text: "what the oracle no longer knows"))
    summary.add(world, seed: 1)
    summary.add(Violation(invariant: 20, text: ""), seed: 2)
    #expect(summary.knownLimits == [0, 1, 0])
    #expect(summary.violations == 1)
    #expect(summary.findings.map { $0.seed } == [2])
  }

  @Test func `a row of the hunt is read as it was written`() {
    let quarry = Quarry(
      name: "noDedupe", invariant: 14, history: 3, writes: 1, milliseconds: 7, text: "twice")
    let read = Quarry(row: quarry.row)
    #expect(read?.name == "noDedupe")
    #expect(read?.invariant == 14)
    #expect(read?.history == 3)
    #expect(read?.milliseconds == 7)
    #expect(read?.text == "twice")
    #expect(Quarry(row: "simulate: 3 histories") == nil)
    let survivor = Quarry(name: "x", invariant: nil, history: 9, writes: 0, text: "")
    #expect(Quarry(row: survivor.row)?.invariant == .some(nil))
  }
}
