import Foundation
import Testing

@testable import CommuteTool

/// `commute doctor`: what it finds, and whether it says that somebody has to do something.
@Suite struct DoctorTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func doctor(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["doctor", "--device", bench.path("a")] + words)
  }

  /// The findings of a device by name, as programs see them.
  private func findings() async throws -> [String: [String: Any]] {
    let outcome = try await doctor("--json")
    let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let list = (value as? [String: Any])?["findings"] as? [[String: Any]] ?? []
    return Dictionary(uniqueKeysWithValues: list.map { ($0["name"] as? String ?? "", $0) })
  }

  @Test func `a device that is well needs nobody`() async throws {
    let server = try await bench.serve()
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    _ = try await bench.books("a", "add", "Dracula")
    let outcome = try await doctor()
    #expect(outcome.code == 0 && outcome.complaint.isEmpty, "\(outcome)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("✓  database") && $0.contains("no damage in 2 books") })
    #expect(lines.contains { $0.hasPrefix("✓  clock") })
    #expect(lines.contains { $0.hasPrefix("·  pending") && $0.hasSuffix("1 change waiting") })
    #expect(lines.contains { $0.hasPrefix("✓  server") && $0.hasSuffix(url) })
    #expect(lines.last == "nothing needs you")
    let found = try await findings()
    let offset = found["clock"]?["offsetMilliseconds"] as? Int
    #expect(offset.map { abs($0) < 10_000 } == true)
    #expect((found["identity"]?["replica"] as? String)?.count == 16)
    #expect((found["identity"]?["epoch"] as? String)?.count == 16)
    #expect(found["sync"]?["lastSynced"] as? String != nil)
    _ = await server.end()
  }

  @Test func `a clock that is a day off is named, with what to do`() async throws {
    _ = try await bench.books("a", "add", "Emma")
    try await bench.change("a/commute.db", "UPDATE c_meta SET clock_offset = -90000000")
    let outcome = try await doctor()
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("25 h 0 min ahead of the server's"), "\(outcome.output)")
    #expect(outcome.output.contains("→ set the clock of this machine, then sync"))
    #expect(
      outcome.complaint
        == "commute: 1 thing needs you: clock; the line marked ! says what to do\n")
  }

  @Test func `stamps of a clock that ran ahead are told, and need nobody`() async throws {
    let server = try await bench.serve()
    _ = try await bench.books("a", "add", "Emma", "--server", try await server.url(), "--sync")
    // A day, in the upper 48 bits of the packed time.
    try await bench.change("a/commute.db", "UPDATE c_meta SET clock = clock + (86400000 << 16)")
    let outcome = try await doctor()
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("·  clock"), "\(outcome.output)")
    #expect(outcome.output.contains("stamps here go on from 23 h 59 min ahead"))
    _ = await server.end()
  }

  @Test func `records that are offered again wait, too`() async throws {
    _ = try await bench.books("a", "add", "Emma")
    try await bench.change(
      "a/commute.db",
      """
      INSERT INTO c_offer(operation, tbl, id, feed, state, attempts, not_before)
      VALUES (randomblob(16), 'book', randomblob(16), 'books', x'', 0, 0)
      """)
    let outcome = try await doctor()
    #expect(
      outcome.output.contains(
        "1 change waiting; 1 record to offer again, because the server was put back"),
      "\(outcome)")
    #expect(try await findings()["pending"]?["offers"] as? Int == 1)
    let status = try await bench.books("a", "status", "--json")
    #expect(status.output.contains(#""waiting":2"#), "\(status)")
    #expect(status.output.contains(#""offers":1"#))
  }

  @Test func `a feed that was taken away is named until it is asked for again`() async throws {
    let server = try await bench.serve()
    _ = try await bench.books("a", "add", "Emma", "--server", try await server.url(), "--sync")
    _ = try await bench.books("b", "sync", "--server", try await server.url())
    try await bench.change(
      "b/commute.db",
      """
      UPDATE c_feed SET subscribed = 0, cursor = NULL, granted = NULL, revoked = 'you left';
      DELETE FROM book
      """)
    let status = try await bench.books("b", "status")
    #expect(status.output.hasPrefix("No longer granted to you: books\n"), "\(status)")
    #expect(status.output.contains("books: you left"))
    let looked = try await bench.command(["doctor", "--device", bench.path("b")])
    #expect(looked.code == 1)
    #expect(looked.output.contains("!  feeds"), "\(looked)")
    #expect(looked.output.contains("→ when you have it again: `commute books sync --subscribe`"))
    let silent = try await bench.books("b", "sync")
    #expect(silent.code == 0, "\(silent)")
    #expect(try await bench.books("b", "list").output.contains("Emma") == false)
    let asked = try await bench.books("b", "sync", "--subscribe")
    #expect(asked.output.hasPrefix("Up to date"), "\(asked)")
    #expect(try await bench.books("b", "list").output.contains("Emma"))
    _ = await server.end()
  }

  @Test func `refused changes, records kept aside and a sign-in need somebody`() async throws {
    _ = try await bench.books("a", "add", "Villette")
    let tooLarge = try FakeServer(FakeServer.answer("413 Content Too Large", "{}"))
    _ = try await bench.books("a", "sync", "--server", tooLarge.url)
    let strange = try FakeServer(FakeServer.answer("401 Unauthorized", "{}"))
    _ = try await bench.books("a", "sync", "--server", strange.url)
    try await bench.change(
      "a/commute.db",
      """
      UPDATE c_meta SET retry_failure = NULL;
      INSERT INTO c_quarantine(tbl, id, feed, reason, kept_at, state)
      VALUES ('book', zeroblob(16), 'books', 'rating is no number', 0, x'')
      """)
    let outcome = try await doctor()
    #expect(outcome.code == 1)
    #expect(outcome.complaint.contains("3 things need you: refused, kept aside, sync"))
    #expect(outcome.output.contains("1 change that the server refused"))
    #expect(outcome.output.contains("rating is no number"))
    #expect(outcome.output.contains("Sign-in needed: give a valid token"))
    let found = try await findings()
    let aside = found["kept aside"]?["records"] as? [[String: Any]]
    #expect(aside?.first?["reason"] as? String == "rating is no number")
  }

  @Test func `what is tried again by itself needs nobody`() async throws {
    _ = try await bench.books("a", "add", "Emma")
    _ = try await bench.books("a", "sync", "--server", "http://127.0.0.1:1")
    let outcome = try await doctor()
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("tried again after 20"))
    let found = try await findings()
    #expect(found["sync"]?["nextAttempt"] as? String != nil)
    #expect(found["server"]?["hasAnswered"] as? Bool == false)
  }

  @Test func `damage inside is found, and the rest is looked at all the same`() async throws {
    _ = try await bench.books("a", "add", "Emma")
    _ = try await bench.books("a", "add", "Dracula")
    // What was sent without an answer stands in an index, too.
    _ = try await bench.books("a", "sync", "--server", "http://127.0.0.1:1")
    // Rows of the table and its index part ways: nothing but a check of the whole file sees it.
    let root = try await bench.ask(
      "a/commute.db", "SELECT rootpage FROM sqlite_schema WHERE name = 'c_outbox_in_flight'")
    let page = try #require(Int(root))
    let path = URL(filePath: bench.path("a/commute.db"))
    var bytes = try Data(contentsOf: path)
    let size = 4_096
    for index in (page - 1) * size..<page * size { bytes[index] = 0 }
    bytes[(page - 1) * size] = 10
    bytes[(page - 1) * size + 5] = 16
    try bytes.write(to: path)
    let outcome = try await doctor()
    #expect(outcome.code == 1, "\(outcome)")
    #expect(outcome.output.contains("!  database"), "\(outcome.output)")
    #expect(outcome.output.contains("→ sync if that still works, then `commute doctor --repair`"))
    #expect(outcome.output.contains("identity"))
    let repaired = try await doctor("--repair")
    #expect(repaired.code == 0, "\(repaired)")
    #expect(repaired.output.contains("recovered: 2 books, 2 changes waiting"), "\(repaired)")
    let after = try await doctor("--repair")
    #expect(after.code == 0 && after.output.contains("no damage in 2 books"), "\(after)")
    let listed = try await bench.books("a", "list")
    #expect(listed.output.contains("Emma") && listed.output.contains("Dracula"))
    #expect(try await bench.ask("a/commute.db", "SELECT count(*) FROM c_outbox") == "2")
  }

  @Test func `where there is no device, none is made`() async throws {
    let outcome = try await doctor()
    #expect(outcome.code == 1 && outcome.complaint.contains("there is no device in"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
    _ = try await bench.books("a", "add", "Emma")
    try Data().write(to: URL(filePath: bench.path("a/commute.db")))
    let emptied = try await doctor()
    #expect(emptied.code == 4 && emptied.complaint.contains("is empty, so it was damaged"))
  }
}
