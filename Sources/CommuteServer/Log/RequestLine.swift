/// What the log says of one request: never its content, its query or its token.
public struct RequestLine: Hashable, Sendable {
  /// What was asked for.
  public var method: String
  /// The path without the query.
  public var path: String
  /// The status of the answer.
  public var status: Int
  /// Bytes of the request's body, unpacked.
  public var received: Int
  /// Bytes of the answer's body, before it is packed.
  public var sent: Int
  /// How long it took.
  public var time: Duration
  /// The address it came from.
  public var peer: String
  /// Tenant and user; nil where nobody is signed in.
  public var owner: String?
  /// What it was about, in a few words.
  public var detail: String

  /// Whether somebody should look at it.
  public var isProblem: Bool { status >= 400 }

  /// The line.
  public var text: String {
    let milliseconds = Double(time / .microseconds(1)) / 1_000
    var text = "\(peer.isEmpty ? "-" : peer) \(owner ?? "-") \(method) \(path) \(status)"
    text += " in=\(received) out=\(sent) ms=\(milliseconds)"
    if !detail.isEmpty { text += " \(detail)" }
    return text
  }
}
