/// What a request asks to be done with a resource.
public enum HTTPMethod: String, Hashable, Sendable, CaseIterable {
  /// Reads, and changes nothing.
  case get = "GET"
  /// Reads the head of what `get` would answer.
  case head = "HEAD"
  /// Hands a body over to be worked on.
  case post = "POST"
  /// Puts the body in the place of the resource.
  case put = "PUT"
  /// Changes parts of the resource.
  case patch = "PATCH"
  /// Removes the resource.
  case delete = "DELETE"
  /// Asks what may be done with the resource.
  case options = "OPTIONS"
}
