import Foundation
import Testing

@testable import CommuteTool

/// `commute inbox`: what the server refused waits for a person, and goes nowhere by itself.
@Suite struct InboxCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func inbox(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["inbox"] + words + ["--device", bench.path("a")])
  }

  /// A device whose books were all refused.
  private func refuse(_ titles: String...) async throws {
    let fake = try FakeServer(FakeServer.answer("413 Content Too Large", "{}"))
    for title in titles {
      _ = try await bench.books("a", "add", title)
      _ = try await bench.books("a", "sync", "--server", fake.url)
    }
  }

  @Test func `what was refused is listed by title, with what can be done`() async throws {
    let empty = try await inbox("list")
    #expect(empty.code == 0 && empty.output == "nothing waits for your decision\n")
    try await refuse("Emma", "Dracula")
    let list = try await inbox("list")
    let lines = list.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 5, "\(list.output)")
    #expect(
      lines[2].hasPrefix(
        "r1     Emma     Your new book was refused: the server takes no operation of this size"))
    #expect(lines[2].hasSuffix("retry, edit, discard"))
    #expect(lines[4].hasPrefix("2 entries"))
    let json = try await inbox("list", "--json")
    let value = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let entries = try #require(value?["entries"] as? [[String: Any]])
    #expect(entries.map { $0["entry"] as? String } == ["r1", "r2"])
    #expect(entries[1]["code"] as? String == "tooLarge")
    #expect((entries[1]["values"] as? [String: Any])?["title"] as? String == "Dracula")
  }

  @Test func `a retry sends it as a new change, and the rest stays`() async throws {
    try await refuse("Emma", "Dracula")
    let server = try await bench.serve()
    let url = try await server.url()
    let retried = try await inbox("retry", "r2", "--sync", "--server", url)
    #expect(retried.code == 0, "\(retried)")
    #expect(retried.output.hasPrefix("retried r2: Dracula\nUp to date · sent 1, received 0\n"))
    #expect(retried.output.contains("1 refused earlier; `commute inbox list` shows them"))
    let list = try await inbox("list")
    #expect(list.output.contains("r1") && !list.output.contains("r2"))
    let held = try await bench.ask(
      "server.db", "SELECT json_extract(state, '$.fields.title') FROM record")
    #expect(held == "Dracula")
    _ = await server.end()
  }

  @Test func `an edit sends another change in the place of the refused one`() async throws {
    try await refuse("Emma")
    let none = try await inbox("edit", "r1")
    #expect(none.code == 2 && none.complaint.contains("nothing to change was named"))
    let server = try await bench.serve()
    let edited = try await inbox(
      "edit", "r1", "--title", "Emma, abridged", "--rating", "4", "--sync", "--server",
      try await server.url())
    #expect(edited.output == "edited r1: Emma\nUp to date · sent 1, received 0\n", "\(edited)")
    let held = try await bench.ask("a/commute.db", "SELECT title, rating FROM book")
    #expect(held == "Emma, abridged|4")
    let list = try await inbox("list")
    #expect(list.output == "nothing waits for your decision\n")
    _ = await server.end()
  }

  @Test func `what is discarded is gone, and can be written down before`() async throws {
    try await refuse("Emma", "Dracula", "Villette")
    let file = bench.path("inbox.json")
    let written = try await inbox("export", file)
    #expect(written.output == "3 entries in \(file)\n")
    let printed = try await inbox("export")
    let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
    let refused = (kept as? [String: Any])?["refused"] as? [[String: Any]]
    #expect(refused?.map { $0["code"] as? String } == ["tooLarge", "tooLarge", "tooLarge"])
    #expect(printed.output.contains("Villette"))
    let json = try await inbox("export", "--json")
    #expect(json.output.hasPrefix("{") && json.output.contains("Villette"))
    let one = try await inbox("discard", "r1")
    #expect(one.code == 0 && one.output.hasPrefix("discarded r1: Emma\n"))
    let all = try await inbox("discard", "--all")
    #expect(all.output.hasPrefix("discarded r2: Dracula\ndiscarded r3: Villette\n"))
    let again = try await inbox("discard", "--all")
    #expect(again.code == 0 && again.output.hasPrefix("nothing waits that could be discarded"))
    let left = try await bench.ask(
      "a/commute.db", "SELECT (SELECT count(*) FROM c_inbox) + (SELECT count(*) FROM c_outbox)")
    #expect(left == "0")
  }

  @Test func `what was refused with a new book goes with it`() async throws {
    // Under way when it is ticked: the tick is a change of its own behind it.
    _ = try await bench.books("a", "add", "Emma")
    _ = try await bench.books("a", "sync", "--server", "http://127.0.0.1:1")
    _ = try await bench.books("a", "tick", "Emma")
    let fake = try FakeServer(FakeServer.answer("413 Content Too Large", "{}"))
    _ = try await bench.books("a", "sync", "--server", fake.url)
    let list = try await inbox("list")
    #expect(
      list.output.contains("waits for r1, the new book that was refused"), "\(list.output)")
    let behind = try await inbox("retry", "r2")
    #expect(behind.code == 1)
    #expect(behind.complaint == "commute: r2 cannot be retried; you can: discard\n")
    let server = try await bench.serve()
    let all = try await inbox("retry", "--all", "--sync", "--server", try await server.url())
    #expect(all.output.hasPrefix("retried r1: Emma\nUp to date"), "\(all)")
    let held = try await bench.ask(
      "a/commute.db", "SELECT title, read FROM book; SELECT count(*) FROM c_inbox")
    #expect(held == "Emma|1\n0")
    _ = await server.end()
  }

  @Test func `an entry that is not there is named, and nothing is done`() async throws {
    try await refuse("Emma")
    let unknown = try await inbox("discard", "r1", "r9")
    #expect(unknown.code == 1)
    #expect(
      unknown.complaint == "commute: there is no entry r9; `commute inbox list` shows all\n")
    let kept = try await bench.ask("a/commute.db", "SELECT count(*) FROM c_inbox")
    #expect(kept == "1")
    let none = try await inbox("retry")
    #expect(none.code == 2 && none.complaint.contains("or give --all"))
    let both = try await inbox("retry", "r1", "--all")
    #expect(both.code == 2)
  }

  /// A device whose note lost to one that Kitchen tablet wrote later without having seen it.
  private func loseNote(to url: String) async throws {
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    _ = try await bench.books("b", "sync", "--server", url, "--name", "Kitchen tablet")
    _ = try await bench.books("a", "note", "Emma", "Badly done.")
    _ = try await bench.books("b", "note", "Emma", "Loved it.")
    _ = try await bench.books("a", "sync")
    _ = try await bench.books("b", "sync")
    let told = try await bench.books("a", "sync")
    #expect(told.code == 0, "\(told)")
    #expect(told.output.contains("1 value of yours lost to others; `commute inbox list`"))
    let held = try await bench.ask("a/commute.db", "SELECT notes FROM book")
    #expect(held == "Loved it.")
  }

  @Test func `a note that lost is shown with who won, and one step brings it back`() async throws {
    let server = try await bench.serve()
    try await loseNote(to: try await server.url())
    let list = try await inbox("list")
    #expect(
      list.output.contains("Your note lost to a newer one from Kitchen tablet"), "\(list.output)")
    #expect(list.output.contains("“Badly done.”"))
    let json = try await inbox("list", "--json")
    #expect(json.output.contains(#""kept":"Loved it.""#))
    let wrong = try await inbox("retry", "c1")
    #expect(wrong.code == 1)
    #expect(
      wrong.complaint == "commute: c1 cannot be retried; you can: restore, discard\n")
    let restored = try await inbox("restore", "c1", "--sync")
    #expect(restored.output.hasPrefix("restored c1: Emma\nUp to date · sent"), "\(restored)")
    _ = try await bench.books("b", "sync")
    let there = try await bench.ask("b/commute.db", "SELECT notes FROM book")
    #expect(there == "Badly done.")
    let after = try await inbox("list")
    #expect(after.output == "nothing waits for your decision\n")
    // Kitchen tablet's note was seen before it was replaced: it did not lose.
    let other = try await bench.command(["inbox", "list", "--device", bench.path("b")])
    #expect(other.output == "nothing waits for your decision\n")
    _ = await server.end()
  }

  @Test func `a lost value that is discarded is gone, and doctor has nothing to say`()
    async throws
  {
    let server = try await bench.serve()
    try await loseNote(to: try await server.url())
    let sick = try await bench.command(["doctor", "--device", bench.path("a")])
    #expect(sick.code == 1 && sick.output.contains("1 value of yours lost to others"))
    let done = try await inbox("discard", "--all", "--sync")
    #expect(done.output.hasPrefix("discarded c1: Emma\n"), "\(done)")
    let well = try await bench.command(["doctor", "--device", bench.path("a")])
    #expect(well.code == 0, "\(well)")
    let held = try await bench.ask("a/commute.db", "SELECT notes FROM book")
    #expect(held == "Loved it.")
    _ = await server.end()
  }
}
