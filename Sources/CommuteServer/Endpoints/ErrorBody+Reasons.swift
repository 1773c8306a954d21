import CommuteCore
import CommuteHTTP

extension ErrorBody {
  /// The body is no request of ours.
  init(_ error: WireError) {
    self.init(status: 400, error: "malformed", message: error.message)
    switch error {
    case .tooLarge(let limit, _, _):
      self.error = "tooLarge"
      members = [("limit", JSONText.quoted(limit.name))]
      // Fewer or smaller operations help against these; the device halves on 413.
      switch limit {
      case .request, .operation, .record, .text: status = 413
      default: break
      }
    case .unsupportedProtocol(let version):
      members = [
        ("minimum", "\(ProtocolVersion.minimum)"), ("current", "\(ProtocolVersion.current)"),
      ]
      if version < ProtocolVersion.minimum {
        status = 426
        self.error = "needsUpdate"
        headers["Upgrade"] = "commute/\(ProtocolVersion.current)"
        message =
          "the device speaks protocol \(version), this server \(ProtocolVersion.minimum) to"
          + " \(ProtocolVersion.current); update the app"
      } else {
        // The server is the older one: nothing the device does helps, asking later may.
        status = 503
        self.error = "serverTooOld"
        headers["Retry-After"] = "3600"
        message =
          "the device speaks protocol \(version), this server only up to"
          + " \(ProtocolVersion.current); update the server"
      }
    case .notOurs:
      self.error = "notOurs"
      // The words of the error are for a device that got a page instead of an answer.
      message = "the body is no request of this protocol; Documentation/Protocol.md says what is"
    default: break
    }
  }

  /// The store did not answer.
  init(_ error: ServerStoreError, retryAfter seconds: Int64) {
    switch error {
    case .failed:
      self.init(
        status: 500, error: "failed", message: "this request could not be answered; see the log")
    case .overloaded:
      self.init(status: 503, error: "overloaded", message: error.description)
    default:
      self.init(
        status: 503, error: "unavailable",
        message: "the server cannot write or read now; try again later")
    }
    if status == 503 { headers["Retry-After"] = "\(seconds)" }
  }

  /// Too much is under way.
  static func overloaded(retryAfter seconds: Int64) -> ErrorBody {
    ErrorBody(ServerStoreError.overloaded, retryAfter: seconds)
  }

  /// Nobody is signed in.
  static func needsSignIn(isInvalid: Bool) -> ErrorBody {
    let challenge = "Bearer realm=\"commute\""
    return ErrorBody(
      status: 401, error: "needsSignIn",
      message: isInvalid
        ? "the token is not valid here; sign in again"
        : "the request has no token; send Authorization: Bearer TOKEN",
      headers: [
        "WWW-Authenticate": isInvalid ? challenge + ", error=\"invalid_token\"" : challenge
      ])
  }

  /// The file belongs to somebody else than the token.
  static func wrongOwner(_ owner: String, token: Account) -> ErrorBody {
    ErrorBody(
      status: 409, error: "wrongOwner",
      message: "the data belongs to \(owner), the token to \(token.owner); sign in as its owner")
  }

  /// The app is older than the server still understands.
  static func oldSchema(_ version: UInt64, minimum: UInt64) -> ErrorBody {
    ErrorBody(
      status: 426, error: "needsUpdate",
      message: "this app writes version \(version) of its schema, this server takes \(minimum) and"
        + " later; update the app",
      headers: ["Upgrade": "commute/\(ProtocolVersion.current)"],
      members: [("minimumSchema", "\(minimum)")])
  }

  /// The body is of another type.
  static let notJSON = ErrorBody(
    status: 415, error: "contentType",
    message: "the body must be JSON; send Content-Type: application/json")

  /// There is nothing at this path.
  static let notFound = ErrorBody(
    status: 404, error: "notFound", message: "there is nothing at this path")

  /// The path takes other methods.
  static func notAllowed(_ allowed: String) -> ErrorBody {
    ErrorBody(
      status: 405, error: "method", message: "this path takes \(allowed)",
      headers: ["Allow": allowed])
  }

  /// The request was meant for another host; a page elsewhere must not reach this one by a trick of
  /// names.
  static let otherHost = ErrorBody(
    status: 421, error: "host",
    message: "without tokens the server answers to localhost only; use that name")

  /// The path is kept for what is not there yet.
  static let notYet = ErrorBody(
    status: 501, error: "notYet",
    message: "this server gives no live hints; ask by POST /v1/sync")

  /// The nonce of a ping has other characters than it may have.
  static let badNonce = ErrorBody(
    status: 400, error: "nonce",
    message: "a nonce has 1 to \(PingEndpoint.nonceLimit) letters, digits and -")
}
