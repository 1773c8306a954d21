import Foundation
import Testing

@testable import CommuteTool

/// `commute server backup`, `restore` and `purge`, by the real programs.
@Suite struct ServerCareTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func care(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["server"] + words + ["--database", bench.path("server.db")])
  }

  @Test func `a backup is made while the server runs, and put back when it has ended`()
    async throws
  {
    let server = try await bench.serve()
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    let file = bench.path("monday.backup")
    let made = try await care("backup", file)
    #expect(made.code == 0, "\(made)")
    #expect(made.output.hasPrefix("\(file) holds 1 record and 0 deletions, "))
    _ = try await bench.books("a", "add", "Dracula", "--sync")
    let again = try await care("backup", file)
    #expect(again.code == 1 && again.complaint.contains("there is a file \(file) already"))
    let served = try await care("restore", file)
    #expect(served.code == 1 && served.complaint.contains("is served by another process"))
    let before = try await bench.ask("server.db", "SELECT count(*) FROM record")
    #expect(await server.end() == 0)
    let restored = try await care("restore", file, "--json")
    #expect(restored.code == 0, "\(restored)")
    let value = try JSONSerialization.jsonObject(with: Data(restored.output.utf8))
    let kept = (value as? [String: Any])?["replaced"] as? String
    #expect(FileManager.default.fileExists(atPath: kept ?? ""))
    let after = try await bench.ask("server.db", "SELECT count(*) FROM record")
    #expect(before == "2" && after == "1")
    let running = try await bench.serve()
    #expect(await running.end() == 0)
  }

  @Test func `a backup older than deletions are remembered needs a word`() async throws {
    let server = try await bench.serve()
    _ = try await bench.books(
      "a", "add", "Emma", "--server", try await server.url(), "--sync")
    #expect(await server.end() == 0)
    let file = bench.path("old.backup")
    _ = try await care("backup", file)
    try await bench.change("old.backup", "UPDATE meta SET backup = backup - 100 * 86400000")
    let refused = try await care("restore", file)
    #expect(refused.code == 1)
    #expect(refused.complaint.contains("the backup is 100 days old"), "\(refused.complaint)")
    #expect(refused.complaint.hasSuffix("say that they may: --accept-resurrection\n"))
    let longer = try await care("restore", file, "--retention", "101")
    #expect(longer.code == 0 && longer.output.contains("from a backup 100 days old"))
    let accepted = try await care("restore", file, "--accept-resurrection")
    #expect(accepted.code == 0, "\(accepted)")
    #expect(accepted.output.contains("what was there before is kept in"))
  }

  @Test func `a purge says what went and what waits`() async throws {
    let server = try await bench.serve()
    let url = try await server.url()
    for title in ["Emma", "Dracula"] { _ = try await bench.books("a", "add", title) }
    _ = try await bench.books("a", "sync", "--server", url)
    _ = try await bench.books("a", "delete", "Emma", "--sync")
    let young = try await care("purge")
    #expect(young.output == "purged 0 deletions older than 90 days\n", "\(young)")
    #expect(young.code == 0)
    #expect(await server.end() == 0)
    let json = try await care("purge", "--json", "--retention", "1")
    #expect(json.output.hasPrefix(#"{"purged":0,"waiting":0"#), "\(json.output)")
  }

  @Test func `a server purges by itself what all devices know`() async throws {
    let server = try await bench.serve()
    let url = try await server.url()
    for title in ["Emma", "Dracula"] { _ = try await bench.books("a", "add", title) }
    _ = try await bench.books("a", "sync", "--server", url)
    _ = try await bench.books("a", "delete", "Emma", "--sync")
    #expect(await server.end() == 0)
    let later = ["COMMUTE_CLOCK_AHEAD": String(100 * 86_400_000)]
    let stubs = "SELECT count(*) FROM stub"
    #expect(try await bench.ask("server.db", stubs) == "0")
    let purging = try await bench.serve(["--purge-after", "0"], later)
    _ = try await purging.line { $0 == "purged 1 old deletion" }
    #expect(try await bench.ask("server.db", stubs) == "1")
    #expect(
      try await bench.ask("server.db", "SELECT count(*), min(deleted IS NULL) FROM record")
        == "1|1")
    #expect(await purging.end() == 0)
  }

  @Test func `what is no server's database is named, and nothing is made`() async throws {
    let none = try await care("backup", bench.path("x.backup"))
    #expect(none.code == 1 && none.complaint.contains("there is no database"))
    let purge = try await care("purge")
    #expect(purge.code == 1 && purge.complaint.contains("--database FILE"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("server.db")))
    _ = try await bench.books("a", "add", "Emma")
    let other = try await care("restore", bench.path("a/commute.db"))
    #expect(other.code == 4 && other.complaint.contains("is no database of a Commute server"))
    #expect(other.complaint.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: bench.path("server.db")))
    let word = try await care("purge", "--retention", "0")
    #expect(word.code == 2)
    let file = try await care("backup")
    #expect(file.code == 2 && file.complaint.contains("FILE is missing"))
  }
}
