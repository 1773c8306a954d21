import CommuteCore
import CommuteHTTP

/// Carries one request to the server and brings its answer back, or says why there is none.
struct SyncTransport: Sendable {
  /// Why there is no answer.
  struct NoAnswer: Error, Hashable, Sendable {
    /// What stood in the way.
    var failure: RoundFailure
    /// Whether it is certain that the server has settled nothing of the request.
    var settledNothing = false
  }

  let client: any HTTPClient
  let server: String
  let token: @Sendable () -> String?
  let timeLimit: Duration

  /// Sends the bytes of a request.
  func exchange(_ body: [UInt8]) async throws(NoAnswer) -> SyncAnswer {
    let response = try await send(body)
    if response.status == 413, body.count <= Self.smallBody, !Self.isJSON(response) {
      // No server of ours finds so little too large: a proxy, or a page, stands in between.
      throw NoAnswer(
        failure: .notAnAnswer("it took no \(body.count) bytes"), settledNothing: true)
    }
    guard response.status == 200 else { throw Self.refusal(response) }
    let kind = response.headers["Content-Type"] ?? "nothing"
    guard kind.lowercased().hasPrefix("application/json") else {
      throw NoAnswer(failure: .notAnAnswer("it sent \(kind.prefix(60))"))
    }
    do {
      return try SyncAnswer(decodingPlain: response.body)
    } catch .notOurs {
      throw NoAnswer(failure: .notAnAnswer("its JSON is another's"))
    } catch {
      throw NoAnswer(failure: .notAnAnswer(error.message))
    }
  }

  /// A request that every server of ours takes, in bytes.
  private static let smallBody = 64 << 10

  private static func isJSON(_ response: HTTPResponse) -> Bool {
    response.headers["Content-Type"]?.lowercased().hasPrefix("application/json") ?? false
  }

  private func send(_ body: [UInt8]) async throws(NoAnswer) -> HTTPResponse {
    var headers: HTTPHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
    if let token = token() { headers["Authorization"] = "Bearer \(token)" }
    let request = HTTPRequest(
      method: .post, url: server + "/v1/sync", headers: headers, body: body, timeLimit: timeLimit)
    do {
      return try await client.send(request)
    } catch {
      throw NoAnswer(failure: Self.failure(error), settledNothing: Self.neverArrived(error))
    }
  }

  /// A status other than 200: these say that the request was not even looked at, others may come
  /// from something in between after the server has acted.
  private static func refusal(_ response: HTTPResponse) -> NoAnswer {
    let failure = RoundFailure(
      status: response.status, retryAfterMilliseconds: retryAfter(response.headers))
    switch failure {
    case .needsSignIn, .needsUpdate, .wrongOwner, .tooLarge, .unavailable(429, _):
      return NoAnswer(failure: failure, settledNothing: true)
    default: return NoAnswer(failure: failure)
    }
  }

  private static func failure(_ error: HTTPClientError) -> RoundFailure {
    switch error {
    case .noNetwork(let failure): .unreachable("\(failure)")
    case .timedOut: .timedOut
    case .badCertificate(let reason, _): .badCertificate(reason)
    case .tooLarge(let limit): .notAnAnswer("it sent more than \(limit) bytes")
    case .notAnAnswer(let reason): .notAnAnswer(reason)
    case .cancelled: .cancelled
    case .badAddress(let reason): .unreachable(reason)
    @unknown default: .unreachable(error.description)
    }
  }

  /// Whether the request cannot have reached the server.
  private static func neverArrived(_ error: HTTPClientError) -> Bool {
    switch error {
    case .badAddress, .badCertificate: true
    case .noNetwork(let failure): failure != .connectionLost
    default: false
    }
  }

  /// The seconds of `Retry-After`; a date is left to our own backoff.
  private static func retryAfter(_ headers: HTTPHeaders) -> UInt64 {
    guard let text = headers["Retry-After"], let seconds = UInt64(text) else { return 0 }
    return min(seconds, 86_400) * 1_000
  }
}
