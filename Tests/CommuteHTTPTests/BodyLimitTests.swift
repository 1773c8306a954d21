import Synchronization
import Testing

@testable import CommuteHTTP

/// Bodies that are too large or compressed, in both directions.
@Suite struct BodyLimitTests {
  let client = makeClient()
  let records = GzipTests.records(500)

  @Test(arguments: [100_001, 300_000, 3 << 20])
  func `a body too large gets 413 and not a broken connection`(size: Int) async throws {
    var settings = HTTPServerSettings()
    settings.bodyLimit = 100_000
    let answer = try await withServer(settings, handler: echo) { server in
      try await client.send(
        HTTPRequest(
          method: .post, url: server.url(), body: [UInt8](repeating: 97, count: size)))
    }
    #expect(answer.status == 413)
    #expect(answer.headers["Connection"] == "close")
    #expect(answer.headers["Content-Type"] == "application/json")
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"{"error":"tooLarge","message":"the body has more than 100000 bytes;"#
        + " send less at once\"}\n")
  }

  @Test func `a body too large is read before it is refused, and a far larger one not`()
    async throws
  {
    var settings = HTTPServerSettings()
    settings.bodyLimit = 1000
    let (early, late, far) = try await withServer(settings, handler: echo) { server in
      await onThread { [port = server.port] in
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
        let socket = RawSocket(port: port)
        socket.send(head + "4000\r\n\r\n" + String(repeating: "a", count: 2000))
        let isEarly = socket.isReadable(within: 100)
        socket.send(String(repeating: "a", count: 2000))
        let late = socket.hear()
        let second = RawSocket(port: port)
        second.send(head + "4001\r\n\r\n")
        return (isEarly, late, second.hear())
      }
    }
    #expect(!early)
    #expect(late.status == 413)
    #expect(late.isClosed)
    #expect(far.status == 413)
    #expect(far.isClosed)
  }

  @Test func `chunks too many get 413, and far too many an end`() async throws {
    var settings = HTTPServerSettings()
    settings.bodyLimit = 1000
    let chunk = "3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n"
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let (two, many) = try await withServer(settings, handler: echo) { server in
      let two = await say(head + chunk + chunk + "0\r\n\r\n", to: server.port)
      let many = await say(head + String(repeating: chunk, count: 10), to: server.port)
      return (two, many)
    }
    #expect(two.status == 413)
    #expect(two.isClosed)
    #expect(many.status == 0)
    #expect(many.isClosed)
  }

  @Test func `a body of exactly the limit is taken`() async throws {
    var settings = HTTPServerSettings()
    settings.bodyLimit = 100_000
    let body = [UInt8](repeating: 97, count: 100_000)
    let answer = try await withServer(settings, handler: echo) { server in
      try await client.send(HTTPRequest(method: .post, url: server.url(), body: body))
    }
    let isSame = answer.body == body
    #expect(isSame)
  }

  @Test func `a compressed request arrives unpacked`() async throws {
    let packed = try #require(Gzip.packed(records))
    let answer = try await withServer(handler: echo) { server in
      try await client.send(
        HTTPRequest(
          method: .post, url: server.url(), headers: ["Content-Encoding": "gzip"], body: packed))
    }
    let isSame = answer.body == records
    #expect(isSame)
  }

  @Test func `a request that is a bomb, broken, or of another coding is refused`() async throws {
    let cases: [(coding: String, body: [UInt8], status: Int)] = [
      ("gzip", try GzipBomb.make(unpackedSize: 4 << 20), 413),
      ("gzip", Array("no gzip at all".utf8), 400),
      ("br", Array("whatever".utf8), 415),
      ("gzip, gzip", Array("whatever".utf8), 415),
      ("identity", Array("plain".utf8), 200),
    ]
    try await withServer(handler: echo) { server in
      for (coding, body, status) in cases {
        let answer = try await client.send(
          HTTPRequest(
            method: .post, url: server.url(), headers: ["Content-Encoding": coding], body: body))
        #expect(answer.status == status, "\(coding)")
      }
    }
  }

  @Test func `a client that may compresses what it sends to other machines`() async throws {
    var settings = HTTPClientSettings()
    settings.compressesRequests = true
    let packing = makeClient(settings)
    let lengths = Mutex<[String]>([])
    let handler: HTTPServer.Handler = { request, _ in
      let length = request.headers["Content-Length"] ?? "unpacked"
      lengths.withLock { $0.append(length) }
      return HTTPResponse(status: 200, body: request.body)
    }
    try await withServer(handler: handler) { server in
      // Linux takes this address for its own, but it does not look like it.
      for host in ["0.0.0.0", "127.0.0.1"] {
        let url = "http://\(host):\(server.port)/"
        let answer = try await packing.send(
          HTTPRequest(method: .post, url: url, body: records))
        let isSame = answer.body == records
        #expect(isSame)
      }
    }
    let seen = lengths.withLock { $0 }
    #expect(seen == ["unpacked", "\(records.count)"])
  }

  @Test func `an answer is compressed for who takes it, and unpacked by the client`()
    async throws
  {
    let (raw, answer) = try await withServer(
      handler: { [records] _, _ in HTTPResponse(status: 200, body: records) },
      { server in
        let raw = await say(
          "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n",
          to: server.port)
        let answer = try await client.send(
          HTTPRequest(url: server.url(), headers: ["Accept-Encoding": "gzip"]))
        return (raw, answer)
      })
    #expect(raw.text.contains("Content-Encoding: gzip"))
    #expect(raw.text.contains("Vary: Accept-Encoding"))
    #expect(raw.bytes.count < records.count / 2)
    let isSame = answer.body == records
    #expect(isSame)
    #expect(answer.headers["Content-Encoding"] == nil)
  }

  @Test(
    arguments: [
      ("", "text/plain", 40_000, true), ("gzip", "image/png", 40_000, true),
      ("gzip", "text/plain", 900, true), ("gzip", "text/plain", 40_000, false),
    ])
  func `an answer is left alone where packing helps nobody`(
    wish: String, type: String, size: Int, isOn: Bool
  ) async throws {
    var settings = HTTPServerSettings()
    settings.compressesAnswers = isOn
    let body = Array(GzipTests.records(1000).prefix(size))
    let heard = try await withServer(
      settings,
      handler: { _, _ in HTTPResponse(status: 200, headers: ["Content-Type": type], body: body) },
      { server in
        await say(
          "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: \(wish)\r\nConnection: close\r\n\r\n",
          to: server.port)
      })
    #expect(!heard.text.contains("Content-Encoding"))
    let isWhole = heard.bytes.suffix(size) == body[...]
    #expect(isWhole)
  }

  @Test func `an answer that is a bomb is not unpacked`() async throws {
    let bomb = try GzipBomb.make(unpackedSize: 20 << 20)
    let head =
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
    let server = await FakeServer(answering: Array(head.utf8) + bomb)
    await #expect(throws: HTTPClientError.tooLarge(limit: bomb.count * 20)) {
      try await client.send(HTTPRequest(url: server.url()))
    }
  }

  @Test func `an answer that is packed in a broken or unknown way is none`() async throws {
    for coding in ["gzip", "br"] {
      let server = await FakeServer(
        answering: "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 3\r\n\r\nabc")
      let error = await #expect(throws: HTTPClientError.self) {
        try await client.send(HTTPRequest(url: server.url()))
      }
      guard case .notAnAnswer = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(arguments: ["Content-Length: 5000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1388\r\n"])
  func `an answer larger than the client's limit is given up`(head: String) async throws {
    var settings = HTTPClientSettings()
    settings.answerLimit = 4999
    let small = makeClient(settings)
    let server = await FakeServer(
      answering: "HTTP/1.1 200 OK\r\n\(head)" + String(repeating: "a", count: 5000)
        + "\r\n0\r\n\r\n")
    await #expect(throws: HTTPClientError.tooLarge(limit: 4999)) {
      try await small.send(HTTPRequest(url: server.url()))
    }
  }
}
