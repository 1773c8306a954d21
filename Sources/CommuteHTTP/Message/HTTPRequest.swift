/// What a client asks, and what a server was asked.
public struct HTTPRequest: Hashable, Sendable {
  /// What is to be done.
  public var method: HTTPMethod
  /// In a client the whole address; in a server path and query, as they were sent.
  public var url: String
  /// The fields of the head.
  ///
  /// The client adds what the transfer needs by itself: host, length, coding.
  public var headers: HTTPHeaders
  /// The bytes of the body; a server has already undone a compression.
  public var body: [UInt8]
  /// How long the client may take from start to end; nil leaves it to the client's own limit.
  public var timeLimit: Duration?

  /// Makes a request.
  public init(
    method: HTTPMethod = .get, url: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
    timeLimit: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeLimit = timeLimit
  }

  /// The path as it was sent, from its first slash, without the query.
  ///
  /// Percent signs are left alone: a server compares paths, it never joins them to anything.
  public var path: Substring {
    let target = originTarget
    return target[..<(target.firstIndex(of: "?") ?? target.endIndex)]
  }

  /// The first value of this name in the query, decoded; nil where it is absent or broken.
  public func query(_ name: String) -> String? {
    guard let mark = originTarget.firstIndex(of: "?") else { return nil }
    for pair in originTarget[mark...].dropFirst().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard Self.decoded(parts[0]) == name else { continue }
      return parts.count == 2 ? Self.decoded(parts[1]) : ""
    }
    return nil
  }

  private var originTarget: Substring {
    let target = url[..<(url.firstIndex(of: "#") ?? url.endIndex)]
    guard !target.hasPrefix("/") else { return target }
    guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://") else {
      return target
    }
    let authority = target[colon...].dropFirst(3)
    guard let start = authority.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return authority[start] == "/" ? authority[start...] : "/" + authority[start...]
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexDigit),
          let low = rest.popFirst().flatMap(hexDigit)
        else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
