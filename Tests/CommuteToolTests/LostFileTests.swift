import Foundation
import Testing

@testable import CommuteTool

/// A device whose database is gone is no new device, until a person says so.
@Suite struct LostFileTests {
  private let files = FileManager.default

  @Test func `an emptied database is damage, and nothing is done to it`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let file = bench.path("a/commute.db")
    try Data().write(to: URL(filePath: file))
    for words in [["list"], ["add", "Dracula"], ["status"]] {
      let outcome = try await bench.books("a", words)
      #expect(outcome.code == 4, "\(outcome)")
      #expect(
        outcome.complaint
          == "commute: \(file) is empty, so it was damaged, though this device was used here"
          + " before; put a backup in its place, or begin anew from the server with --new\n")
    }
    #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
  }

  @Test func `a removed database is said to be missing; a copy, or --new, goes on`() async throws {
    let bench = try Workbench()
    let server = try await bench.serve()
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    let file = bench.path("a/commute.db")
    try files.moveItem(atPath: file, toPath: bench.path("kept.db"))
    let missing = try await bench.books("a", "list")
    #expect(missing.code == 4 && missing.output.isEmpty)
    #expect(missing.complaint.contains("is missing, though this device was used here before"))
    #expect(!files.fileExists(atPath: file))
    let anew = try await bench.books("a", "sync", "--new", "--server", url)
    #expect(anew.output == "Up to date · sent 0, received 1\n", "\(anew)")
    // A file that is there is not begun anew.
    let again = try await bench.books("a", "list", "--new")
    #expect(again.code == 1 && again.complaint.contains("leave --new out"))
    try files.removeItem(atPath: file)
    try files.moveItem(atPath: bench.path("kept.db"), toPath: file)
    let restored = try await bench.books("a", "list")
    #expect(restored.code == 0 && restored.output.contains("Emma"))
    _ = await server.end()
  }

  @Test func `a whole folder that was removed is missing, too`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    try files.removeItem(atPath: bench.path("a"))
    let missing = try await bench.books("a", "add", "Dracula")
    #expect(missing.code == 4 && missing.complaint.contains("--new"))
    let anew = try await bench.books("a", "add", "Dracula", "--new")
    #expect(anew.code == 0, "\(anew)")
    let held = try await bench.ask("a/commute.db", "SELECT title FROM book")
    #expect(held == "Dracula")
  }
}
