import CommuteHTTP

/// Sends each request to its endpoint; paths are compared as they are, never joined to anything.
struct Router: Sendable {
  /// An answer, and what the log says of it.
  struct Outcome {
    var response: HTTPResponse
    var owner: String?
    var detail: String
  }

  let sync: SyncEndpoint
  let ping: PingEndpoint
  /// What browsers get; nil where the server has no pages.
  let pages: WebPages?
  /// Whether only requests to this machine by name are answered.
  let isLocalOnly: Bool

  /// Answers a request; whatever goes wrong becomes an answer, too.
  func answer(_ request: HTTPRequest) async -> Outcome {
    do throws(ErrorBody) {
      return try await route(request)
    } catch {
      return Outcome(response: error.response, owner: nil, detail: "error=\(error.error)")
    }
  }

  private func route(_ request: HTTPRequest) async throws(ErrorBody) -> Outcome {
    if isLocalOnly, let host = request.headers["Host"], !LoopbackHost.isOne(authority: host) {
      throw .otherHost
    }
    switch String(request.path) {
    case "/v1/sync":
      try require(.post, of: request)
      let round = try await sync.answer(request)
      return Outcome(response: round.response, owner: round.owner, detail: round.detail)
    case "/v1/ping":
      try require(.get, of: request)
      return Outcome(response: try await ping.answer(request), owner: nil, detail: "")
    case "/health":
      try require(.get, of: request)
      return Outcome(response: try await health(), owner: nil, detail: "")
    case "/v1/live":
      try require(.get, of: request)
      throw .notYet
    default:
      guard let response = pages?.answer(request) else { throw .notFound }
      try require(.get, of: request)
      return Outcome(response: response, owner: nil, detail: "")
    }
  }

  private func require(_ method: HTTPMethod, of request: HTTPRequest) throws(ErrorBody) {
    if request.method == method { return }
    if method == .get, request.method == .head { return }
    throw .notAllowed(method == .get ? "GET, HEAD" : method.rawValue)
  }

  /// Says whether the store could answer a device.
  private func health() async throws(ErrorBody) -> HTTPResponse {
    do {
      _ = try await sync.store.identity()
    } catch {
      throw ErrorBody(error, retryAfter: sync.retrySeconds)
    }
    return .json(Array("{\"status\":\"ok\"}\n".utf8))
  }
}
