import CommuteCore
import Foundation
import Testing

@testable import CommuteTool

/// What answers is not what it should be: a clear line, the right code, and nothing lost.
@Suite struct WrongAnswerTests {
  /// An answer, and what a person must be told about it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var answer: String
    var code: Int32
    var words: String

    var testDescription: String { name }
  }

  private static let page = "<html><title>Hotel Wi-Fi</title>Sign in to use the internet</html>"

  static let cases = [
    Case(
      name: "a captive portal's page", answer: FakeServer.answer("200 OK", type: "text/html", page),
      code: 3, words: "what answered is not a Commute server (it sent text/html); sign in to the"),
    Case(
      name: "a captive portal that sends elsewhere",
      answer: FakeServer.answer(
        "302 Found", type: "text/html", page, headers: "Location: http://portal.example/\r\n"),
      code: 3, words: "what answered is not a Commute server (status 302)"),
    Case(
      name: "an answer that breaks off",
      answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
        + #"{"protocol":1,"epoch":"00"#,
      code: 3, words: "what answered is not a Commute server"),
    Case(
      name: "a head that breaks off", answer: "HTTP/1.1 200 OK\r\nContent-Ty", code: 3,
      words: "what answered is not a Commute server (it breaks off in the head)"),
    Case(name: "nothing at all", answer: "", code: 3, words: "Server not reachable"),
    Case(
      name: "another protocol", answer: "SSH-2.0-OpenSSH_9.2\r\n", code: 3,
      words: "what answered is not a Commute server"),
    Case(
      name: "the wrong content type",
      answer: FakeServer.answer("200 OK", type: "text/plain", #"{"protocol":1}"#), code: 3,
      words: "what answered is not a Commute server (it sent text/plain)"),
    Case(
      name: "malformed JSON", answer: FakeServer.answer("200 OK", #"{"protocol":1,"verdicts":[}"#),
      code: 3, words: "what answered is not a Commute server"),
    Case(
      name: "JSON of something else", answer: FakeServer.answer("200 OK", #"{"status":"ok"}"#),
      code: 3, words: "what answered is not a Commute server"),
    Case(
      name: "JSON nested without end",
      answer: FakeServer.answer("200 OK", String(repeating: "[", count: 100_000)), code: 3,
      words: "what answered is not a Commute server"),
    Case(
      name: "the answer to another request", answer: FakeServer.answer("200 OK", otherAnswer),
      code: 3, words: "it answers another request"),
    Case(
      name: "500", answer: FakeServer.answer("500 Internal Server Error", "{}"), code: 3,
      words: "the server cannot answer now (500); it is asked again"),
    Case(
      name: "503 with a wish",
      answer: FakeServer.answer("503 Service Unavailable", "{}", headers: "Retry-After: 600\r\n"),
      code: 3, words: "the server cannot answer now (503); it is asked again"),
    Case(
      name: "401", answer: FakeServer.answer("401 Unauthorized", "{}"), code: 1,
      words: "the server wants a sign-in (401); give a valid token"),
    Case(
      name: "409", answer: FakeServer.answer("409 Conflict", "{}"), code: 1,
      words: "this file belongs to another account; sign in as its owner"),
    Case(
      name: "426", answer: FakeServer.answer("426 Upgrade Required", "{}"), code: 1,
      words: "the server no longer speaks to this version; update the app"),
    Case(
      name: "404", answer: FakeServer.answer("404 Not Found", "{}"), code: 1,
      words: "the server refused the request (404)"),
  ]

  /// A whole and well-formed answer that nobody asked for.
  private static var otherAnswer: String {
    let answer = SyncAnswer(
      epoch: Epoch(rawValue: 1), time: 1_700_000_000_000, nonce: Nonce(high: 1, low: 2))
    return String(decoding: answer.encoded(), as: UTF8.self)
  }

  @Test(arguments: cases) func `is told in one line, and the work is kept`(_ wrong: Case)
    async throws
  {
    let bench = try Workbench()
    let fake = try FakeServer(wrong.answer)
    _ = try await bench.books("a", "add", "Emma", "--note", "kept?")
    let outcome = try await bench.books("a", "sync", "--server", fake.url)
    #expect(outcome.code == wrong.code, "\(outcome)")
    #expect(outcome.complaint.contains(wrong.words), "\(outcome.complaint)")
    #expect(outcome.complaint.split(separator: "\n").count == 1)
    #expect(outcome.output.contains("1 change waiting"))
    try await expectNothingLost(bench, changes: 1)
    // It was named, so it is remembered, and marked as one that has not answered.
    let status = try await bench.books("a", "status")
    #expect(status.output.contains("\(fake.url) (remembered; it has not answered yet)"))
    try await expectItArrives(bench)
  }

  @Test func `500 for an hour: every attempt is told, and nothing is lost or doubled`()
    async throws
  {
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer("500 Internal Server Error", "{}"))
    _ = try await bench.books("a", "add", "Emma", "--note", "kept?")
    for attempt in 1...6 {
      let outcome = try await bench.books("a", "sync", "--server", fake.url)
      #expect(outcome.code == 3, "attempt \(attempt): \(outcome)")
    }
    #expect(fake.requests >= 5)
    let status = try await bench.books("a", "status")
    #expect(status.output.contains("the server cannot answer now (500)"))
    #expect(status.output.contains("next attempt"))
    try await expectNothingLost(bench, changes: 1)
    try await expectItArrives(bench)
  }

  @Test func `413 for everything: what is too large even alone waits for a person, and is named`()
    async throws
  {
    let bench = try Workbench()
    let fake = try FakeServer(FakeServer.answer("413 Content Too Large", "{}"))
    for title in ["Emma", "Dracula", "Villette"] { _ = try await bench.books("a", "add", title) }
    let outcome = try await bench.books("a", "sync", "--server", fake.url)
    #expect(outcome.code != 0)
    #expect(outcome.complaint.split(separator: "\n").count == 1)
    let kept = try await bench.ask(
      "a/commute.db",
      "SELECT (SELECT count(*) FROM c_outbox) + (SELECT count(*) FROM c_inbox)")
    #expect(kept == "3")
    let check = try await bench.ask("a/commute.db", "PRAGMA integrity_check")
    #expect(check == "ok")
  }

  /// The book and its change are there, and the file is sound.
  private func expectNothingLost(_ bench: Workbench, changes: Int) async throws {
    let held = try await bench.ask(
      "a/commute.db",
      "SELECT title, notes FROM book; SELECT count(*) FROM c_outbox; PRAGMA integrity_check")
    #expect(held == "Emma|kept?\n\(changes)\nok")
  }

  /// A real server gets the book, once.
  private func expectItArrives(_ bench: Workbench) async throws {
    let server = try await bench.serve()
    let outcome = try await bench.books("a", "sync", "--server", try await server.url())
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("Up to date"), "\(outcome)")
    let code = await server.end()
    #expect(code == 0)
    let held = try await bench.ask(
      "server.db", "SELECT json_extract(state, '$.fields.notes') FROM record")
    #expect(held == "kept?")
    let left = try await bench.ask("a/commute.db", "SELECT count(*) FROM c_outbox")
    #expect(left == "0")
  }
}
