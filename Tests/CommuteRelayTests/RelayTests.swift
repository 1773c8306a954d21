import CommuteHTTP
import CommuteRelay
import Testing

@Suite struct RelayTests {
  /// A server that answers with what it was sent, and a relay in front of it.
  private func withRelay(_ body: (Relay, CurlClient, String) async throws -> Void) async throws {
    var settings = HTTPServerSettings()
    settings.port = 0
    let server = HTTPServer(settings) { request, _ in
      HTTPResponse(status: 200, body: request.body)
    }
    try server.start()
    let relay = try Relay(to: server.port)
    let client = CurlClient()
    try await body(relay, client, "http://127.0.0.1:\(relay.port)/echo")
    await relay.close()
    await server.drain(limit: .seconds(5))
  }

  private func echo(_ client: CurlClient, _ url: String, _ text: String) async throws -> String {
    let request = HTTPRequest(method: .post, url: url, body: Array(text.utf8))
    let response = try await client.send(request)
    return String(decoding: response.body, as: UTF8.self)
  }

  @Test func `what is sent arrives, and the answer comes back`() async throws {
    try await withRelay { _, client, url in
      let answer = try await echo(client, url, "hello")
      #expect(answer == "hello")
    }
  }

  @Test func `switched off, connecting is refused; switched on, the same port leads on`()
    async throws
  {
    try await withRelay { relay, client, url in
      _ = try await echo(client, url, "before")
      await relay.switchOff()
      await #expect(throws: HTTPClientError.self) { try await echo(client, url, "while off") }
      await relay.switchOn()
      let answer = try await echo(client, url, "after")
      #expect(answer == "after")
    }
  }

  @Test func `a lost answer reached the server and never the device`() async throws {
    try await withRelay { relay, client, url in
      _ = try await echo(client, url, "first")
      await relay.loseNextAnswer()
      await #expect(throws: HTTPClientError.self) { try await echo(client, url, "lost") }
      let answer = try await echo(client, url, "again")
      #expect(answer == "again")
    }
  }
}
