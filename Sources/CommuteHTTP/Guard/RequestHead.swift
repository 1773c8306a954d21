/// The head of a request as the library read it, before anyone believes it.
struct RequestHead: Hashable, Sendable {
  /// The first word of the request line.
  var method: String
  /// The second word, as it was sent.
  var target: String
  /// The third word.
  var version: String
  /// The header fields in the order they came.
  var headers: HTTPHeaders
  /// All bytes of the head.
  var size: Int
  /// Whether the library took in every byte of the head the way it was sent.
  ///
  /// Not so where a value went over several lines or had a NUL in it, which the library then
  /// shows as an ordinary, shorter value. See ``HeadLayout``.
  var isLaidOutPlainly: Bool

  /// How a body follows.
  enum Framing: Hashable, Sendable {
    /// Exactly so many bytes, perhaps none.
    case length(Int)
    /// Pieces, each with its length before it.
    case chunked
  }
}
