import CommuteTestKit
import Foundation
import Testing

@testable import CrashRunner

/// Runs the runner as a program, with few kills.
@Suite(.serialized) struct RunnerTests {
  @Test func `an honest run kills in every phase and finds nothing`() throws {
    let run = try Run(["--kills", "4", "--seed", "3"])
    #expect(run.ending == .exit(0), "\(run.lines)")
    #expect(run.lines.last?.hasSuffix("phases 2/2/2/2, 0 lost, 0 corrupt") == true)
  }

  @Test(arguments: Plant.allCases)
  func `a planted lie is found`(lie: Plant) throws {
    // Where exactly a kill strikes is the machine's doing; a few seeds meet every lie.
    for seed in 1...8 {
      let run = try Run(
        ["--kills", "4", "--seed", "\(seed)", "--plant", lie.rawValue], joinsErrors: true)
      #expect(run.lines.last?.hasPrefix("crash: ") == true)
      if run.ending == .exit(0) { continue }
      #expect(run.ending == .exit(1))
      #expect(run.lines.last?.hasSuffix(" 0 lost, 0 corrupt") == false, "\(run.lines)")
      return
    }
    Issue.record("eight runs did not find the lie \(lie.rawValue)")
  }

  @Test func `the report can be one JSON object`() throws {
    let run = try Run(["--kills", "1", "--json"])
    let bytes = Data((run.lines.first ?? "").utf8)
    let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(report["lost"] as? Int == 0)
    #expect(report["ok"] as? Bool == true)
    #expect(run.lines.count == 1)
  }

  @Test func `what cannot be understood is said in one line`() throws {
    let run = try Run(["--plant", "nonsense"], joinsErrors: true)
    #expect(run.ending == .exit(64))
    #expect(run.lines == ["crash: no such lie: nonsense; --help lists them"])
  }

  @Test func `a few thousand books are synced within the limit of memory`() throws {
    let run = try Run(["--memory", "2000"])
    #expect(run.ending == .exit(0), "\(run.lines)")
    #expect(run.lines.last?.hasPrefix("memory: 2000 books") == true)
  }
}

/// One run of the program, waited for.
private struct Run {
  var lines: [String] = []
  var ending: ChildProcess.Ending

  init(_ arguments: [String], joinsErrors: Bool = false) throws {
    let process = try ChildProcess(
      "runner", program: Self.program, arguments: arguments, joinsErrors: joinsErrors)
    let watch = Watch(.seconds(120))
    while process.isOpen, !watch.isOver {
      for (_, more) in watch.next([process]) { lines += more }
    }
    if process.isOpen { process.kill() }
    ending = process.reap()
  }

  /// The program lies beside the tests.
  private static var program: String {
    let link = "/proc/self/exe"
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    let tests = URL(filePath: own ?? CommandLine.arguments[0])
    return tests.deletingLastPathComponent().appending(path: "CrashRunner").path
  }
}
