/// A request that is answered by the server itself, because it is not one for the handler.
struct Refusal: Error, Hashable, Sendable {
  /// The status of the answer.
  let status: Int
  /// What is wrong, then what to do, in one line.
  let line: String

  /// The answer that says so, in the form of all refusals: a word for programs, a line for people.
  var answer: HTTPResponse {
    // The lines are our own and hold nothing that JSON would want escaped.
    let json = "{\"error\":\"\(word)\",\"message\":\"\(line)\"}\n"
    return HTTPResponse(
      status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: Array(json.utf8))
  }

  private var word: String {
    switch status {
    case 413: "tooLarge"
    case 414, 431: "headTooLarge"
    case 415: "contentCoding"
    case 417: "expectation"
    case 501: "notKnown"
    case 505: "version"
    default: "malformed"
    }
  }
}
