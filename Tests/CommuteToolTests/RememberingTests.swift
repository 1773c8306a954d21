import Foundation
import Testing

@testable import CommuteTool

/// What a device remembers between two calls of the program: the way, and what stood in it.
@Suite struct RememberingTests {
  @Test func `a server that is named is remembered, also where nobody is there`() async throws {
    let bench = try Workbench()
    let added = try await bench.books("a", "add", "Emma", "--server", "http://127.0.0.1:1")
    #expect(added.code == 0)
    let before = try await bench.books("a", "status")
    #expect(before.output.contains("http://127.0.0.1:1 (remembered; it has not answered yet)"))
    let away = try await bench.books("a", "sync")
    #expect(away.code == 3)
    #expect(away.output == "Server not reachable · 1 change waiting\n")
    let server = try await bench.serve()
    let url = try await server.url()
    let there = try await bench.books("a", "sync", "--server", url)
    #expect(there.output == "Up to date · sent 1, received 0\n")
    let after = try await bench.books("a", "status")
    #expect(after.output.contains("server       \(url)\n"), "\(after.output)")
    // An address that makes no sense is not remembered.
    let wrong = try await bench.books("a", "list", "--server", "nonsense")
    let kept = try await bench.books("a", "status", "--json")
    #expect(wrong.code == 2)
    #expect(kept.output.contains(#""server":"\#(url)","serverHasAnswered":true"#))
    _ = await server.end()
  }

  @Test func `a device that did sync says that changes are not sent yet`() async throws {
    let bench = try Workbench()
    let server = try await bench.serve()
    _ = try await bench.books("a", "add", "Emma", "--server", try await server.url(), "--sync")
    let ticked = try await bench.books("a", "tick", "Emma")
    #expect(ticked.output == "ticked Emma\nNot sent yet · 1 change waiting\n")
    _ = await server.end()
    let fresh = try await bench.books("b", "status")
    #expect(fresh.output.hasPrefix("Not synced yet\n"))
  }

  /// An answer of a server, and what `status` says about it later.
  static let problems: [(answer: String, status: String, cure: String)] = [
    (
      "401 Unauthorized", "Sign-in needed: give a valid token · 1 change waiting",
      "--token-file FILE"
    ),
    (
      "403 Forbidden", "Sign-in needed: give a valid token · 1 change waiting", "--token-file FILE"
    ),
    (
      "409 Conflict", "Sign-in needed: this file belongs to another account · 1 change waiting",
      "the token of the device's account"
    ),
    (
      "400 Bad Request", "the server refused the request (400); report this · 1 change waiting",
      "tries once more"
    ),
    (
      "426 Upgrade Required", "Update needed before changes can be sent · 1 change waiting",
      "update commute"
    ),
  ]

  @Test(arguments: problems.indices)
  func `what stopped the last round is told by status until a round succeeds`(index: Int)
    async throws
  {
    let problem = Self.problems[index]
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer(problem.answer, "{}"))
    _ = try await bench.books("a", "add", "Emma")
    let failed = try await bench.books("a", "sync", "--server", fake.url)
    #expect(failed.code == 1)
    let status = try await bench.books("a", "status")
    #expect(status.output.hasPrefix("\(problem.status)\n"), "\(status.output)")
    #expect(status.output.contains("\nlast failure  20"))
    let cure = status.output.split(separator: "\n").first { $0.hasPrefix("what to do") }
    #expect(cure?.contains(problem.cure) == true)
    let list = try await bench.books("a", "list")
    #expect(list.output.contains(problem.status))
    let server = try await bench.serve()
    _ = try await bench.books("a", "sync", "--server", try await server.url())
    let after = try await bench.books("a", "status")
    #expect(after.output.hasPrefix("Up to date\n"))
    #expect(!after.output.contains("last failure"))
    _ = await server.end()
  }

  @Test func `what stopped a live list is told by status, too`() async throws {
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer("401 Unauthorized", "{}"))
    _ = try await bench.books("a", "add", "Emma", "--server", fake.url)
    let watch = try await RunningProgram.start(
      ChildProcess(
        program: Workbench.program, arguments: ["books", "watch", "--device", bench.path("a")],
        environment: bench.environment))
    _ = try await watch.line { $0.contains("Sign-in needed") }
    #expect(await watch.end(by: SIGINT) == 0)
    let status = try await bench.books("a", "status")
    #expect(status.output.hasPrefix("Sign-in needed: give a valid token · 1 change waiting\n"))
    #expect(status.output.contains("\nwhat to do "))
  }

  @Test func `a failure that is tried again is told with its time, and each sentence once`()
    async throws
  {
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer("500 Internal Server Error", "{}"))
    _ = try await bench.books("a", "add", "Emma")
    let failed = try await bench.books("a", "sync", "--server", fake.url)
    #expect(failed.output == "Not sent yet · 1 change waiting\n")
    #expect(failed.complaint == "commute: the server cannot answer now (500); it is asked again\n")
    let status = try await bench.books("a", "status")
    #expect(status.output.contains("\nlast failure  the server cannot answer now (500)"))
    #expect(status.output.contains("\nnext attempt  after 20"))
    let away = try await bench.books("b", "sync", "--server", "http://127.0.0.1:1")
    #expect(away.output == "Server not reachable\n")
    #expect(away.complaint.hasSuffix("; all is kept here and sent later\n"))
  }

  @Test func `a refused change is named by the title it has, or wanted to have`() async throws {
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer("413 Content Too Large", "{}"))
    _ = try await bench.books("a", "add", "Villette")
    _ = try await bench.books("a", "sync", "--server", fake.url)
    let status = try await bench.books("a", "status")
    let line = status.output.split(separator: "\n").first { $0.hasPrefix("refused ") }
    #expect(
      line == "refused       Villette: the server takes no operation of this size",
      "\(status.output)")
    #expect(status.output.contains("`commute inbox list` shows what you can do about it"))
    #expect(!status.output.contains("refused      book "))
  }

  @Test func `where another process syncs the device, the work is kept and it says so`()
    async throws
  {
    let bench = try Workbench()
    let server = try await bench.serve()
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--server", url)
    let flock = try ChildProcess.path(of: "flock").orThrow("flock is not installed")
    let outcome = try await ChildProcess(
      program: flock,
      arguments: [
        bench.path("a/sync.lock"), Workbench.program, "books", "sync", "--device", bench.path("a"),
      ], environment: bench.environment
    ).run()
    #expect(outcome.code == 3, "\(outcome)")
    #expect(outcome.output == "Not sent yet · 1 change waiting\n")
    #expect(
      outcome.complaint == "commute: another process is syncing this device and sends all that"
        + " waits here; try again when it has ended\n")
    // It is no failure of the server's: nothing has to be waited for.
    let status = try await bench.books("a", "status")
    #expect(!status.output.contains("next attempt"))
    let later = try await bench.books("a", "sync")
    #expect(later.output == "Up to date · sent 1, received 0\n")
    _ = await server.end()
  }
}
