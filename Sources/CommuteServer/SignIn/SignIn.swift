public import CommuteCore
public import CommuteHTTP

/// How a request is told whose it is.
public enum SignIn: Sendable {
  /// Everybody who reaches the server is the account `local`; for loopback only.
  case local
  /// A bearer token of a file says it.
  case tokens(TokenFile)

  /// What became of a sign-in.
  public enum Outcome: Hashable, Sendable {
    /// It is this account.
    case account(Account)
    /// There is no bearer token.
    case missing
    /// The token is none of ours.
    case invalid
  }

  /// The longest token, in bytes.
  public static let tokenLimit = 4 << 10

  /// Finds out who asks.
  public func account(of request: HTTPRequest) -> Outcome {
    guard case .tokens(let file) = self else { return .account(.local) }
    let fields = request.headers.values(of: "Authorization")
    guard fields.count == 1, let token = Self.bearerToken(in: fields[0]) else { return .missing }
    guard let account = file.table.account(of: token) else { return .invalid }
    return .account(account)
  }

  /// The token of an `Authorization` field; nil for another scheme.
  static func bearerToken(in field: String) -> String? {
    let words = field.utf8.split(separator: 0x20)
    guard words.count == 2, field.utf8.count <= tokenLimit,
      String(Substring(words[0])).lowercased() == "bearer"
    else { return nil }
    return String(Substring(words[1]))
  }
}
