import CommuteCore
import CommuteHTTP

/// Carries one request to the server and brings its answer back, or says why there is none.
struct SyncTransport: Sendable {
  let client: any HTTPClient
  let server: String
  let token: @Sendable () -> String?
  let timeLimit: Duration

  /// Sends the bytes of a request.
  ///
  /// - Throws: ``RoundFailure``; whether the server has seen the request is not known then.
  func exchange(_ body: [UInt8]) async throws(RoundFailure) -> SyncAnswer {
    let response = try await send(body)
    guard response.status == 200 else {
      throw RoundFailure(
        status: response.status, retryAfterMilliseconds: Self.retryAfter(response.headers))
    }
    let kind = response.headers["Content-Type"] ?? "nothing"
    guard kind.hasPrefix("application/json") else {
      throw .notAnAnswer("it sent \(kind.prefix(60))")
    }
    do {
      return try SyncAnswer(decoding: response.body)
    } catch {
      throw .notAnAnswer(error.message)
    }
  }

  private func send(_ body: [UInt8]) async throws(RoundFailure) -> HTTPResponse {
    var headers: HTTPHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
    if let token = token() { headers["Authorization"] = "Bearer \(token)" }
    let request = HTTPRequest(
      method: .post, url: server + "/v1/sync", headers: headers, body: body, timeLimit: timeLimit)
    do {
      return try await client.send(request)
    } catch {
      throw Self.failure(error)
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

  /// The seconds of `Retry-After`; a date is left to our own backoff.
  private static func retryAfter(_ headers: HTTPHeaders) -> UInt64 {
    guard let text = headers["Retry-After"], let seconds = UInt64(text) else { return 0 }
    return min(seconds, 86_400) * 1_000
  }
}
