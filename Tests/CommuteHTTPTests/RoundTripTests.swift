import CommuteHTTP
import Testing

@Suite struct RoundTripTests {
  let client = makeClient()

  @Test func `a request reaches the handler and its answer comes back`() async throws {
    let answer = try await withServer(handler: echo) { server in
      try await client.send(
        HTTPRequest(
          method: .post, url: server.url("/v1/x?nonce=a%20b"),
          headers: ["X-Sent": "yes", "Content-Type": "application/json"], body: Array("{}".utf8)))
    }
    #expect(answer.status == 200)
    #expect(answer.body == Array("{}".utf8))
    #expect(answer.headers["x-method"] == "POST")
    #expect(answer.headers["X-Url"] == "/v1/x?nonce=a%20b")
    #expect(answer.headers["X-Sent"] == "yes")
    #expect(answer.headers["X-Peer"] == "127.0.0.1")
  }

  @Test(arguments: HTTPMethod.allCases) func `every method arrives as itself`(method: HTTPMethod)
    async throws
  {
    let answer = try await withServer(handler: echo) { server in
      try await client.send(HTTPRequest(method: method, url: server.url()))
    }
    #expect(answer.status == 200)
    #expect(answer.headers["X-Method"] == (method == .head ? "GET" : method.rawValue))
  }

  @Test(arguments: [0, 1, 1023, 1 << 20, 5 << 20])
  func `a body of any size comes back byte for byte`(size: Int) async throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let answer = try await withServer(handler: echo) { server in
      try await client.send(HTTPRequest(method: .put, url: server.url(), body: body))
    }
    #expect(answer.status == 200)
    let isSame = answer.body == body
    #expect(isSame)
  }
}
