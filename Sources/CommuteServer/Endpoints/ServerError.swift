public import CommuteHTTP

/// Why a server did not start.
@nonexhaustive
public enum ServerError: Error, Hashable, Sendable {
  /// Others could reach it, and nothing would tell whose data they may see.
  case needsTokens(host: String)
  /// The tokens cannot be used.
  case tokens(TokenFileError)
  /// It cannot listen there.
  case listening(HTTPServerError)
  /// The store does not answer.
  case store(ServerStoreError)
}

extension ServerError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .needsTokens(let host):
      "without tokens the server listens at this machine only, not at \(host); give --tokens FILE"
    case .tokens(let error): error.description
    case .listening(let error): error.description
    case .store(let error): error.description
    }
  }
}
