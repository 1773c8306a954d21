import Foundation
import Testing

@testable import CommuteTool

/// The database or the disk is not what it should be: a clear line, the code 4, and nothing lost.
@Suite struct BadFileTests {
  private func expectFailure(
    _ outcome: ChildProcess.Outcome, saying words: String,
    location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.code == 4, "\(outcome)", sourceLocation: location)
    #expect(
      outcome.complaint.contains(words), "\(outcome.complaint)", sourceLocation: location)
    #expect(outcome.complaint.split(separator: "\n").count == 1, sourceLocation: location)
  }

  @Test func `a file that is no database is refused and left as it is`() async throws {
    let bench = try Workbench()
    let file = URL(filePath: bench.path("a/commute.db"))
    try FileManager.default.createDirectory(
      atPath: bench.path("a"), withIntermediateDirectories: true)
    let content = Data(String(repeating: "these are my holiday photos ", count: 400).utf8)
    try content.write(to: file)
    for words in [["list"], ["add", "Emma"], ["sync", "--server", "http://127.0.0.1:1"]] {
      let outcome = try await ChildProcess(
        program: Workbench.program, arguments: ["books"] + words + ["--device", bench.path("a")],
        environment: bench.environment
      ).run()
      expectFailure(outcome, saying: "not a database")
    }
    #expect(try Data(contentsOf: file) == content)
    try content.write(to: URL(filePath: bench.path("server.db")))
    let server = try await bench.run("serve", "--port", "0", "--db", bench.path("server.db"))
    expectFailure(server, saying: "server.db")
    #expect(try Data(contentsOf: URL(filePath: bench.path("server.db"))) == content)
  }

  @Test func `a database that cannot be opened is named`() async throws {
    let bench = try Workbench()
    // A folder in its place: even root cannot open that as a file.
    try FileManager.default.createDirectory(
      atPath: bench.path("a/commute.db"), withIntermediateDirectories: true)
    let folder = try await bench.books("a", "add", "Emma")
    expectFailure(folder, saying: "commute.db")
    try Data().write(to: URL(filePath: bench.path("file")))
    let file = try await bench.books("file", "add", "Emma")
    expectFailure(file, saying: "it is not a folder")
    guard getuid() != 0 else { return }
    _ = try await bench.books("b", "add", "Emma")
    chmod(bench.path("b/commute.db"), 0)
    let closed = try await bench.books("b", "list")
    expectFailure(closed, saying: "commute.db")
    chmod(bench.path("b/commute.db"), 0o600)
    let open = try await bench.books("b", "list")
    #expect(open.output.contains("Emma"))
  }

  @Test func `a damaged database is told, not mended behind your back`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let file = URL(filePath: bench.path("a/commute.db"))
    var content = try Data(contentsOf: file)
    // The first page stays; what the schema points to does not.
    for index in 4_096..<content.count { content[index] = 0xAA }
    try content.write(to: file)
    let outcome = try await bench.books("a", "list")
    expectFailure(outcome, saying: "damaged")
    #expect(try Data(contentsOf: file) == content)
  }

  @Test func `a database of a newer version is only read until the program is newer, too`()
    async throws
  {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let known = try await bench.ask("a/commute.db", "PRAGMA user_version")
    try await bench.change("a/commute.db", "PRAGMA user_version = 1000")
    for (words, code) in [(["list"], 0), (["add", "Dracula"], 4), (["status"], 0)]
      as [([String], Int32)]
    {
      let outcome = try await ChildProcess(
        program: Workbench.program, arguments: ["books"] + words + ["--device", bench.path("a")],
        environment: bench.environment
      ).run()
      #expect(outcome.code == code)
      #expect(outcome.complaint.contains("only reading: a newer version wrote this database"))
      if words == ["list"] { #expect(outcome.output.contains("Emma")) }
    }
    let held = try await bench.ask("a/commute.db", "SELECT title FROM book; PRAGMA user_version")
    #expect(held == "Emma\n1000")
    try await bench.change("a/commute.db", "PRAGMA user_version = \(known)")
    let later = try await bench.books("a", "add", "Dracula")
    #expect(later.output.contains("2 changes waiting"))
    let server = try await bench.serve()
    _ = await server.end()
    try await bench.change("server.db", "PRAGMA user_version = 1000")
    let refused = try await bench.run("serve", "--port", "0", "--db", bench.path("server.db"))
    expectFailure(refused, saying: "newer")
  }
}
