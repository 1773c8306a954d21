import CommuteCore
import Foundation
import Testing

@testable import CommuteTool

/// Several people on one device, each with a file and a token of their own.
@Suite struct AccountCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    // What is a tenant's, all its users see; these two share nothing but the device.
    let people = [("acme", "ann"), ("beta", "bob")]
    let lines = people.map { tenant, user in
      "\(tenant) \(user) \(SHA256.hash(Array("secret-\(user)".utf8)).text)"
    }
    try lines.joined(separator: "\n").write(
      toFile: bench.path("tokens"), atomically: true, encoding: .utf8)
    for (tenant, user) in people {
      try "\(tenant) \(user) secret-\(user)".write(
        toFile: bench.path(user), atomically: true, encoding: .utf8)
    }
  }

  private func account(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["account"] + words + ["--device", bench.path("a")])
  }

  private func signIn(_ person: String) async throws {
    let outcome = try await account("use", "--token-file", bench.path(person))
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test func `two people share a device and a server, and neither sees the other's books`()
    async throws
  {
    let server = try await bench.serve("--tokens", bench.path("tokens"))
    let url = try await server.url()
    try await signIn("ann")
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    try await signIn("bob")
    let empty = try await bench.books("a", "list")
    #expect(empty.output.hasPrefix("0 books"))
    let sent = try await bench.books("a", "add", "Dracula", "--server", url, "--sync")
    #expect(sent.code == 0, "\(sent)")
    #expect(await server.end() == 0)
    // Switching needs no server, and no token once it is known.
    let back = try await account("use", "acme/ann")
    #expect(back.output == "acme/ann is signed in\n")
    let ticked = try await bench.books("a", "tick", "Emma")
    #expect(ticked.output.hasPrefix("ticked Emma\n"))
    let list = try await account("list")
    #expect(list.output.contains("✓  acme/ann  1 change waiting"), "\(list.output)")
    #expect(list.output.contains("·  beta/bob  "))
    // The token alone, given with a command, is enough to read the other file.
    let his = try await bench.books("a", "list", "--token-file", bench.path("bob"))
    #expect(his.output.contains("Dracula") && !his.output.contains("Emma"))
    let held = try await bench.ask("server.db", "SELECT tenant, author FROM record ORDER BY 2")
    #expect(held == "acme|ann\nbeta|bob")
  }

  @Test func `unsent work is not wiped silently, and a choice is carried out`() async throws {
    try await signIn("ann")
    _ = try await bench.books("a", "add", "Emma", "--server", "http://127.0.0.1:1")
    let status = try await bench.books("a", "status", "--json")
    #expect(status.output.contains(#""tokenFile":"\#(bench.path("ann"))""#), "\(status)")
    let refused = try await account("sign-out")
    #expect(refused.code == 1 && refused.output.isEmpty)
    #expect(
      refused.complaint == "commute: acme/ann has work that is not on the server yet (1 change"
        + " waiting); sync first, or choose --keep, --export FILE or --wipe\n")
    let json = try await account("sign-out", "--json")
    #expect(json.output.contains(#"{"error":"unsettled","unsettled":{"waiting":1"#))
    let kept = try await account("sign-out", "--keep")
    #expect(kept.output == "acme/ann is signed out; its file stays with 1 change waiting\n")
    let nobody = try await bench.books("a", "list")
    #expect(nobody.code == 1 && nobody.complaint.contains("nobody is signed in on this device"))
    // The file is there for the next sign-in; the token is not.
    _ = try await account("use", "acme/ann")
    let again = try await bench.books("a", "list")
    #expect(again.output.contains("Emma"))
    let forgotten = try await bench.books("a", "status", "--json")
    #expect(forgotten.output.contains(#""tokenFile":null"#))
    let wiped = try await account("sign-out", "--wipe")
    #expect(wiped.output == "acme/ann is signed out; 1 change waiting went with its file\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("a/commute.db")))
    let fresh = try await bench.books("a", "list")
    #expect(fresh.output.hasPrefix("0 books"))
  }

  @Test func `what is exported can be used as a device again`() async throws {
    try await signIn("ann")
    _ = try await bench.books("a", "add", "Emma")
    try FileManager.default.createDirectory(
      atPath: bench.path("copy"), withIntermediateDirectories: true)
    let path = bench.path("copy/commute.db")
    let outcome = try await account("sign-out", "--export", path)
    #expect(
      outcome.output
        == "acme/ann is signed out; all of it is in \(path), and nothing is left here\n")
    let copied = try await bench.books("copy", "list")
    #expect(copied.output.contains("Emma") && copied.output.contains("1 change waiting"))
    // Onto a file that is there, nothing is done.
    try await signIn("bob")
    _ = try await bench.books("a", "add", "Dracula")
    let onto = try await account("sign-out", "--export", path)
    #expect(onto.code != 0 && onto.complaint.contains("already"))
    let still = try await bench.books("a", "list")
    #expect(still.output.contains("Dracula"))
  }

  @Test func `a file that another command has open stays`() async throws {
    try await signIn("ann")
    _ = try await bench.books("a", "add", "Emma")
    let watch = try await RunningProgram.start(
      ChildProcess(
        program: Workbench.program, arguments: ["books", "watch", "--device", bench.path("a")],
        environment: bench.environment))
    _ = try await watch.line { $0.hasPrefix("1 book ") }
    let refused = try await account("sign-out", "--wipe")
    #expect(refused.code == 1 && refused.complaint.contains("has the account's file open"))
    #expect(await watch.end(by: SIGINT) == 0)
    let held = try await bench.ask("a/commute.db", "SELECT title FROM book")
    #expect(held == "Emma")
  }

  @Test func `what makes no sense is said in a line`() async throws {
    let unknown = try await account("use", "acme/zoe")
    #expect(unknown.code == 1 && unknown.complaint.contains("has no file here; give its token"))
    let nobody = try await account("use")
    #expect(nobody.code == 2)
    let form = try await account("use", "zoe")
    #expect(form.code == 2 && form.complaint.contains("tenant/user"))
    let wrong = try await account("use", "acme/ann", "--token-file", bench.path("bob"))
    #expect(wrong.code == 1 && wrong.complaint.contains("the token is beta/bob's"))
    let out = try await account("sign-out")
    #expect(out.code == 1 && out.complaint.contains("nobody is signed in"))
    let two = try await account("sign-out", "--keep", "--wipe")
    #expect(two.code == 2 && two.complaint.contains("exclude each other"))
    let list = try await account("list")
    #expect(list.output == "no account has a file in \(bench.path("a"))\n")
    // None of it has made anything.
    #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
    try await signIn("ann")
    let other = try await bench.books("a", "list", "--token-file", bench.path("bob"))
    #expect(other.code == 1 && other.complaint.contains("`commute account use --token-file FILE`"))
  }
}
