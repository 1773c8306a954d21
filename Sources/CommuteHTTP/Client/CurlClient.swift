#if os(Linux)
  /// An HTTP client on libcurl, which keeps connections and drives all of them from one thread.
  ///
  /// The thread ends when the client is released, which a running request puts off.
  public final class CurlClient: HTTPClient {
    private let settings: HTTPClientSettings
    private let loop: CurlLoop

    /// Makes a client with a thread and connections of its own.
    public init(_ settings: HTTPClientSettings = HTTPClientSettings()) {
      self.settings = settings
      loop = CurlLoop(connectionsPerHost: settings.connectionsPerHost)
      loop.start()
    }

    deinit {
      loop.stop()
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: What stood in the way; see ``HTTPClientError``.
    public func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
      let address = try Address(request.url)
      try request.headers.checkForSending()
      let transfer = CurlTransfer(request, to: address, settings: settings)
      let outcome = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          loop.run(transfer, continuation)
        }
      } onCancel: {
        loop.cancel(transfer)
      }
      return try unpacked(outcome.get())
    }

    /// Undoes the compression of an answer, on the caller's thread rather than the loop's.
    private func unpacked(_ answer: HTTPResponse) throws(HTTPClientError) -> HTTPResponse {
      guard let coding = answer.headers["Content-Encoding"], !answer.body.isEmpty else {
        return answer
      }
      guard !HTTPHeaders.isSame(coding, "identity") else { return answer }
      guard HTTPHeaders.isSame(coding, "gzip") || HTTPHeaders.isSame(coding, "x-gzip") else {
        throw .notAnAnswer(reason: "it is compressed in a way that was not asked for")
      }
      var answer = answer
      do {
        let limit = min(settings.answerLimit, Gzip.unpackedLimit)
        answer.body = try Gzip.unpacked(answer.body, limit: limit)
      } catch {
        switch error {
        case .tooLarge(let limit): throw .tooLarge(limit: limit)
        case .broken: throw .notAnAnswer(reason: "its compressed body is broken")
        }
      }
      answer.headers["Content-Encoding"] = nil
      answer.headers["Content-Length"] = nil
      return answer
    }
  }
#endif
