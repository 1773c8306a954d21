import CommuteHTTP
import Testing

/// Clients that take their time, to hold what the server has little of.
@Suite struct SlowClientTests {
  var settings = HTTPServerSettings()

  init() {
    settings.headTimeLimit = .milliseconds(200)
    settings.bodyTimeLimit = .milliseconds(200)
    settings.answerTimeLimit = .milliseconds(200)
    settings.idleTimeLimit = .milliseconds(200)
    settings.slowestRate = 1 << 20
  }

  @Test func `who connects and says nothing is cut`() async throws {
    let heard = try await withServer(settings, handler: echo) { server in
      await say("", to: server.port)
    }
    #expect(heard.isClosed)
    #expect(heard.bytes.isEmpty)
  }

  @Test(
    arguments: [
      "POST /x HT", "POST /x HTTP/1.1\r\nHost: a\r\nX-A: ",
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: ",
    ])
  func `who sends byte after byte for ever is cut`(beginning: String) async throws {
    let (heard, sent) = try await withServer(settings, handler: echo) { server in
      await onThread { [port = server.port] in
        let socket = RawSocket(port: port)
        socket.send(beginning)
        var sent = 0
        while sent < 500, !socket.isReadable(within: 20), socket.send("a") { sent += 1 }
        return (socket.hear(), sent)
      }
    }
    #expect(heard.isClosed)
    #expect(heard.status == 0)
    #expect((2..<500).contains(sent))
  }

  @Test func `a slow second request is cut like a slow first one`() async throws {
    let heard = try await withServer(settings, handler: echo) { server in
      await say("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: ", to: server.port)
    }
    #expect(heard.statuses == [200])
    #expect(heard.isClosed)
  }

  @Test func `an idle connection is closed`() async throws {
    let heard = try await withServer(settings, handler: echo) { server in
      await say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", to: server.port)
    }
    #expect(heard.statuses == [200])
    #expect(heard.isClosed)
  }

  @Test mutating func `who does not read the answer is cut`() async throws {
    settings.slowestRate = 1 << 30
    let size = 48 << 20
    let body = [UInt8](repeating: 97, count: size)
    let handler: HTTPServer.Handler = { request, _ in
      HTTPResponse(status: 200, body: request.path == "/large" ? body : [])
    }
    let heard = try await withServer(settings, handler: handler) { server in
      let socket = await onThread { [port = server.port] in
        let socket = RawSocket(port: port, receiveBuffer: 4096)
        socket.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = socket.isReadable(within: 20_000)
        return socket
      }
      // The client's own connection is the one that is left.
      let client = makeClient()
      var tries = 0
      repeat {
        _ = try await client.send(HTTPRequest(url: server.url()))
        tries += 1
      } while server.connectionCount > 1 && tries < 50_000
      return await onThread { socket.hear() }
    }
    #expect(heard.isClosed)
    #expect(heard.status == 200)
    let length = heard.bytes.count
    #expect(length < size)
  }

  @Test mutating func `a body that comes slowly but steadily is taken`() async throws {
    settings.slowestRate = 10
    let heard = try await withServer(settings, handler: echo) { server in
      await onThread { [port = server.port] in
        let socket = RawSocket(port: port)
        socket.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n")
        socket.send("Connection: close\r\n\r\n")
        for _ in 0..<20 where !socket.isReadable(within: 20) { socket.send("a") }
        return socket.hear()
      }
    }
    #expect(heard.status == 200)
    #expect(heard.text.hasSuffix(String(repeating: "a", count: 20)))
  }
}
