/// Whose data a database file holds: the tenant whose data it is, and the user who acts.
public struct Account: Hashable, Sendable {
  /// Whose data; taken from the token only.
  public var tenant: String
  /// Who acts; the author of changes.
  public var user: String

  /// Makes an account.
  public init(tenant: String, user: String) {
    self.tenant = tenant
    self.user = user
  }

  /// The account of a server without tokens.
  public static let local = Account(tenant: "local", user: "local")

  /// Both names with a slash between them: the `owner` of the wire.
  public var owner: String { "\(tenant)/\(user)" }

  /// Reads an owner; nil where there is no slash, or a part is empty.
  ///
  /// The first slash parts tenant and user.
  public init?(owner: String) {
    let bytes = Array(owner.utf8)
    guard let slash = bytes.firstIndex(of: 0x2F), slash > 0, slash + 1 < bytes.count else {
      return nil
    }
    tenant = String(decoding: bytes[..<slash], as: UTF8.self)
    user = String(decoding: bytes[(slash + 1)...], as: UTF8.self)
  }

  /// Whether both name the same tenant and user, byte for byte.
  public static func == (left: Account, right: Account) -> Bool {
    left.tenant.hasSameBytes(as: right.tenant) && left.user.hasSameBytes(as: right.user)
  }

  /// Feeds the bytes of both names.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Key(tenant))
    hasher.combine(Key(user))
  }
}
