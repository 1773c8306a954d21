import CommuteHTTP
import Synchronization
import Testing

/// How a server ends, and what happens to requests whose other side is gone.
@Suite struct DrainTests {
  let client = makeClient()

  @Test func `a running request is finished before the server closes`() async throws {
    let (begun, mayEnd) = (Gate(), Gate())
    let server = HTTPServer(HTTPServerSettings()) { _, _ in
      begun.open()
      await mayEnd.wait()
      return HTTPResponse(status: 200, line: "done")
    }
    try server.start()
    async let answer = client.send(HTTPRequest(url: server.url()))
    await begun.wait()
    async let drained: Void = server.drain(limit: .seconds(60))
    // From now on nobody is let in; the one who is in does not suffer.
    let isClosed = await untilRefused(server)
    #expect(isClosed)
    mayEnd.open()
    let done = try await answer
    #expect(done.status == 200)
    #expect(done.headers["Connection"] == "close")
    await drained
    #expect(server.connectionCount == 0)
  }

  @Test func `an idle connection does not hold the server up`() async throws {
    let server = HTTPServer(HTTPServerSettings(), handler: echo)
    try server.start()
    let socket = await onThread { [port = server.port] in
      let socket = RawSocket(port: port)
      socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = socket.hear { $0.hasSuffix("\r\n\r\n") }
      return socket
    }
    await server.drain(limit: .seconds(60))
    let heard = await onThread { socket.hear() }
    #expect(heard.isClosed)
  }

  @Test func `a handler that goes on and on is cancelled, and its client hears the end`()
    async throws
  {
    let begun = Gate()
    let isCancelled = Atomic(false)
    let ended = Gate()
    let server = HTTPServer(HTTPServerSettings()) { _, _ in
      begun.open()
      isCancelled.store(await Gate().waitOrCancel(), ordering: .relaxed)
      ended.open()
      return HTTPResponse(status: 200)
    }
    try server.start()
    async let heard = say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", to: server.port)
    await begun.wait()
    await server.drain(limit: .milliseconds(50))
    await ended.wait()
    let end = await heard
    #expect(end.isClosed)
    #expect(end.bytes.isEmpty)
    let wasCancelled = isCancelled.load(ordering: .relaxed)
    #expect(wasCancelled)
  }

  @Test(arguments: [false, true])
  func `a client that leaves while its request runs harms nobody`(isReset: Bool) async throws {
    let (begun, mayEnd) = (Gate(), Gate())
    let handler: HTTPServer.Handler = { request, _ in
      if request.path == "/slow" {
        begun.open()
        await mayEnd.wait()
      }
      return HTTPResponse(status: 200, body: [UInt8](repeating: 97, count: 100_000))
    }
    try await withServer(handler: handler) { server in
      await onThread { [port = server.port] in
        let socket = RawSocket(port: port)
        socket.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        if isReset { socket.reset() }
        // A reset drops what the server has not read, so the request has to be there first.
        return socket
      }.keep(until: begun)
      mayEnd.open()
      let answer = try await client.send(HTTPRequest(url: server.url("/quick")))
      #expect(answer.body.count == 100_000)
    }
  }

  @Test func `three hundred resets in a row leave the server answering`() async throws {
    try await withServer(handler: echo) { server in
      await onThread { [port = server.port] in
        for _ in 0..<300 {
          let socket = RawSocket(port: port)
          socket.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
          socket.reset()
        }
      }
      let answer = try await client.send(
        HTTPRequest(method: .post, url: server.url(), body: [1, 2, 3]))
      #expect(answer.body == [1, 2, 3])
    }
  }

  /// Whether new connections end without an answer once the server has begun to drain.
  private func untilRefused(_ server: HTTPServer) async -> Bool {
    await onThread { [port = server.port] in
      func isRefused(within milliseconds: Int32) -> Bool {
        let socket = RawSocket(port: port)
        socket.send("GET / HTTP/1.0\r\n\r\n")
        // Taken in before the drain began, it would wait in the handler: let it go.
        return socket.isReadable(within: milliseconds) && socket.hear().bytes.isEmpty
      }
      // The first that ends may have been idle when the drain began; none gets in after it.
      var tries = 0
      while !isRefused(within: 20) {
        tries += 1
        // Each of them waits in the handler; more would be refused for their number alone.
        guard tries < 300 else { return false }
      }
      return isRefused(within: 10_000)
    }
  }
}

extension RawSocket {
  /// Keeps the socket open until the gate is.
  fileprivate func keep(until gate: Gate) async {
    await gate.wait()
    withExtendedLifetime(self) {}
  }
}
