import CSQLite

/// What an authorizer answers.
public enum Permission: Hashable, Sendable {
  /// The statement may do this.
  case allow
  /// The statement is refused as a whole, with ``SQLiteError/denied(_:)``.
  case deny
  /// A column reads as null, and a column or row is left as it is, without an error.
  case ignore
}

/// What is known while a checked statement is compiled.
struct Authorization {
  /// Asked for each access of a checked statement.
  var authorizer: ((Access) -> Permission)?
  /// Whether a checked statement is being compiled now.
  var isChecking = false
  /// What the statement that is being compiled touches.
  var accesses: [Access] = []
  /// What was refused last.
  var refused: Access?

  /// Notes the access and asks whether it is allowed.
  mutating func decide(_ access: Access) -> Permission {
    if !accesses.contains(access) { accesses.append(access) }
    let permission = authorizer?(access) ?? .allow
    if permission == .deny { refused = access }
    return permission
  }
}

/// Called by SQLite while it compiles a statement.
let authorizeCallback:
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafePointer<CChar>?
  ) -> Int32 = { context, code, first, second, _, within in
    guard let context = unsafe context else { return SQLITE_OK }
    let handle = unsafe Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
    guard handle.authorization.isChecking else { return SQLITE_OK }
    let access = unsafe Access(
      code: code, first: first.map { unsafe String(cString: $0) },
      second: second.map { unsafe String(cString: $0) },
      within: within.map { unsafe String(cString: $0) })
    switch handle.authorization.decide(access) {
    case .allow: return SQLITE_OK
    case .deny: return SQLITE_DENY
    case .ignore: return SQLITE_IGNORE
    }
  }
