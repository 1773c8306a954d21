/// The rules that a request's head has to keep before its body is read.
///
/// They are stricter than the library's, for two reasons: a proxy in front may read an
/// ambiguous head in another way than we do, and then one client can speak in another's name;
/// and whoever sends such a head is no client of ours.
struct HeadGuard: Sendable {
  var headLimit: Int
  var fieldLimit: Int
  /// The longest path with query.
  var targetLimit = 8 << 10

  /// Checks a head.
  ///
  /// - Throws: The refusal to answer with; the connection has to be closed after it.
  /// - Returns: What is asked for, and how the body follows.
  func check(
    _ head: RequestHead
  ) throws(Refusal) -> (method: HTTPMethod, framing: RequestHead.Framing) {
    guard head.size <= headLimit, head.headers.count <= fieldLimit else {
      throw Refusal(
        status: 431, line: "the head has more than \(headLimit) bytes or \(fieldLimit) fields")
    }
    guard head.isLaidOutPlainly else {
      throw Refusal(status: 400, line: "a line of the head is broken; send each field in one line")
    }
    guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else {
      throw Refusal(status: 505, line: "the version is neither HTTP/1.1 nor HTTP/1.0")
    }
    let method = try checkRequestLine(head)
    try checkFields(head.headers)
    return (method, try framing(of: head))
  }

  private func checkRequestLine(_ head: RequestHead) throws(Refusal) -> HTTPMethod {
    guard let method = HTTPMethod(rawValue: head.method) else {
      throw Refusal(status: 501, line: "this method is not known here")
    }
    guard head.target.utf8.count <= targetLimit else {
      throw Refusal(status: 414, line: "the path has more than \(targetLimit) bytes")
    }
    let isPath = head.target.hasPrefix("/") && head.target.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPath || (method == .options && head.target == "*") else {
      throw Refusal(status: 400, line: "what is asked for is not a path; begin it with a slash")
    }
    return method
  }

  private func checkFields(_ headers: HTTPHeaders) throws(Refusal) {
    for field in headers {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(HTTPHeaders.isOfName) else {
        throw Refusal(status: 400, line: "a header field has a name that is not allowed")
      }
      guard field.value.utf8.allSatisfy(HTTPHeaders.isOfValue) else {
        throw Refusal(status: 400, line: "a header field has a control character in its value")
      }
    }
    guard headers.values(of: "Host").count <= 1 else {
      throw Refusal(status: 400, line: "there is more than one Host field")
    }
    let wishes = headers.values(of: "Expect")
    guard wishes.allSatisfy({ HTTPHeaders.isSame($0, "100-continue") }) else {
      throw Refusal(status: 417, line: "only 100-continue may be expected")
    }
  }

  private func framing(of head: RequestHead) throws(Refusal) -> RequestHead.Framing {
    let lengths = head.headers.values(of: "Content-Length")
    let codings = head.headers.values(of: "Transfer-Encoding")
    guard lengths.count <= 1, codings.count <= 1, lengths.isEmpty || codings.isEmpty else {
      throw Refusal(
        status: 400, line: "the length of the body is told twice; send one length or chunks")
    }
    if let coding = codings.first {
      guard HTTPHeaders.isSame(coding, "chunked"), head.version == "HTTP/1.1" else {
        throw Refusal(status: 501, line: "the body is coded for transfer in an unknown way")
      }
      return .chunked
    }
    guard let length = lengths.first else { return .length(0) }
    // Eighteen digits always fit into an Int.
    guard length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), 1...18 ~= length.utf8.count,
      let number = Int(length)
    else { throw Refusal(status: 400, line: "Content-Length is not a plain number") }
    return .length(number)
  }
}
