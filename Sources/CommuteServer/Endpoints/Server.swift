import CommuteHTTP

/// A Commute server: endpoints, sign-in and limits around a store.
///
/// ```swift
/// let server = try Server(store: store, settings: ServerSettings())
/// let address = try await server.start()
/// await server.drain()
/// ```
/// `POST /v1/sync` is one round of sync, `GET /v1/ping?nonce=…` tells a device that it is this
/// server that answers, `GET /health` whether the store does. `GET /v1/live` is kept for live hints
/// and answers 501. Every other path is that of a page (``ServerSettings/pages``).
/// Refusals are JSON: `{"error": "wrongOwner", "message": "…"}`.
public final class Server: Sendable {
  private let store: any ServerStore
  private let settings: ServerSettings
  private let tokens: TokenFile?
  private let http: HTTPServer

  /// Makes a server that does not listen yet.
  ///
  /// - Throws: ``ServerError/tokens(_:)`` or ``ServerError/needsTokens(host:)``.
  public init(store: any ServerStore, settings: ServerSettings) throws(ServerError) {
    self.store = store
    self.settings = settings
    let complain = settings.complain
    do throws(TokenFileError) {
      tokens = try settings.tokenFile.map { (path) throws(TokenFileError) in
        try TokenFile(path: path) { complain("the tokens in force stay: \($0)") }
      }
    } catch {
      throw .tokens(error)
    }
    if tokens == nil, !LoopbackHost.isOne(settings.http.host) {
      throw .needsTokens(host: settings.http.host)
    }
    let router = Self.router(store: store, settings: settings, tokens: tokens)
    let log = settings.log
    http = HTTPServer(settings.http) { request, peer in
      guard let log else { return await router.answer(request).response }
      let start = ContinuousClock.now
      let outcome = await router.answer(request)
      log(
        RequestLine(
          method: request.method.rawValue, path: String(request.path),
          status: outcome.response.status, received: request.body.count,
          sent: outcome.response.body.count, time: ContinuousClock.now - start,
          peer: peer.address, owner: outcome.owner, detail: outcome.detail))
      return outcome.response
    }
  }

  private static func router(
    store: any ServerStore, settings: ServerSettings, tokens: TokenFile?
  ) -> Router {
    Router(
      sync: SyncEndpoint(
        store: store, signIn: tokens.map(SignIn.tokens) ?? .local,
        gate: RoundGate(settings.limits),
        minimumSchema: settings.minimumSchema,
        retrySeconds: max(1, settings.limits.retryAfter.components.seconds),
        wall: settings.wall, complain: settings.complain),
      ping: PingEndpoint(store: store, wall: settings.wall), pages: settings.pages,
      isLocalOnly: tokens == nil)
  }

  /// Begins to listen, after the store has answered once.
  ///
  /// - Returns: Where it listens; the port also where the system chose it.
  /// - Throws: ``ServerError`` in one line.
  public func start() async throws(ServerError) -> ServerAddress {
    do {
      _ = try await store.identity()
    } catch {
      throw .store(error)
    }
    do {
      try http.start()
    } catch {
      throw .listening(error)
    }
    return ServerAddress(host: settings.http.host, port: http.port)
  }

  /// Reads the tokens anew, changed or not: what SIGHUP asks for.
  public func reloadTokens() {
    tokens?.reload()
  }

  /// Takes no more requests, lets the running ones finish, and closes the store.
  public func drain() async {
    await http.drain(limit: settings.drainLimit)
    await store.close()
  }
}

/// Where a server listens.
public struct ServerAddress: Hashable, Sendable {
  /// The host as it was given.
  public var host: String
  /// The port.
  public var port: UInt16

  /// The address for a client on this machine.
  public var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
