#if canImport(Darwin)
  import Foundation

  /// An HTTP client on URLSession, for Apple's platforms.
  ///
  /// Nothing here is compiled on Linux, and so not by this project's checks either; the
  /// client's tests run against it on a Mac. It differs from the one on libcurl in this: the system
  /// unpacks compressed answers by itself, so only their size is limited and not the ratio, and
  /// requests are never compressed.
  public final class URLSessionClient: HTTPClient {
    private let settings: HTTPClientSettings
    private let exchanges: URLSessionExchanges
    private let session: URLSession

    /// Makes a client with connections of its own, without cookies and without a cache.
    public init(_ settings: HTTPClientSettings = HTTPClientSettings()) {
      self.settings = settings
      exchanges = URLSessionExchanges(
        answerLimit: min(settings.answerLimit, Gzip.unpackedLimit),
        authorityFile: settings.certificateAuthorityFile)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      configuration.urlCredentialStorage = nil
      configuration.httpMaximumConnectionsPerHost = settings.connectionsPerHost
      configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
      // The time between two packets, which is the nearest to a limit for connecting.
      configuration.timeoutIntervalForRequest = settings.timeLimit.seconds
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
      session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: What stood in the way; see ``HTTPClientError``.
    public func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
      let task = session.dataTask(with: try urlRequest(for: request))
      let limit = request.timeLimit ?? settings.timeLimit
      let timer = Task { [exchanges] in
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        exchanges.giveUp(task, .timedOut)
      }
      defer { timer.cancel() }
      let outcome = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          exchanges.begin(task, continuation)
          if Task.isCancelled { exchanges.giveUp(task, .cancelled) }
        }
      } onCancel: {
        exchanges.giveUp(task, .cancelled)
      }
      return try outcome.get()
    }

    private func urlRequest(for request: HTTPRequest) throws(HTTPClientError) -> URLRequest {
      guard let url = URL(string: request.url), let scheme = url.scheme?.lowercased() else {
        throw .badAddress(reason: "the address is not one of the web")
      }
      guard scheme == "http" || scheme == "https", url.host?.isEmpty == false else {
        throw .badAddress(reason: "the address begins with neither http:// nor https://")
      }
      try request.headers.checkForSending()
      var made = URLRequest(url: url)
      made.httpMethod = request.method.rawValue
      made.httpShouldHandleCookies = false
      for field in request.headers { made.addValue(field.value, forHTTPHeaderField: field.name) }
      if !request.body.isEmpty { made.httpBody = Data(request.body) }
      return made
    }
  }

  extension Duration {
    fileprivate var seconds: TimeInterval {
      TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
  }
#endif
