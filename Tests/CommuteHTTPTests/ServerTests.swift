import Synchronization
import Testing

@testable import CommuteHTTP

@Suite struct ServerTests {
  let simple = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
  let last = "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  @Test func `a connection is kept for the next request`() async throws {
    let heard = try await withServer(handler: echo) { server in
      await onThread { [simple, last, port = server.port] in
        let socket = RawSocket(port: port)
        socket.send(simple)
        _ = socket.hear { $0.contains("X-Url: /a") && $0.hasSuffix("\r\n\r\n") }
        socket.send(last)
        return socket.hear()
      }
    }
    #expect(heard.status == 200)
    #expect(heard.text.contains("X-Url: /b"))
    #expect(heard.isClosed)
  }

  @Test func `requests sent at once are answered in their order`() async throws {
    let heard = try await withServer(handler: echo) { server in
      await say(simple + simple + last, to: server.port)
    }
    #expect(heard.statuses == [200, 200, 200])
    #expect(heard.text.hasSuffix("\r\n\r\n"))
    let urls = heard.text.split(separator: "\r\n").filter { $0.hasPrefix("X-Url") }
    #expect(urls == ["X-Url: /a", "X-Url: /a", "X-Url: /b"])
  }

  @Test func `a large body is asked for before it is sent`() async throws {
    let heard = try await withServer(handler: echo) { server in
      await onThread { [port = server.port] in
        let socket = RawSocket(port: port)
        socket.send(
          "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"
            + "Connection: close\r\n\r\n")
        let first = socket.hear { $0.hasSuffix("\r\n\r\n") }
        socket.send("abc")
        return (first.status, socket.hear())
      }
    }
    #expect(heard.0 == 100)
    #expect(heard.1.status == 200)
    #expect(heard.1.text.hasSuffix("\r\n\r\nabc"))
  }

  @Test func `a star asks what the server can do at all`() async throws {
    let heard = try await withServer(handler: echo) { server in
      await say(
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", to: server.port)
    }
    #expect(heard.status == 204)
    #expect(heard.text.contains("Allow: GET, HEAD, POST"))
  }

  @Test func `an answer with a line end in a field loses that field only`() async throws {
    let heard = try await withServer(
      handler: { _, _ in
        HTTPResponse(status: 200, headers: ["X-Bad": "a\r\nX-Evil: b", "X-Good": "c"])
      },
      { server in await say(last, to: server.port) })
    #expect(heard.status == 200)
    #expect(!heard.text.contains("X-Evil"))
    #expect(heard.text.contains("X-Good: c"))
  }

  @Test func `a port in use is said in one line`() async throws {
    try await withServer(handler: echo) { server in
      var settings = HTTPServerSettings()
      settings.port = server.port
      let second = HTTPServer(settings, handler: echo)
      let error = #expect(throws: HTTPServerError.self) { try second.start() }
      #expect(error == .portInUse(host: "127.0.0.1", port: server.port))
      #expect(error?.description.contains("port \(server.port) of 127.0.0.1 is in use") == true)
    }
  }

  @Test(arguments: ["192.0.2.1", "no such host"])
  func `a host of another machine is refused by name`(host: String) {
    var settings = HTTPServerSettings()
    settings.host = host
    let server = HTTPServer(settings, handler: echo)
    #expect(throws: HTTPServerError.hostNotHere(host: host)) { try server.start() }
  }

  @Test func `a server starts once, and its port is free when it has drained`() async throws {
    var settings = HTTPServerSettings.alone(4)
    let server = HTTPServer(settings, handler: echo)
    #expect(server.port == 0)
    try server.start()
    #expect(server.port != 0)
    #expect(throws: HTTPServerError.startedBefore) { try server.start() }
    await server.drain(limit: .seconds(1))
    await server.drain(limit: .seconds(1))
    #expect(throws: HTTPServerError.startedBefore) { try server.start() }
    settings.port = server.port
    let next = HTTPServer(settings, handler: echo)
    try next.start()
    await next.drain(limit: .seconds(1))
  }

  @Test func `a server that is let go closes its port`() async throws {
    var server: HTTPServer? = HTTPServer(HTTPServerSettings(), handler: echo)
    try server?.start()
    let port = server?.port ?? 0
    let socket = RawSocket(port: port)
    server = nil
    let heard = await onThread { socket.hear() }
    #expect(heard.isClosed)
  }

  @Test func `an address gets only so many connections`() async throws {
    var settings = HTTPServerSettings()
    settings.connectionsPerAddress = 2
    let (kept, refused) = try await withServer(settings, handler: echo) { server in
      await onThread { [simple, port = server.port] in
        let sockets = (0..<2).map { _ in RawSocket(port: port) }
        let kept = sockets.map { socket in
          socket.send(simple)
          return socket.hear { $0.hasSuffix("\r\n\r\n") }
        }
        let third = RawSocket(port: port)
        third.send(simple)
        return (kept.map(\.status), third.hear())
      }
    }
    #expect(kept == [200, 200])
    #expect(refused.isClosed)
    #expect(refused.bytes.isEmpty)
  }
}
