import CommuteHTTP

/// A server for one test, closed when the test is over.
func withServer<Result>(
  _ settings: HTTPServerSettings = HTTPServerSettings(), handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer) async throws -> Result
) async throws -> Result {
  let server = HTTPServer(settings, handler: handler)
  try server.start()
  do {
    let result = try await body(server)
    await server.drain(limit: .seconds(5))
    return result
  } catch {
    await server.drain(limit: .zero)
    throw error
  }
}

/// A handler that sends back what it got.
let echo: HTTPServer.Handler = { request, peer in
  var answer = HTTPResponse(status: 200, body: request.body)
  answer.headers["X-Method"] = request.method.rawValue
  answer.headers["X-Url"] = request.url
  answer.headers["X-Sent"] = request.headers["X-Sent"]
  answer.headers["X-Peer"] = peer.address
  return answer
}

extension HTTPServer {
  /// The address of a path on this server.
  func url(_ path: String = "/", host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)\(path)"
  }
}

extension HTTPServerSettings {
  /// Settings for a test that needs its port again after the server has ended.
  ///
  /// A port that is given back at the usual address may be handed to another test in between;
  /// each test names another last number. Only Linux answers at all of these addresses.
  static func alone(_ number: Int) -> HTTPServerSettings {
    var settings = HTTPServerSettings()
    #if os(Linux)
      settings.host = "127.0.0.\(number)"
    #endif
    return settings
  }
}

/// The client of this platform.
func makeClient(_ settings: HTTPClientSettings = HTTPClientSettings()) -> any HTTPClient {
  #if os(Linux)
    CurlClient(settings)
  #else
    URLSessionClient(settings)
  #endif
}
