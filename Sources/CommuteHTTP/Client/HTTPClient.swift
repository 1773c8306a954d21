/// Something that carries requests to servers and brings back whole answers.
///
/// Redirects are never followed: an answer is what the named server said. Any status is an
/// answer; an error means that there was none.
public protocol HTTPClient: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// - Throws: What stood in the way. The server may have acted all the same, unless the error is
  ///   `badAddress`, `badCertificate`, or `noNetwork` for any reason other than a lost connection.
  func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse
}
