import CommuteCore
import CommuteHTTP
import CommuteServer
import Foundation
import Testing

@Suite struct `the server over HTTP` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `two devices exchange a book`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice(0xA, name: "phone")
      var tablet = TestDevice(0xB, name: "tablet")
      #expect(try await server.round(&phone, [phone.operation(1, "Emma")]).isAllApplied)
      let answer = try await server.round(&tablet)
      #expect(answer.records.map { $0.text("title") } == ["Emma"])
      #expect(answer.time == TestDevice.time)
      #expect(server.address.url == "http://127.0.0.1:\(server.address.port)")
    }
  }

  @Test func `an answer says what it is, and that no cache may keep it`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let response = try await server.post(phone.request().encoded())
      #expect(response.headers["Content-Type"] == "application/json")
      #expect(response.headers["Cache-Control"] == "no-store")
      #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    }
  }

  @Test(arguments: [
    ("{\"protocol\":1,", "malformed", "it ends early"),
    ("{\"protocol\":1}", "malformed", "schema"),
    ("{\"protocol\":1,\"protocol\":1}", "malformed", "twice"),
    ("<html><body>Sign in</body></html>", "notOurs", "no request"),
    ("[]", "notOurs", "no request"),
    ("", "malformed", "early"),
    ("{}", "notOurs", "no request"),
    ("{\"protocol\":1,\"x\":" + String(repeating: "[", count: 40), "tooLarge", "32 deep"),
    ("{\"protocol\":1,\"x\":\"\\ud800\"}", "malformed", "surrogate"),
  ])
  func `a body that is no request is refused with the place and the reason`(
    body: String, error: String, words: String
  ) async throws {
    try await withServer(in: folder) { server in
      let response = try await server.post(Array(body.utf8))
      let refusal = try Refusal(response)
      #expect(response.status == 400)
      #expect(refusal.error == error)
      #expect(refusal.message.contains(words), "\(refusal.message)")
      #expect(response.text.hasSuffix("}\n"))
      #expect(response.body.filter { $0 == 0x0A }.count == 1)
    }
  }

  @Test func `a fault in an operation is named by its place, without its content`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let request = try phone.request([phone.operation(1, "Emma"), phone.operation(2, "secret")])
      let text = String(decoding: request.encoded(), as: UTF8.self)
      let broken = text.replacingOccurrences(of: "\"secret\"", with: "{\"i\":\"secret\"}")
      let response = try await server.post(Array(broken.utf8))
      let refusal = try Refusal(response)
      #expect(response.status == 400)
      #expect(refusal.message.contains("operations[1]"), "\(refusal.message)")
      #expect(!refusal.message.contains("secret"))
    }
  }

  @Test func `unknown members are ignored on messages`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let text = String(
        decoding: try phone.request([phone.operation(1, "Emma")]).encoded(), as: UTF8.self)
      let more = "{\"novelty\":[{\"a\":1}]," + text.dropFirst()
      let response = try await server.post(Array(more.utf8))
      #expect(response.status == 200)
      #expect(try SyncAnswer(decoding: response.body).isAllApplied)
    }
  }

  @Test(arguments: [nil, "text/plain", "application/jsonp", "application/json, text/html"])
  func `a body of another type is refused`(type: String?) async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let response = try await server.post(phone.request().encoded(), type: type)
      #expect(response.status == 415)
      #expect(try Refusal(response).error == "contentType")
    }
  }

  @Test func `parameters of the type do not matter`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let type = "Application/JSON; charset=utf-8"
      let response = try await server.post(phone.request().encoded(), type: type)
      #expect(response.status == 200)
    }
  }

  @Test func `a body beyond 8 MiB is refused as too large`() async throws {
    try await withServer(in: folder) { server in
      let large = [UInt8](repeating: 0x20, count: (8 << 20) + 1)
      let response = try await server.post(large)
      #expect(response.status == 413)
      let most = [UInt8](repeating: 0x20, count: 8 << 20)
      #expect(try await server.post(most).status == 400)
    }
  }

  @Test func `an operation beyond its limit is too large, so that the device sends fewer`()
    async throws
  {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      let request = try phone.request([phone.operation(1, "Emma")])
      let text = String(decoding: request.encoded(), as: UTF8.self)
      let long = String(repeating: "x", count: Limits.textBytes + 1)
      let response = try await server.post(
        Array(text.replacingOccurrences(of: "Emma", with: long).utf8))
      #expect(response.status == 413)
      #expect(try Refusal(response).error == "tooLarge")
    }
  }

  @Test(arguments: [(UInt64(0), 426, "needsUpdate"), (99, 503, "serverTooOld")])
  func `another protocol is told who has to be updated`(
    version: UInt64, status: Int, error: String
  ) async throws {
    try await withServer(in: folder) { server in
      let body = "{\"protocol\":\(version),\"anything\":[]}"
      let response = try await server.post(Array(body.utf8))
      #expect(response.status == status)
      #expect(try Refusal(response).error == error)
      #expect(response.text.contains("\"minimum\":1"))
    }
  }

  @Test(arguments: ["local/other", "other/local", "local", ""])
  func `data of another owner settles nothing`(owner: String) async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice()
      var request = try phone.request([phone.operation(1, "Emma")])
      request.owner = owner
      let response = try await server.post(request.encoded())
      #expect(response.status == 409)
      #expect(try Refusal(response).error == "wrongOwner")
      var tablet = TestDevice(0xB)
      #expect(try await server.round(&tablet).records.isEmpty)
    }
  }

  @Test func `a ping is answered by its nonce`() async throws {
    try await withServer(in: folder) { server in
      let response = try await server.send(.get, "/v1/ping?nonce=abc-123")
      #expect(response.status == 200)
      let pong = try JSONDecoder().decode(Pong.self, from: Data(response.body))
      #expect(pong.nonce == "abc-123")
      #expect(pong.time == TestDevice.time)
      #expect(pong.protocol == 1)
      var phone = TestDevice()
      #expect(try await server.round(&phone).epoch.text == pong.epoch)
      for query in ["", "?nonce=", "?nonce=a%22b", "?nonce=" + String(repeating: "a", count: 65)] {
        let refused = try await server.send(.get, "/v1/ping" + query)
        #expect(refused.status == 400)
      }
    }
  }

  @Test(arguments: [
    (HTTPMethod.get, "/health", 200), (.head, "/health", 200), (.post, "/health", 405),
    (.get, "/v1/sync", 405), (.options, "/v1/sync", 405), (.post, "/v1/ping", 405),
    (.get, "/v1/live", 501), (.get, "/", 404), (.get, "/v1/sync/", 404), (.post, "/V1/SYNC", 404),
    (.get, "/health/..%2F", 404), (.get, "/%68ealth", 404), (.delete, "/nothing", 404),
  ])
  func `paths and methods`(method: HTTPMethod, path: String, status: Int) async throws {
    try await withServer(in: folder) { server in
      let body: [UInt8] = method == .post ? [0x7B, 0x7D] : []
      let response = try await server.send(method, path, body: body)
      #expect(response.status == status)
      if status == 405 { #expect(response.headers["Allow"] != nil) }
    }
  }

  @Test func `a page elsewhere cannot reach a local server by a name of its own`() async throws {
    try await withServer(in: folder) { server in
      let hosts = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"]
      for host in hosts {
        let response = try await server.send(.get, "/health", headers: ["Host": host])
        #expect(response.status == 421, "\(host)")
      }
      for host in ["localhost", "LocalHost:80", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"] {
        let response = try await server.send(.get, "/health", headers: ["Host": host])
        #expect(response.status == 200, "\(host)")
      }
    }
  }

  @Test func `the log names what happened, never what was said`() async throws {
    try await withServer(in: folder) { server in
      var phone = TestDevice(0xA, name: "phone of Ann")
      _ = try await server.round(&phone, [phone.operation(1, "secret title")])
      _ = try await server.send(.get, "/v1/ping?nonce=secretnonce")
      let lines = server.lines.requests
      #expect(lines.map(\.status) == [200, 200])
      #expect(lines.first?.text.contains("local/local POST /v1/sync 200") == true)
      #expect(lines.first?.text.contains("ops=1 applied=1") == true)
      for line in lines {
        #expect(!line.text.contains("secret"))
        #expect(!line.text.contains("Ann"))
      }
    }
  }
}

/// The body of a refusal.
struct Refusal: Decodable {
  let error: String
  let message: String

  init(_ response: HTTPResponse) throws {
    self = try JSONDecoder().decode(Refusal.self, from: Data(response.body))
  }
}

private struct Pong: Decodable {
  let nonce: String
  let server: String
  let epoch: String
  let `protocol`: Int
  let time: Int64
}
