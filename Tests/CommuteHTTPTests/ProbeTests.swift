import CommuteHTTP
import Testing

/// What a hostile or broken client sends, byte by byte, and what it gets.
@Suite struct ProbeTests {
  struct Probe: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let status: Int
    var testDescription: String { name }

    init(_ name: String, fields: String = "", body: String = "", status: Int) {
      self.init(name, text: "POST /x HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)", status: status)
    }

    init(_ name: String, text: String, status: Int) {
      (self.name, self.text, self.status) = (name, text, status)
    }
  }

  static let lengths = [
    Probe(
      "a length and chunks", fields: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
      body: "0\r\n\r\n", status: 400),
    Probe(
      "chunks and a length", fields: "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
      body: "0\r\n\r\n", status: 400),
    Probe(
      "two lengths", fields: "Content-Length: 5\r\nContent-Length: 4\r\n", body: "12345",
      status: 400),
    Probe(
      "twice the same length", fields: "Content-Length: 5\r\nContent-Length: 5\r\n", body: "12345",
      status: 400),
    Probe(
      "a length of nothing before another", fields: "Content-Length: 0\r\nContent-Length: 40\r\n",
      body: "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("a length with a sign", fields: "Content-Length: +5\r\n", body: "12345", status: 400),
    Probe("a negative length", fields: "Content-Length: -5\r\n", body: "12345", status: 400),
    Probe("a list of lengths", fields: "Content-Length: 5, 5\r\n", body: "12345", status: 400),
    Probe("a length in hex", fields: "Content-Length: 0x5\r\n", body: "12345", status: 400),
    Probe("a length of nothing at all", fields: "Content-Length:\r\n", body: "12345", status: 400),
    Probe(
      "a length of nineteen digits", fields: "Content-Length: 1000000000000000000\r\n",
      status: 400),
    Probe(
      "a length beyond all numbers", fields: "Content-Length: 99999999999999999999999\r\n",
      status: 413),
    Probe(
      "a coding besides chunks", fields: "Transfer-Encoding: gzip, chunked\r\n",
      body: "0\r\n\r\n", status: 501),
    Probe(
      "chunks twice", fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      body: "0\r\n\r\n", status: 400),
    Probe(
      "chunks of no number", fields: "Transfer-Encoding: chunked\r\n", body: "zz\r\n12345\r\n",
      status: 400),
    Probe(
      "chunks in the old version",
      text: "POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 501),
  ]

  static let fields = [
    Probe("a field over two lines", fields: "X-A: b\r\n c\r\n", status: 400),
    Probe("a field over two lines, by a tab", fields: "X-A: b\r\n\tc\r\nX-B: d\r\n", status: 400),
    Probe("a fold before the first field", text: "GET / HTTP/1.1\r\n Host: a\r\n\r\n", status: 400),
    Probe("a NUL in a value", fields: "X-A: b\0c\r\nX-B: d\r\n", status: 400),
    Probe("a NUL in the last value", fields: "X-A: b\0c\r\n", status: 400),
    Probe("a NUL at the end of a value", fields: "X-A: b\0\r\nX-B: d\r\n", status: 400),
    Probe("a length behind a NUL", fields: "X-A: b\0\r\nContent-Length: 5\r\n", status: 400),
    Probe("a NUL in a name", fields: "X-\0A: b\r\n", status: 400),
    Probe("a NUL in the path", text: "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("a control character in a value", fields: "X-A: b\u{1}c\r\n", status: 400),
    Probe("a bare carriage return in a value", fields: "X-A: b\rc\r\n", status: 400),
    Probe("a blank before the colon", fields: "X-A : b\r\n", status: 400),
    Probe("a blank in a name", fields: "X A: b\r\n", status: 400),
    Probe("a field without a name", fields: ": b\r\n", status: 400),
    Probe("a field without a colon", fields: "X-A\r\n", status: 400),
    Probe("a bare line feed", fields: "X-A: b\nX-B: c\r\n", status: 400),
    Probe("bare line feeds only", text: "GET / HTTP/1.1\nHost: a\n\n", status: 400),
    Probe("no host", text: "GET / HTTP/1.1\r\n\r\n", status: 400),
    Probe("two hosts", fields: "Host: b\r\n", status: 400),
    Probe("a strange expectation", fields: "Expect: money\r\n", status: 417),
    Probe(
      "a head of 16 KiB and some", fields: "X-A: \(String(repeating: "b", count: 16_384))\r\n",
      status: 431),
    Probe(
      "a head of 64 KiB", fields: "X-A: \(String(repeating: "b", count: 65_536))\r\n", status: 431),
    Probe(
      "a hundred and one fields",
      fields: (0..<100).map { "X-\($0): b\r\n" }.joined(), status: 431),
  ]

  static let lines = [
    Probe("an unknown method", text: "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", status: 501),
    Probe("a method in small letters", text: "get / HTTP/1.1\r\nHost: a\r\n\r\n", status: 501),
    Probe("a tunnel", text: "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", status: 501),
    Probe("a whole address", text: "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("a path without a slash", text: "GET x HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("a star for another method", text: "GET * HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("a path of umlauts", text: "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe("two blanks", text: "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", status: 400),
    Probe(
      "a path of 9,000 bytes",
      text: "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n", status: 414),
    Probe("a version to come", text: "GET / HTTP/2.0\r\nHost: a\r\n\r\n", status: 505),
  ]

  @Test(arguments: lengths + fields + lines)
  func `a broken request is refused and its connection closed`(probe: Probe) async throws {
    let heard = try await withServer(handler: echo) { server in
      await say(probe.text, to: server.port)
    }
    // Where the library refuses by itself, it may send the head of its answer twice.
    #expect(Set(heard.statuses) == [probe.status], "\(heard.text)")
    #expect(heard.isClosed)
  }

  @Test(
    arguments: [
      "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n", "\0\0\0\r\n\r\n", "GET\r\n\r\n",
      "GET /?\(String(repeating: "&", count: 10_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  func `what is no request at all gets its connection closed`(text: String) async throws {
    var settings = HTTPServerSettings()
    settings.headTimeLimit = .milliseconds(200)
    let heard = try await withServer(settings, handler: echo) { server in
      await say(text, to: server.port)
    }
    #expect(heard.status != 200)
    #expect(heard.isClosed)
  }

  @Test(
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\nX-A:b\r\nX-B:   c\r\nX-C:\r\nX-D: \r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n",
      "GET /?\(String(repeating: "a=b&", count: 200)) HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "b", count: 16_000))\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\nX-A: \"q\" \t é\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
    ])
  func `what is unusual but right is answered`(text: String) async throws {
    let heard = try await withServer(handler: echo) { server in
      await onThread { [port = server.port] in
        let socket = RawSocket(port: port)
        socket.send(text)
        return socket.hear { $0.contains("\r\n\r\n") }
      }
    }
    #expect(heard.status == 200, "\(heard.text)")
  }
}
