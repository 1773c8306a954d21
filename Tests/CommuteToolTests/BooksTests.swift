import Foundation
import Testing

@testable import CommuteTool

/// The reading list on the command line, by the real program.
@Suite struct BooksTests {
  @Test func `what is done here is said, with what waits`() async throws {
    let bench = try Workbench()
    let added = try await bench.books("a", "add", "Emma", "--author", "Jane Austen")
    #expect(added.output == "added Emma by Jane Austen\nNot sent yet · 1 change waiting\n")
    #expect(added.code == 0 && added.complaint.isEmpty)
    let ticked = try await bench.books("a", "tick", "emma")
    #expect(ticked.output == "ticked Emma\nNot sent yet · 1 change waiting\n")
    let rated = try await bench.books("a", "rate", "Emma", "4")
    #expect(rated.output.hasPrefix("rated Emma ★★★★☆\n"))
    let noted = try await bench.books("a", "note", "Emma", "Badly done.")
    #expect(noted.output.hasPrefix("wrote a note on Emma\n"))
    _ = try await bench.books("a", "note", "Emma", "Twice.", "--append")
    let tagged = try await bench.books("a", "tag", "Emma", "classics", "england")
    #expect(tagged.output.hasPrefix("tags of Emma: classics, england\n"))
    let held = try await bench.ask(
      "a/commute.db", "SELECT title, author, tags, read, rating, notes FROM book")
    #expect(held == #"Emma|Jane Austen|["classics","england"]|1|4|Badly done."# + "\nTwice.")
    let shown = try await bench.books("a", "show", "Emma")
    #expect(shown.output.contains("by Jane Austen") && shown.output.contains("★★★★☆"))
  }

  @Test func `undo takes back what an earlier process did`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    _ = try await bench.books("a", "delete", "Emma")
    let empty = try await bench.ask("a/commute.db", "SELECT count(*) FROM book")
    #expect(empty == "0")
    let undone = try await bench.books("a", "undo")
    #expect(undone.output.hasPrefix("undone: deleted Emma\n"))
    let back = try await bench.ask("a/commute.db", "SELECT title FROM book")
    #expect(back == "Emma")
    let list = try await bench.books("a", "undo", "--list")
    #expect(list.output.hasPrefix("added Emma\n"))
    _ = try await bench.books("a", "undo")
    let nothing = try await bench.books("a", "undo")
    #expect(nothing.code == 1)
    #expect(nothing.complaint == "commute: nothing is left to undo on this device\n")
  }

  @Test func `a name for several books shows them and does nothing`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    _ = try await bench.books("a", "add", "Emma Brown")
    _ = try await bench.books("a", "add", "Dilemma")
    let several = try await bench.books("a", "tick", "emm")
    #expect(several.code == 1)
    #expect(
      several.complaint
        == "commute: emm could be 3 books; write more of the title, or an id\n")
    #expect(several.output.contains("Dilemma") && several.output.contains("Emma Brown"))
    let none = try await bench.books("a", "tick", "Dracula")
    #expect(none.code == 1 && none.output.isEmpty)
    let ticked = try await bench.ask("a/commute.db", "SELECT count(*) FROM book WHERE read")
    #expect(ticked == "0")
    let exact = try await bench.books("a", "tick", "Emma")
    #expect(exact.output.hasPrefix("ticked Emma\n"))
  }

  @Test func `every command speaks JSON, one value a line`() async throws {
    let bench = try Workbench()
    let file = "\(Workbench.root)/Examples/data/reading-list.csv"
    let commands = [
      ["add", "Emma"], ["list"], ["search", "emma"], ["show", "Emma"], ["tick", "Emma"],
      ["untick", "Emma"], ["note", "Emma", "n"], ["rate", "Emma", "3"], ["tag", "Emma", "t"],
      ["undo"], ["status"], ["sample"], ["export"], ["delete", "Emma"], ["import", file],
    ]
    for words in commands {
      let outcome = try await ChildProcess(
        program: Workbench.program,
        arguments: ["books"] + words + ["--json", "--device", bench.path("a")],
        environment: bench.environment
      ).run()
      #expect(outcome.code == 0, "\(words): \(outcome.complaint)")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 1, "\(words)")
      let value = try? JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      #expect(value is [String: Any], "\(words): \(outcome.output.prefix(200))")
    }
    let version = try await bench.run("--version", "--json")
    #expect(version.output.hasPrefix(#"{"version":"0.1.0","protocol":1,"schema":{"name":"reading"#))
  }

  @Test func `a list goes out and comes in again on another device`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma", "--tag", "classics", "--note", "a, \"b\"")
    _ = try await bench.books("a", "add", "Dracula", "--read")
    let printed = try await bench.books("a", "export")
    _ = try await bench.books("a", "export", bench.path("list.csv"))
    #expect(try String(contentsOfFile: bench.path("list.csv"), encoding: .utf8) == printed.output)
    let taken = try await bench.books("b", "import", bench.path("list.csv"))
    #expect(taken.output.contains("2 added"))
    let query = "SELECT hex(id), title, tags, read, readAt / 86400000, notes FROM book ORDER BY id"
    let here = try await bench.ask("a/commute.db", query)
    let there = try await bench.ask("b/commute.db", query)
    #expect(here == there)
  }

  @Test func `what cannot be imported is refused in words`() async throws {
    let bench = try Workbench()
    let missing = try await bench.books("a", "import", bench.path("nowhere.csv"))
    #expect(missing.code == 1 && missing.complaint.contains("cannot be read"))
    let database = try await bench.books("a", "import", bench.path("a/commute.db"))
    #expect(database.code == 1 && database.complaint.contains("`commute books migrate`"))
    try Data([0x50, 0x4B, 0x03, 0x04]).write(to: URL(filePath: bench.path("x.ods")))
    let sheet = try await bench.books("a", "import", bench.path("x.ods"))
    #expect(sheet.code == 1 && sheet.complaint.contains("save it as CSV"))
  }

  @Test func `an unknown command touches nothing and says what was meant`() async throws {
    let bench = try Workbench()
    let outcome = try await bench.books("a", "tikc", "Emma")
    #expect(outcome.code == 2)
    #expect(outcome.complaint == "commute: books has no command tikc; did you mean tick?\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
  }

  @Test func `a list from before sync is taken over`() async throws {
    let bench = try Workbench()
    try FileManager.default.copyItem(
      atPath: "\(Workbench.root)/Tests/CommuteFeaturesTests/Fixtures/old-reading-list.sqlite",
      toPath: bench.path("old.sqlite"))
    let outcome = try await bench.books("a", "migrate", bench.path("old.sqlite"))
    #expect(
      outcome.output == "3 got an id of their own · 4 are books of the sample (1 with changes of"
        + " yours) · 0 already there\nNot sent yet · 7 changes waiting\n")
    let again = try await bench.books("a", "migrate", bench.path("old.sqlite"))
    #expect(again.output.contains("7 already there"))
  }
}
