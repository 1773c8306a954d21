#if canImport(Darwin)
  import Foundation
  import Synchronization

  /// The requests of a session that are on their way, and what the system tells about them.
  ///
  /// Not compiled on Linux; see ``URLSessionClient``.
  final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPClientError>

    private struct Exchange {
      var body: [UInt8] = []
      var hasAnswerBegun = false
      /// Why it was given up, where the system would only say that it was cancelled.
      var failure: HTTPClientError?
      let waiter: CheckedContinuation<Outcome, Never>
    }

    private let answerLimit: Int
    private let authorities: CertificateAuthorities?
    private let running = Mutex<[Int: Exchange]>([:])

    init(answerLimit: Int, authorityFile: String?) {
      self.answerLimit = answerLimit
      authorities = authorityFile.map { CertificateAuthorities(file: $0) }
    }

    /// Starts a task and resumes the waiter when it is over.
    func begin(_ task: URLSessionTask, _ waiter: CheckedContinuation<Outcome, Never>) {
      running.withLock { $0[task.taskIdentifier] = Exchange(waiter: waiter) }
      task.resume()
    }

    /// Ends a task early, for this reason.
    func giveUp(_ task: URLSessionTask, _ failure: HTTPClientError) {
      running.withLock { running in
        guard running[task.taskIdentifier]?.failure == nil else { return }
        running[task.taskIdentifier]?.failure = failure
      }
      task.cancel()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (
          URLSession.AuthChallengeDisposition, URLCredential?
        ) -> Void
    ) {
      let space = challenge.protectionSpace
      guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
        // A sign-in is the caller's business: the answer with its status is what it wants.
        return completionHandler(.rejectProtectionSpace, nil)
      }
      guard let authorities, let trust = space.serverTrust else {
        return completionHandler(.performDefaultHandling, nil)
      }
      if let flaw = authorities.flaw(in: trust) {
        giveUp(task, .badCertificate(reason: flaw, host: "\(space.host):\(space.port)"))
        completionHandler(.cancelAuthenticationChallenge, nil)
      } else {
        completionHandler(.useCredential, URLCredential(trust: trust))
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLarge = running.withLock { running in
        let id = dataTask.taskIdentifier
        running[id]?.hasAnswerBegun = true
        running[id]?.body.append(contentsOf: data)
        return (running[id]?.body.count ?? 0) > answerLimit
      }
      if isTooLarge { giveUp(dataTask, .tooLarge(limit: answerLimit)) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
        return
      }
      exchange.waiter.resume(returning: outcome(of: exchange, task, error))
    }

    private func outcome(
      of exchange: Exchange, _ task: URLSessionTask, _ error: (any Error)?
    ) -> Outcome {
      if let failure = exchange.failure { return .failure(failure) }
      if let error {
        let hasBegun = exchange.hasAnswerBegun || task.response != nil
        let host = task.originalRequest?.url?.host ?? ""
        return .failure(HTTPClientError(error, host: host, hasAnswerBegun: hasBegun))
      }
      guard let head = task.response as? HTTPURLResponse else {
        return .failure(.notAnAnswer(reason: "it is not an answer of a web server"))
      }
      var headers = HTTPHeaders()
      for (name, value) in head.allHeaderFields {
        headers.append(name: "\(name)", value: "\(value)")
      }
      // The system has unpacked the body and left the fields as they came.
      if headers["Content-Encoding"] != nil {
        headers["Content-Encoding"] = nil
        headers["Content-Length"] = nil
      }
      return .success(
        HTTPResponse(status: head.statusCode, headers: headers, body: exchange.body))
    }
  }

  extension HTTPClientError {
    /// The system's error, by what the caller does next.
    fileprivate init(_ error: any Error, host: String, hasAnswerBegun: Bool) {
      let words = error.localizedDescription
      switch (error as? URLError)?.code {
      case .badURL?, .unsupportedURL?:
        self = .badAddress(reason: words)
      case .cannotFindHost?, .dnsLookupFailed?:
        self = .noNetwork(.unknownHost)
      case .cannotConnectToHost?:
        self = .noNetwork(.refused)
      case .notConnectedToInternet?, .internationalRoamingOff?, .dataNotAllowed?, .callIsActive?:
        self = .noNetwork(.unreachable)
      case .networkConnectionLost?:
        self =
          hasAnswerBegun ? .notAnAnswer(reason: "it breaks off") : .noNetwork(.connectionLost)
      case .timedOut?:
        self = .timedOut
      case .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
        .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
        self = .badCertificate(reason: words, host: host)
      case .cancelled?:
        self = .cancelled
      default:
        self = .notAnAnswer(reason: words)
      }
    }
  }
#endif
