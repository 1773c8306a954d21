import CommuteTasks
import Foundation
import Testing

@testable import CommuteTool

/// `commute queue` and `commute demo-graph`: a real process is killed, and the queue goes on.
@Suite struct QueueCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func queue(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["queue"] + words + ["--device", bench.path("a")])
  }

  @Test func `a graph whose process is killed goes on at the right node`() async throws {
    let empty = try await queue("list")
    #expect(empty.code == 0 && empty.output == "nothing waits in the queue\n")
    let none = try await queue("graph")
    #expect(none.output == "no graph is under way; --all shows those that are over\n")
    let demo = try await bench.command(["demo-graph", "--device", bench.path("a")])
    #expect(demo.code == 0 && demo.output.hasSuffix("demo-graph: ok\n"), "\(demo)")
    // The list of the handlers, and the file by a program of its own.
    let journal = try String(contentsOfFile: "\(bench.path("a"))/demo-graph.log", encoding: .utf8)
    #expect(
      journal.split(separator: "\n").sorted() == [
        "fetch attempt 1", "process attempt 1", "process attempt 2", "upload attempt 1",
        "validate attempt 1",
      ])
    let held = try await bench.ask(
      "a/commute.db", "SELECT node, count(*) FROM demo_end GROUP BY node")
    #expect(held == "fetch|1\nprocess|1\nupload|1\nvalidate|1")
    let again = try await bench.command(["demo-graph", "--device", bench.path("a")])
    #expect(again.code == 1 && again.complaint.contains("holds a demonstration already"))
  }

  @Test func `tasks are listed, shown, explained, tried again and taken back`() async throws {
    let demo = try await bench.command(["demo-graph", "--device", bench.path("a"), "--json"])
    #expect(demo.code == 0, "\(demo)")
    let list = try await queue("list", "--all")
    #expect(list.output.contains("2     process (demo.process)    default  ✓ succeeded  2"))
    let show = try await queue("show", "2")
    #expect(show.output.contains("2 attempts, 0 of 8 failures, 1 crash, 0 interruptions"))
    #expect(!show.output.contains("7260"), "a result is shown only where it is asked for")
    let whole = try await queue("show", "2", "--payload", "--json")
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(whole.output.utf8)) as? [String: Any])
    #expect(json["result"] as? String == "7260" && json["crashes"] as? Int == 1)
    #expect((json["history"] as? [[String: Any]])?.last?["type"] as? String == "succeeded")
    let byID = try await queue("explain", try #require(json["id"] as? String))
    #expect(byID.output == "it is over: succeeded\n")
    let retry = try await queue("retry", "2")
    #expect(
      retry.code == 1 && retry.complaint.contains("nothing to try again in task 2"), "\(retry)")
    try await bench.change(
      "a/commute.db",
      "UPDATE q_task SET state = 5, finished_at = NULL, reason = 'look' WHERE id = 3")
    let parked = try await queue("explain", "3")
    #expect(parked.output == "it is parked for a person: look\n")
    #expect(try await queue("retry", "3").code == 0)
    let free = try await queue("explain", "3")
    #expect(free.output.hasPrefix("nothing stands in its way"))
    let cancel = try await queue("cancel", "3")
    #expect(cancel.output == "task 3, validate (demo.validate), is cancelled\n")
    #expect(try await queue("cancel", "3").code == 1)
    #expect(try await queue("retry", "3").code == 0)
    let run = try await queue("run", "--drain")
    #expect(
      run.code == 0 && run.output.hasPrefix("1 attempt ended: 1 succeeded, 0 failed for good"),
      "\(run)")
    let unknown = try await queue("show", "77")
    #expect(unknown.code == 1 && unknown.complaint.contains("there is no task 77"))
  }

  @Test func `a graph is shown as text and as a picture`() async throws {
    let demo = try await bench.command(["demo-graph", "--device", bench.path("a")])
    #expect(demo.code == 0, "\(demo)")
    let text = try await queue("graph", "demo")
    let lines = text.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "demo: succeeded, 4 of 4 nodes over")
    #expect(lines.last?.contains("after process, validate") == true)
    let file = bench.path("graph.svg")
    let drawn = try await queue("graph", "1", "--svg", file)
    #expect(drawn.code == 0, "\(drawn)")
    let svg = try String(contentsOfFile: file, encoding: .utf8)
    let piped = try await queue("graph", "1", "--svg", "-")
    #expect(piped.output == svg)
    #expect(svg.hasPrefix("<svg") && svg.components(separatedBy: "<text").count == 9)
    #expect(svg.components(separatedBy: "marker-end").count == 5)
    let unnamed = try await queue("graph", "--svg", file)
    #expect(unnamed.code == 2, "\(unnamed)")
  }

  @Test func `what is drawn cannot leave its picture`() {
    let graph = GraphSummary(
      number: 1, id: .init(high: 1, low: 2), name: "<&\">\u{1}", state: .open, total: 1, open: 1,
      bad: 0, created: 0)
    let drawing = GraphDrawing(graph: graph, nodes: [])
    #expect(drawing.svg.contains("<title>&lt;&amp;&quot;&gt;"))
    #expect(!drawing.svg.contains("\u{1}"))
  }
}
