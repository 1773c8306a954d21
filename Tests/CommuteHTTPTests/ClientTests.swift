import CommuteHTTP
import Synchronization
import Testing

@Suite struct ClientTests {
  let client = makeClient()

  @Test func `nothing listens at the port`() async throws {
    let settings = HTTPServerSettings.alone(2)
    let server = HTTPServer(settings, handler: echo)
    try server.start()
    await server.drain(limit: .seconds(1))
    await #expect(throws: HTTPClientError.noNetwork(.refused)) {
      try await client.send(HTTPRequest(url: server.url(host: settings.host)))
    }
  }

  @Test func `a name that nobody knows`() async throws {
    var settings = HTTPClientSettings()
    settings.timeLimit = .seconds(20)
    settings.connectTimeLimit = .seconds(20)
    let client = makeClient(settings)
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest(url: "http://nobody.invalid/"))
    }
    // Without any name server the look-up only ends with the time.
    #expect(error == .noNetwork(.unknownHost) || error == .timedOut)
  }

  @Test(
    arguments: [
      "", "localhost", "localhost:8080/x", "ftp://localhost/", "file:///etc/passwd", "http://",
      "http://a b/", "http://a/\r\nX: y", "http://[::1", "http://a:99999/",
    ])
  func `what is no web address is refused before anything is sent`(url: String) async throws {
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest(url: url))
    }
    guard case .badAddress = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    arguments: [
      ("", .noNetwork(.connectionLost)),
      ("HTTP/1.1 200 OK\r\n", .notAnAnswer(reason: "it breaks off in the head")),
      ("HTTP/1.1 200 OK\r\nContent-Le", .notAnAnswer(reason: "it breaks off in the head")),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        .notAnAnswer(reason: "it breaks off in the body")
      ),
      ("HTTP/1.1 200 OK\r\n\r\nabc", .notAnAnswer(reason: "it does not say where it ends")),
      ("HTTP/1.1 200 OK\r\n\r\n", .notAnAnswer(reason: "it does not say where it ends")),
      ("HTTP/1.1 100 Continue\r\n\r\n", .notAnAnswer(reason: "it breaks off")),
    ] as [(String, HTTPClientError)])
  func `a server that dies in the middle`(text: String, error: HTTPClientError) async throws {
    let server = await FakeServer(answering: text)
    await #expect(throws: error) { try await client.send(HTTPRequest(url: server.url())) }
  }

  @Test(
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}", "HTTP/1.1 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "HTTP/1.1 200 OK\r\nX-A: b\0c\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 70_000))\r\n"
        + "Content-Length: 0\r\n\r\n",
    ])
  func `something that is no web server`(text: String) async throws {
    let server = await FakeServer(answering: text)
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest(url: server.url()))
    }
    guard case .notAnAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a reset in the middle of the body`() async throws {
    let server = await FakeServer(
      answering: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", ending: .reset)
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest(url: server.url()))
    }
    guard case .notAnAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a redirect is an answer like any other`() async throws {
    let server = await FakeServer(
      answering: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    let answer = try await client.send(HTTPRequest(url: server.url()))
    #expect(answer.status == 302)
    #expect(answer.headers["location"] == "http://127.0.0.1:1/")
  }

  @Test func `interim answers and repeated fields`() async throws {
    let server = await FakeServer(
      answering: "HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nX-A: one \r\nX-A:two\r\nContent-Length: 2\r\n\r\nok")
    let answer = try await client.send(HTTPRequest(url: server.url()))
    #expect(answer.status == 200)
    #expect(answer.headers.values(of: "x-a") == ["one", "two"])
    #expect(answer.body == Array("ok".utf8))
  }

  @Test func `a server that does not answer in time`() async throws {
    let gate = Gate()
    let server = HTTPServer(HTTPServerSettings()) { _, _ in
      await gate.wait()
      return HTTPResponse(status: 200)
    }
    try server.start()
    await #expect(throws: HTTPClientError.timedOut) {
      try await client.send(HTTPRequest(url: server.url(), timeLimit: .milliseconds(100)))
    }
    gate.open()
    await server.drain(limit: .seconds(5))
  }

  @Test func `a cancelled request ends at once`() async throws {
    let (begun, gate) = (Gate(), Gate())
    let server = HTTPServer(HTTPServerSettings()) { _, _ in
      begun.open()
      await gate.wait()
      return HTTPResponse(status: 200)
    }
    try server.start()
    let task = Task { [client] in try await client.send(HTTPRequest(url: server.url())) }
    await begun.wait()
    task.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    gate.open()
    // The client is as good as before.
    let answer = try await client.send(HTTPRequest(url: server.url()))
    #expect(answer.status == 200)
    await server.drain(limit: .seconds(5))
  }

  @Test func `a request of a cancelled task is not sent`() async throws {
    let task = Task { [client] in
      _ = await Gate().waitOrCancel()
      return try await client.send(HTTPRequest(url: "http://127.0.0.1:1/"))
    }
    task.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
  }

  @Test func `a storm of cancellations leaves nothing hanging`() async throws {
    try await withServer(handler: echo) { server in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          group.addTask { [client] in
            let task = Task { try await client.send(HTTPRequest(url: server.url("/\(number)"))) }
            if number % 3 > 0 { await Task.yield() }
            if number % 2 == 0 { task.cancel() }
            _ = await task.result
          }
        }
      }
      let answer = try await client.send(HTTPRequest(url: server.url()))
      #expect(answer.status == 200)
    }
  }

  @Test func `connections are kept, and a dead one is replaced unseen`() async throws {
    var settings = HTTPServerSettings.alone(3)
    let first = HTTPServer(settings, handler: echo)
    try first.start()
    let url = first.url(host: settings.host)
    for _ in 0..<5 { _ = try await client.send(HTTPRequest(url: url)) }
    #expect(first.connectionCount == 1)
    await first.drain(limit: .seconds(5))
    settings.port = first.port
    try await withServer(settings, handler: echo) { _ in
      let answer = try await client.send(
        HTTPRequest(method: .post, url: url, body: Array("again".utf8)))
      #expect(answer.body == Array("again".utf8))
    }
  }

  @Test func `many requests at once share few connections`() async throws {
    try await withServer(handler: echo) { server in
      let statuses = await withTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          group.addTask { [client] in
            let body = [UInt8](repeating: 1, count: number * 10)
            let request = HTTPRequest(method: .post, url: server.url(), body: body)
            let answer = try? await client.send(request)
            return answer?.body == body ? 200 : 0
          }
        }
        return await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.allSatisfy { $0 == 200 })
      #expect(server.connectionCount <= 8)
    }
  }

  @Test(
    arguments: [
      ("X-A", "a\r\nX-Evil: b"), ("X-A", "a\nb"), ("X-A", "a\0b"), ("X-A", "a\u{7F}"),
      ("X A", "b"), ("", "b"), ("X-A:", "b"),
    ])
  func `a field that would break the head is not sent`(name: String, value: String) async throws {
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest(url: "http://127.0.0.1:1/", headers: [name: value]))
    }
    guard case .badAddress(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("field \(name)"))
  }

  @Test func `a field may be empty`() async throws {
    let seen = Mutex("unseen")
    try await withServer(
      handler: { request, _ in
        seen.withLock { $0 = request.headers["X-Empty"] ?? "absent" }
        return HTTPResponse(status: 204)
      },
      { server in
        _ = try await client.send(HTTPRequest(url: server.url(), headers: ["X-Empty": ""]))
      })
    let value = seen.withLock { $0 }
    #expect(value == "")
  }

  @Test func `every error says in one line what to do`() {
    let errors: [HTTPClientError] = [
      .badAddress(reason: "r"), .noNetwork(.refused),
      .noNetwork(.unknownHost),
      .noNetwork(.unreachable), .noNetwork(.connectionLost), .noNetwork(.outOfResources),
      .timedOut, .badCertificate(reason: "r", host: "h"), .tooLarge(limit: 5),
      .notAnAnswer(reason: "r"), .cancelled,
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.allSatisfy { !$0.description.contains("\n") })
    #expect(errors.filter(\.isRetryable).count == 7)
  }
}
