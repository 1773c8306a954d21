import Foundation
import Testing

@testable import CommuteTool

/// What a person can get wrong in words, files and folders: one line of our own, and nothing done.
@Suite struct WrongInputTests {
  @Test func `an empty value is refused where it would mean something else`() async throws {
    let bench = try Workbench()
    let outcome = try await bench.run("books", "add", "Emma", "--device", "")
    #expect(outcome.code == 2)
    #expect(
      outcome.complaint == "commute: --device is empty; give it a value, or leave it out\n")
    for option in ["--token-file", "--ca", "--name"] {
      let empty = try await bench.books("a", "list", option, "")
      #expect(empty.code == 2 && empty.complaint.contains("\(option) is empty"))
    }
    for option in ["--db", "--tokens", "--host"] {
      let empty = try await bench.run("serve", option, "")
      #expect(empty.code == 2 && empty.complaint.contains("\(option) is empty"))
    }
    let file = try await bench.books("a", "import", "")
    #expect(file.code == 2 && file.complaint.contains("FILE is empty"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
    // A note may well be empty.
    let note = try await bench.books("a", "add", "Emma", "--note", "")
    #expect(note.code == 0)
  }

  @Test func `a word that is not UTF-8 is refused, not mended`() async throws {
    let bench = try Workbench()
    let outcome = try await ChildProcess(
      program: "/bin/sh",
      arguments: [
        "-c", #"exec "$1" books add "$(printf 'bad\377')" --device "$2""#, "sh",
        Workbench.program, bench.path("a"),
      ], environment: bench.environment
    ).run()
    #expect(outcome.code == 2)
    #expect(outcome.complaint.hasPrefix("commute: word 3 of the command line is not UTF-8"))
    #expect(outcome.complaint.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
  }

  @Test func `files and folders that do not fit are told in own words`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let folder = try await bench.books("a", "import", bench.path("a"))
    #expect(folder.code == 1)
    #expect(
      folder.complaint
        == "commute: \(bench.path("a")) cannot be read: it is a folder; name a file\n")
    let nowhere = try await bench.books("a", "export", bench.path("no/where/x.csv"))
    #expect(nowhere.code == 1)
    #expect(
      nowhere.complaint == "commute: \(bench.path("no/where/x.csv")) cannot be written: there is no"
        + " folder \(bench.path("no/where")); make it first\n")
    let onto = try await bench.books("a", "export", bench.path("a"))
    #expect(onto.code == 1 && onto.complaint.hasSuffix("it is a folder; name a file\n"))
    let missing = try await bench.books("a", "import", bench.path("x.csv"))
    #expect(missing.complaint.hasSuffix("cannot be read: it is not there; check the path\n"))
  }

  @Test func `an export replaces a file as a whole, and follows a link`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let real = bench.path("real.csv")
    try Data("old".utf8).write(to: URL(filePath: real))
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("link.csv"), withDestinationPath: real)
    let outcome = try await bench.books("a", "export", bench.path("link.csv"))
    #expect(outcome.output == "1 books are in \(bench.path("link.csv"))\n")
    #expect(try String(contentsOfFile: real, encoding: .utf8).contains("Emma"))
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
    #expect(!names.contains { $0.hasSuffix(".part") })
  }

  @Test func `tags without a tag, and tokens without a token, say what is missing`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    let tag = try await bench.books("a", "tag", "Emma")
    #expect(tag.code == 2)
    #expect(
      tag.complaint == "commute: no tag was named; write those to give behind the book, or"
        + " --remove TAG to take one away\n")
    try "# nobody yet\n\n".write(
      toFile: bench.path("tokens"), atomically: true, encoding: .utf8)
    let serve = try await bench.run(
      "serve", "--port", "0", "--db", bench.path("server.db"), "--tokens", bench.path("tokens"))
    #expect(serve.code == 2)
    #expect(serve.complaint.contains("holds no token, so nobody could come in"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("server.db")))
  }
}
