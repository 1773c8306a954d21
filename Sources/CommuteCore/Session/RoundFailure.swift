/// Why a round of sync failed, split by what the device does next.
public enum RoundFailure: Error, Hashable, Sendable {
  /// The server could not be reached; the words are the transport's.
  case unreachable(String)
  /// The server took too long.
  case timedOut
  /// What came is not an answer of a Commute server (a captive portal, a proxy, a cut-off body).
  case notAnAnswer(String)
  /// The server is there but cannot answer now: 408, 425, 429, 5xx.
  case unavailable(status: Int, retryAfterMilliseconds: UInt64)
  /// The request was too large: 413.
  case tooLarge
  /// The sign-in is missing or not valid: 401, 403.
  case needsSignIn(status: Int)
  /// The server no longer speaks to this build: 426.
  case needsUpdate
  /// The file belongs to another account than the token: 409.
  case wrongOwner
  /// The server refused the request for another reason; sending the same again will not help.
  case refused(status: Int)
  /// The certificate is not trusted.
  case badCertificate(String)
  /// The device's own database could not take part: a full disk, a damaged file.
  case storage(String)
  /// Another process is syncing the same database; it sends this one's changes, too.
  case syncedElsewhere(by: String)
  /// The round was given up from this side; no failure of anybody's.
  case cancelled

  /// Classifies a status other than 200.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - retryAfterMilliseconds: The answer's `Retry-After`, 0 for none.
  public init(status: Int, retryAfterMilliseconds: UInt64 = 0) {
    switch status {
    // Redirects, 200 without our answer and the like come from something in between.
    case 100...399, 511: self = .notAnAnswer("status \(status)")
    case 401, 403: self = .needsSignIn(status: status)
    case 409: self = .wrongOwner
    case 413: self = .tooLarge
    case 426: self = .needsUpdate
    case 408, 425, 429, 500...599:
      self = .unavailable(status: status, retryAfterMilliseconds: retryAfterMilliseconds)
    default: self = .refused(status: status)
    }
  }

  /// Whether the same request may succeed later without anybody doing anything.
  public var isRetryable: Bool {
    switch self {
    case .unreachable, .timedOut, .notAnAnswer, .unavailable, .tooLarge, .badCertificate, .storage,
      .syncedElsewhere:
      true
    case .needsSignIn, .needsUpdate, .wrongOwner, .refused, .cancelled: false
    }
  }

  /// Whether the batch may be what the server could not take.
  public var blamesBatch: Bool {
    switch self {
    case .tooLarge, .timedOut: true
    case .unavailable(let status, _): status >= 500 && status != 503
    default: false
    }
  }

  /// Whether the server was not reached at all.
  public var isUnreachable: Bool {
    switch self {
    case .unreachable, .badCertificate: true
    default: false
    }
  }

  /// Whether the round was not made because another process makes it.
  public var isAnothersRound: Bool {
    if case .syncedElsewhere = self { true } else { false }
  }

  /// What happened and what is done about it, in one line.
  public var message: String {
    switch self {
    case .unreachable(let reason):
      "Server not reachable (\(reason)); all is kept here and sent later"
    case .timedOut: "the server did not answer in time; it is asked again"
    case .notAnAnswer(let what):
      "what answered is not a Commute server (\(what)); sign in to the network or check the address"
    case .unavailable(let status, _): "the server cannot answer now (\(status)); it is asked again"
    case .tooLarge: "the server takes no request of this size; it is sent in smaller parts"
    case .needsSignIn(let status): "the server wants a sign-in (\(status)); give a valid token"
    case .needsUpdate: "the server no longer speaks to this version; update the app"
    case .wrongOwner: "this file belongs to another account; sign in as its owner"
    case .refused(let status): "the server refused the request (\(status)); report this"
    case .badCertificate(let reason):
      "the server's certificate is not trusted (\(reason)); check the address or give --ca FILE"
    case .storage(let reason): reason
    case .syncedElsewhere(let holder):
      "\(holder) is syncing this device and sends all that waits here; try again when it has ended"
    case .cancelled: "given up before the server answered; nothing is lost"
    }
  }
}
