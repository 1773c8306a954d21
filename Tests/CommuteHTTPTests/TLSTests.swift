import CommuteHTTP
import Testing

@Suite struct TLSTests {
  private func send(to server: TLSServer, trusting file: String?, host: String = "localhost")
    async throws -> HTTPResponse
  {
    var settings = HTTPClientSettings()
    settings.certificateAuthorityFile = file
    return try await makeClient(settings).send(
      HTTPRequest(
        method: .post, url: "https://\(host):\(server.port)/", body: Array("secret".utf8)))
  }

  private func certificateReason(of error: HTTPClientError?) -> String? {
    guard case .badCertificate(let reason, _) = error else { return nil }
    return reason
  }

  @Test func `a server whose authority is named is trusted`() async throws {
    let server = try await TLSServer()
    let answer = try await send(to: server, trusting: server.authorityFile)
    #expect(answer.status == 200)
    #expect(answer.body == Array("secret".utf8))
  }

  @Test func `a server whose authority is unknown is not trusted`() async throws {
    let server = try await TLSServer()
    for file in [server.strangerFile, nil] {
      let error = await #expect(throws: HTTPClientError.self) {
        try await send(to: server, trusting: file)
      }
      guard case .badCertificate(let reason, let host) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("issuer"))
      #expect(host == "localhost:\(server.port)")
      #expect(error?.description.contains("is not trusted") == true)
    }
  }

  @Test func `a certificate for another name is not trusted`() async throws {
    let server = try await TLSServer(.otherName)
    let error = await #expect(throws: HTTPClientError.self) {
      try await send(to: server, trusting: server.authorityFile)
    }
    let reason = try #require(certificateReason(of: error))
    #expect(reason.contains("localhost"))
  }

  @Test func `a certificate whose time is over is not trusted`() async throws {
    let server = try await TLSServer(.expired)
    let error = await #expect(throws: HTTPClientError.self) {
      try await send(to: server, trusting: server.authorityFile)
    }
    let reason = try #require(certificateReason(of: error))
    #expect(reason.contains("expired"))
  }

  @Test func `an authority file that is not there is named`() async throws {
    let server = try await TLSServer()
    let error = await #expect(throws: HTTPClientError.self) {
      try await send(to: server, trusting: "/no/such/file.pem")
    }
    let reason = try #require(certificateReason(of: error))
    #expect(reason.contains("/no/such/file.pem"))
  }

  @Test func `a server without TLS is no answer`() async throws {
    try await withServer(handler: echo) { server in
      let error = await #expect(throws: HTTPClientError.self) {
        try await makeClient().send(HTTPRequest(url: "https://127.0.0.1:\(server.port)/"))
      }
      guard case .notAnAnswer = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
