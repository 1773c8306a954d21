#if canImport(CMicroHTTPD)
  import Synchronization

  /// An HTTP server on libmicrohttpd: the library carries bytes, the handler answers.
  ///
  /// ```swift
  /// let server = HTTPServer(HTTPServerSettings()) { request, peer in
  ///   HTTPResponse(status: 200, line: "hello \(peer.address)")
  /// }
  /// try server.start()
  /// await server.drain(limit: .seconds(10))
  /// ```
  /// Heads are checked and bodies are complete and unpacked before the handler sees a request; see
  /// ``HTTPServerSettings`` for the limits. `HEAD` reaches the handler as `GET`.
  public final class HTTPServer: Sendable {
    /// What answers requests; its task is cancelled where the server ends before it is done.
    public typealias Handler = @Sendable (HTTPRequest, HTTPPeer) async -> HTTPResponse

    private enum State {
      case fresh
      case running(ServerDaemon, sweeper: Task<Void, Never>)
      case over
    }

    private let core: ServerCore
    private let state = Mutex(State.fresh)
    private let boundPort = Atomic<UInt16>(0)

    /// Makes a server that does not listen yet.
    public init(_ settings: HTTPServerSettings, handler: @escaping Handler) {
      core = ServerCore(settings: settings, handler: handler)
    }

    deinit {
      guard let (daemon, sweeper) = takeDaemon() else { return }
      sweeper.cancel()
      core.registry.abandonAll()
      if !BackgroundThread.start({ daemon.stop() }) { daemon.stop() }
    }

    /// The port the server listens at, also where the system chose it; 0 before it has started.
    public var port: UInt16 { boundPort.load(ordering: .acquiring) }

    /// How many connections are open now.
    public var connectionCount: Int { core.registry.count }

    /// Begins to listen and to answer.
    ///
    /// - Throws: Why it cannot listen there; nothing is left open then.
    public func start() throws(HTTPServerError) {
      let core = core
      try state.withLock { state throws(HTTPServerError) in
        guard case .fresh = state else { throw .startedBefore }
        let daemon = try ServerDaemon(core)
        let sweeper = Task {
          while (try? await Task.sleep(for: core.sweepInterval)) != nil { core.sweep() }
        }
        boundPort.store(daemon.port, ordering: .releasing)
        state = .running(daemon, sweeper: sweeper)
      }
    }

    /// Takes no more connections, lets running requests finish, and closes.
    ///
    /// - Parameter limit: How long to wait for them; then their handlers are cancelled and their
    ///   connections closed without an answer.
    public func drain(limit: Duration) async {
      guard let (daemon, sweeper) = takeDaemon() else { return }
      core.registry.forEach { $0.cutIfIdle() }
      await core.registry.waitUntilEmpty(limit: limit)
      sweeper.cancel()
      core.registry.abandonAll()
      await withCheckedContinuation { done in
        // It waits for the threads to end, which no thread of Swift's own may do.
        let stop: @Sendable () -> Void = {
          daemon.stop()
          done.resume()
        }
        if !BackgroundThread.start(stop) { stop() }
      }
    }

    /// Takes the daemon out, so that only one caller stops it.
    private func takeDaemon() -> (ServerDaemon, sweeper: Task<Void, Never>)? {
      state.withLock { state in
        guard case .running(let daemon, let sweeper) = state else { return nil }
        core.isDraining.store(true, ordering: .releasing)
        state = .over
        return (daemon, sweeper)
      }
    }
  }
#endif
