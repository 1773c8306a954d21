/// The head of an answer, gathered from the lines that the transfer library delivers.
struct AnswerHead {
  /// The most bytes that a head may have.
  static let limit = 64 << 10

  private(set) var status = 0
  private(set) var headers = HTTPHeaders()
  /// Whether the empty line behind the final head has come.
  private(set) var isComplete = false
  /// Whether any byte of an answer has come.
  private(set) var hasBegun = false
  private var size = 0

  /// The length that the head announces for the body.
  var statedLength: Int? { headers["Content-Length"].flatMap { Int($0) } }

  /// Takes one line; false where the head grows beyond its limit.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    hasBegun = true
    size += line.count
    guard size <= Self.limit else { return false }
    guard !isComplete else { return true }  // Trailers are not used.
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      headers = HTTPHeaders()
      let words = text.split(separator: " ", maxSplits: 2)
      status = words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0
    } else if line.count <= 2 {
      // An interim answer, 100 or 103, is followed by the real one.
      isComplete = status >= 200
    } else if let colon = text.firstIndex(of: ":") {
      let value = text[colon...].dropFirst().prefix { !$0.isNewline }
      headers.append(name: String(text[..<colon]), value: String(HTTPHeaders.trimmed(value)))
    }
    return true
  }

  /// What keeps this head from being a whole answer, where the library saw no fault.
  ///
  /// A head that breaks off, and a body whose end only the end of the connection tells, look like
  /// whole answers to it; both happen when a server dies.
  func flaw(for method: HTTPMethod, isFramedByProtocol: Bool) -> String? {
    guard isComplete else { return "it breaks off in the head" }
    guard (200...999).contains(status) else { return "its status is \(status)" }
    let hasNoBody = method == .head || status == 204 || status == 304
    let isFramed =
      isFramedByProtocol || headers["Content-Length"] != nil
      || headers.lists("chunked", in: "Transfer-Encoding")
    return hasNoBody || isFramed ? nil : "it does not say where it ends"
  }
}
