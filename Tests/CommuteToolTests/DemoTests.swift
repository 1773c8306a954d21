import Foundation
import Testing

@testable import CommuteTool

/// The demonstration, as `make demo` runs it.
@Suite struct DemoTests {
  private func demo(_ bench: Workbench, _ words: String...) -> ChildProcess {
    var environment = bench.environment
    environment["TMPDIR"] = bench.folder
    return ChildProcess(
      program: Workbench.program, arguments: ["demo"] + words, environment: environment)
  }

  private func leftovers(_ bench: Workbench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.folder)
      .filter { $0.hasPrefix("commute-demo-") }
  }

  @Test func `without a terminal it checks itself, ends, and leaves nothing`() async throws {
    let bench = try Workbench()
    let outcome = try await demo(bench).run()
    #expect(outcome.code == 0, "\(outcome.output)\(outcome.complaint)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.last == "demo: ok")
    #expect(lines.contains { $0.hasSuffix("  Server not reachable · 1 change waiting") })
    #expect(lines.filter { $0.contains(" ✓ ") && !$0.contains("│") }.count >= 9)
    #expect(!outcome.output.contains("✗"))
    #expect(try leftovers(bench).isEmpty)
  }

  /// The demonstration takes a second; on a busy machine it can be over before its reader gets to
  /// ending it, and is then played again.
  private static let attempts = 10

  @Test func `killed in the middle, its server does not outlive it`() async throws {
    for _ in 0..<Self.attempts {
      let bench = try Workbench()
      let running = try await RunningProgram.start(demo(bench, "--check"))
      _ = try await running.line { $0.contains("listens at") }
      let code = await running.end(by: SIGKILL)
      // Its server inherited the error output: that ends only when the last of them has ended.
      _ = await running.complaint()
      if code != 0 { return }
    }
    Issue.record("the demonstration was over before it could be killed, each time")
  }

  @Test func `asked to end in the middle, it cleans up`() async throws {
    for _ in 0..<Self.attempts {
      let bench = try Workbench()
      let running = try await RunningProgram.start(demo(bench, "--check"))
      _ = try await running.line { $0.contains("listens at") }
      let code = await running.end(by: SIGINT)
      let complaint = await running.complaint()
      #expect(try leftovers(bench).isEmpty)
      if code == 0 { continue }
      #expect(code == 1)
      #expect(complaint == "commute: interrupted\n")
      return
    }
    Issue.record("the demonstration was over before it could be asked to end, each time")
  }

  @Test func `on a terminal it stays until Ctrl-C and says what to type`() async throws {
    let bench = try Workbench()
    let python = try ChildProcess.path(of: "python3").orThrow("python3 is not installed")
    let demo = demo(bench)
    let outcome = try await ChildProcess(
      program: python, arguments: ["-c", Self.terminal, demo.program, bench.path("played")],
      environment: demo.environment
    ).run()
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("rate \"Northanger Abbey\" 4 --sync $phone"))
    #expect(outcome.output.contains("demo: ok"))
    #expect(try leftovers(bench).isEmpty)
  }

  /// Runs the demonstration on a terminal, types what it says in another shell, then Ctrl-C.
  private static let terminal = """
    import os, pty, re, subprocess, sys
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.argv[1], [sys.argv[1], "demo"])
    said = b""
    played = False
    while True:
        try: part = os.read(terminal, 4096)
        except OSError: break
        if not part: break
        said += part
        if not played and b"Ctrl-C ends it" in said:
            played = True
            text = said.decode().replace("\\r", "")
            lines = re.findall(r"^  ((?:commute|tablet|phone)=.*|\\$commute .*)$", text, re.M)
            script = "\\n".join(line for line in lines if "watch" not in line)
            subprocess.run(["sh", "-e", "-c", script], check=True)
            os.write(terminal, b"\\x03")
    sys.stdout.write(said.decode())
    sys.exit(0 if played and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 else 1)
    """
}
