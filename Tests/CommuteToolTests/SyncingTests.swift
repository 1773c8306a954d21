import CommuteCore
import Foundation
import Testing

@testable import CommuteTool

/// Devices and servers that are processes of the real program.
@Suite struct SyncingTests {
  @Test func `a server is named once, and then known`() async throws {
    let bench = try Workbench()
    let none = try await bench.books("a", "sync")
    #expect(none.code == 1)
    #expect(
      none.complaint
        == "commute: no server is known yet; name it once with --server URL\n")
    let server = try await bench.serve()
    _ = try await bench.books("a", "add", "Emma")
    let first = try await bench.books("a", "sync", "--server", try await server.url())
    #expect(first.output == "Up to date · sent 1, received 0\n")
    #expect(first.code == 0 && first.complaint.isEmpty)
    let second = try await bench.books("a", "sync")
    #expect(second.output == "Up to date\n")
    let code = await server.end()
    #expect(code == 0)
    _ = try await bench.books("a", "tick", "Emma")
    let offline = try await bench.books("a", "sync")
    #expect(offline.output == "Server not reachable · 1 change waiting\n")
    #expect(offline.code == 3)
    let status = try await bench.books("a", "status")
    #expect(status.output.hasPrefix("Server not reachable · 1 change waiting\n"))
    #expect(status.output.contains("next attempt"))
  }

  @Test func `a live list shows what others do, and ends with 0`() async throws {
    let bench = try Workbench()
    let server = try await bench.serve()
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--server", url, "--sync")
    let watch = try await RunningProgram.start(
      ChildProcess(
        program: Workbench.program,
        arguments: ["books", "watch", "--every", "1", "--device", bench.path("a")],
        environment: bench.environment))
    _ = try await watch.line { $0.hasPrefix("1 book ") }
    // By another process on this device, then by another device.
    _ = try await bench.books("a", "add", "Dracula")
    _ = try await watch.line { $0.hasPrefix("2 books") }
    _ = try await bench.books("b", "add", "Villette", "--server", url, "--sync")
    _ = try await watch.line { $0.hasPrefix("3 books") }
    let code = await watch.end(by: SIGINT)
    #expect(code == 0)
    _ = await server.end()
  }

  @Test func `a live list ends when nobody listens any more`() async throws {
    let bench = try Workbench()
    _ = try await bench.books("a", "add", "Emma")
    // `head` takes the first line and goes; the next change finds nobody.
    let outcome = try await ChildProcess(
      program: "/bin/sh",
      arguments: [
        "-c",
        """
        "$1" books watch --device "$2" | {
          read -r heads
          exec 0<&-
          "$1" books add Dracula --device "$2" > "$2/added"
        }
        """, "sh", Workbench.program, bench.path("a"),
      ], environment: bench.environment
    ).run()
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test func `with tokens, a device shows its own and is told when it is wrong`() async throws {
    let bench = try Workbench()
    let token = "correct horse battery staple".split(separator: " ").joined(separator: "-")
    let digest = SHA256.hash(Array(token.utf8)).text
    try "acme ann \(digest)\n".write(
      toFile: bench.path("tokens"), atomically: true, encoding: .utf8)
    try "acme ann \(token)\n".write(toFile: bench.path("mine"), atomically: true, encoding: .utf8)
    try "acme ann wrong\n".write(toFile: bench.path("wrong"), atomically: true, encoding: .utf8)
    let server = try await bench.serve("--tokens", bench.path("tokens"))
    let url = try await server.url()
    _ = try await bench.books("a", "add", "Emma", "--token-file", bench.path("wrong"))
    let refused = try await bench.books(
      "a", "sync", "--server", url, "--token-file", bench.path("wrong"))
    #expect(refused.code == 1)
    #expect(refused.output == "Sign-in needed: give a valid token · 1 change waiting\n")
    let without = try await bench.books("a", "sync", "--server", url)
    #expect(without.code == 1)
    let taken = try await bench.books(
      "a", "sync", "--server", url, "--token-file", bench.path("mine"))
    #expect(taken.code == 0)
    // Server and token are remembered; reading never needs one.
    _ = try await bench.books("a", "tick", "Emma")
    let later = try await bench.books("a", "sync")
    #expect(later.output == "Up to date · sent 1, received 0\n")
    let held = try await bench.ask("server.db", "SELECT tenant, author FROM record")
    #expect(held == "acme|ann")
    // A device of somebody else does not open this one's file.
    try "acme bob \(token)\n".write(toFile: bench.path("bob"), atomically: true, encoding: .utf8)
    let other = try await bench.books("a", "list", "--token-file", bench.path("bob"))
    #expect(other.code == 1 && other.complaint.contains("belongs to acme/ann"))
    _ = await server.end()
  }

  @Test func `a certificate nobody vouches for is named, and --ca helps`() async throws {
    let bench = try Workbench()
    let server = try await bench.serve()
    let proxy = try await TLSProxy.start(in: bench, to: try await server.url())
    let url = "https://127.0.0.1:\(proxy.port)"
    _ = try await bench.books("a", "add", "Emma")
    let refused = try await bench.books("a", "sync", "--server", url)
    #expect(refused.code != 0)
    #expect(refused.complaint.contains("certificate is not trusted"))
    #expect(refused.complaint.contains("--ca FILE"))
    let trusted = try await bench.books(
      "a", "sync", "--server", url, "--ca", bench.path("server.pem"))
    #expect(trusted.output == "Up to date · sent 1, received 0\n", "\(trusted.complaint)")
    _ = await proxy.running.end()
    _ = await server.end()
  }

  @Test func `a server says in one line why it does not start`() async throws {
    let bench = try Workbench()
    let server = try await bench.serve()
    let port = try await server.url().split(separator: ":").last.map(String.init) ?? ""
    let taken = try await bench.run("serve", "--port", port, "--db", bench.path("other.db"))
    #expect(taken.code == 1)
    #expect(
      taken.complaint == "commute: port \(port) of 127.0.0.1 is in use by another program; choose"
        + " another port or end that program\n")
    let open = try await bench.run("serve", "--host", "0.0.0.0", "--db", bench.path("other.db"))
    #expect(open.code == 1 && open.complaint.contains("give --tokens FILE"))
    let twice = try await bench.run("serve", "--port", "0", "--db", bench.path("server.db"))
    #expect(twice.code == 4)
    #expect(twice.complaint.split(separator: "\n").count == 1)
    let code = await server.end()
    #expect(code == 0)
  }
}
