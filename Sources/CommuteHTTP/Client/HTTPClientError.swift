/// Why a request brought no answer, split by what the caller does next.
@nonexhaustive
public enum HTTPClientError: Error, Hashable, Sendable {
  /// The address, or a header field made of what a person typed, cannot be sent; it has to change.
  case badAddress(reason: String)
  /// The server was not reached; the same request may get through later.
  case noNetwork(NetworkFailure)
  /// The time for connecting or for the whole exchange was up; trying again may help.
  case timedOut
  /// The server at this host did not prove who it is; a person has to look into it.
  case badCertificate(reason: String, host: String)
  /// The answer has more bytes than this; ask for less.
  case tooLarge(limit: Int)
  /// Something answered, but not with a whole and well-formed answer; trying again may help.
  case notAnAnswer(reason: String)
  /// The caller's task was cancelled.
  case cancelled
}

/// In which way a server was not reached.
@nonexhaustive
public enum NetworkFailure: Hashable, Sendable {
  /// The host is there, but nothing listens at the port.
  case refused
  /// The host's name could not be looked up.
  case unknownHost
  /// There is no way to the host now.
  case unreachable
  /// The connection broke before the answer began; the server may have acted on the request.
  case connectionLost
  /// This process has no memory, file handle or port left for a connection.
  case outOfResources
}

extension HTTPClientError {
  /// Whether the same request may succeed later without anyone doing anything.
  public var isRetryable: Bool {
    switch self {
    case .noNetwork, .timedOut, .notAnAnswer: true
    case .badAddress, .badCertificate, .tooLarge, .cancelled: false
    }
  }
}

extension HTTPClientError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .badAddress(let reason):
      "the request cannot be sent (\(reason)); check the server's address and your sign-in"
    case .noNetwork(let failure):
      "the server was not reached: \(failure)"
    case .timedOut:
      "the server did not answer in time; try again later"
    case .badCertificate(let reason, let host):
      "the certificate of \(host) is not trusted (\(reason)); check the address, or name the file "
        + "of the authority that signed it"
    case .tooLarge(let limit):
      "the answer has more than \(limit) bytes; ask for less at once"
    case .notAnAnswer(let reason):
      "what came back is not an answer (\(reason)); check the address, or try again later"
    case .cancelled:
      "the request was cancelled"
    }
  }
}

extension NetworkFailure: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .refused: "connecting was refused; check that it runs and that the port is right"
    case .unknownHost: "its name is not known; check the name and the network"
    case .unreachable: "there is no way to it; check the network"
    case .connectionLost: "the connection broke off; try again later"
    case .outOfResources: "this program has no connections left; try again later"
    }
  }
}
