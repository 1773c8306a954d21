import CommuteCore

/// Somebody who has an account at the server, in stories of several accounts.
enum Person: String, Hashable, Sendable, CaseIterable, Codable {
  case anna = "Anna"
  case ben = "Ben"

  /// Whose data the server keeps for the person.
  var tenant: String { rawValue.lowercased() }
  var account: Account { Account(tenant: tenant, user: tenant) }
  /// What the person's devices show to the server.
  var token: String { "token-of-\(tenant)" }

  /// The lines by which a server knows the tokens of all.
  static var tokenLines: String {
    allCases.map { "\($0.tenant) \($0.tenant) \(SHA256.hash(Array($0.token.utf8)).text)\n" }
      .joined()
  }
}
