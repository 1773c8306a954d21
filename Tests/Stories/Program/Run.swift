import CommuteStore
import Foundation

/// One run of the program.
struct Run: Sendable {
  let options: Options
  let output = Output()

  /// Tells all stories and reports.
  ///
  /// - Returns: The code to end with.
  func perform() async throws -> Int32 {
    if options.wantsHelp {
      output.say(Options.help)
      return 0
    }
    try options.without?.turnOff()
    let program = try Self.commute()
    let defence = options.without
    let teller = Teller(
      startServer: { setting in
        try await ProgramServer(program: program, setting: setting, without: defence)
      },
      start: StoreClock.system.wall, serverClock: StoreClock.system.wall)
    var outcomes: [Outcome] = []
    for story in Story.all {
      let naive = try await teller.tell(story, by: .naive)
      let ours = try await teller.tell(story, by: .ours)
      outcomes.append(Outcome(story: story, naive: naive, ours: ours))
    }
    let report = Report(outcomes: outcomes, without: options.without)
    try show(report)
    return report.code
  }

  private func show(_ report: Report) throws {
    if options.isJSON {
      output.say(try report.json())
    } else {
      let table = StoryTable(report.outcomes)
      for line in table.lines(inColour: output.isTerminal) { output.say(line) }
    }
    for complaint in report.complaints { output.complain(complaint) }
    if !options.isJSON { output.say(report.summary) }
  }

  /// The program `commute` that was built beside this one.
  private static func commute() throws -> String {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let path = URL(filePath: own).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "commute").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw StoryError("there is no program \(path); build it first: swift build --product commute")
    }
    return path
  }
}
