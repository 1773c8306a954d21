/// What a server answers.
public struct HTTPResponse: Hashable, Sendable {
  /// The three-digit code: 200 done, 4xx the asker's fault, 5xx the server's.
  public var status: Int
  /// The fields of the head; the server adds length, date and coding by itself.
  public var headers: HTTPHeaders
  /// The bytes of the body; a client has already undone a compression.
  public var body: [UInt8]

  /// Makes an answer.
  public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Makes an answer of one line of plain text.
  public init(status: Int, line: String, headers: HTTPHeaders = [:]) {
    self.init(status: status, headers: headers, body: Array((line + "\n").utf8))
    self.headers["Content-Type"] = "text/plain; charset=utf-8"
  }
}
