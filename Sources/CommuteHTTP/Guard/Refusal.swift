/// A request that is answered by the server itself, because it is not one for the handler.
struct Refusal: Error, Hashable, Sendable {
  /// The status of the answer.
  let status: Int
  /// What is wrong, then what to do, in one line.
  let line: String

  /// The answer that says so.
  var answer: HTTPResponse { HTTPResponse(status: status, line: line) }
}
