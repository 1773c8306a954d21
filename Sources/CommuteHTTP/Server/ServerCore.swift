#if canImport(CMicroHTTPD)
  import Synchronization

  /// What all connections of a server share.
  final class ServerCore: Sendable {
    let settings: HTTPServerSettings
    let registry = ConnectionRegistry()
    /// Whether the server takes no more work.
    let isDraining = Atomic(false)
    /// How many threads are about to resume a connection.
    let resumptions = Atomic(0)
    private let handler: HTTPServer.Handler

    init(settings: HTTPServerSettings, handler: @escaping HTTPServer.Handler) {
      self.settings = settings
      self.handler = handler
    }

    /// Whether a connection from this peer is taken.
    func admits(_ peer: HTTPPeer) -> Bool {
      !isDraining.load(ordering: .relaxed)
        && registry.count(of: peer) < settings.connectionsPerAddress
    }

    /// Checks the head of a request.
    func check(
      _ head: RequestHead
    ) throws(Refusal) -> (method: HTTPMethod, framing: RequestHead.Framing) {
      let rules = HeadGuard(headLimit: settings.headLimit, fieldLimit: settings.fieldLimit)
      return try rules.check(head)
    }

    /// Answers a whole request, with the handler or without.
    func answer(to request: HTTPRequest, from peer: HTTPPeer) async -> PreparedAnswer? {
      let takesGzip = ContentCoding.acceptsGzip(request.headers)
      let answer = await plainAnswer(to: request, from: peer)
      return PreparedAnswer(
        answer, packing: takesGzip && settings.compressesAnswers,
        closing: isDraining.load(ordering: .relaxed))
    }

    private func plainAnswer(to request: HTTPRequest, from peer: HTTPPeer) async -> HTTPResponse {
      guard request.url != "*" else {
        let methods = HTTPMethod.allCases.map(\.rawValue).joined(separator: ", ")
        return HTTPResponse(status: 204, headers: ["Allow": methods])
      }
      var request = request
      do throws(Refusal) {
        try ContentCoding.unpack(&request, limit: settings.unpackedBodyLimit)
      } catch {
        return error.answer
      }
      // The library leaves the body of the answer out by itself.
      if request.method == .head { request.method = .get }
      return await handler(request, peer)
    }

    /// How often connections are looked through for late ones.
    var sweepInterval: Duration {
      let limits = [
        settings.headTimeLimit, settings.bodyTimeLimit, settings.answerTimeLimit,
        settings.idleTimeLimit,
      ]
      let shortest = limits.reduce(.seconds(4), min)
      return max(shortest / 4, .milliseconds(10))
    }

    /// Cuts every connection that is late.
    func sweep() {
      let now = ContinuousClock.now
      registry.forEach { $0.cutIfLate(now) }
    }
  }
#endif
