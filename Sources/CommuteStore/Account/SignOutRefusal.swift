/// Why an account's file stays where it is although the account was to sign out.
public enum SignOutRefusal: Error, Hashable, Sendable {
  /// Something in the file is nowhere else; sync, or say what is to become of it.
  case unsettled(UnsettledWork)
  /// A process has the file open, or syncs it; end it first.
  case inUse
  /// The store, or the disk below it, did not do its part.
  case store(StoreError)
}

extension SignOutRefusal {
  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .unsettled(let work):
      "\(work.total == 1 ? "1 change is" : "\(work.total) changes are") not on the server yet;"
        + " sync first, or keep, export or wipe them"
    case .inUse:
      "another process has the account's file open; end it and sign out again"
    case .store(let error): error.message
    }
  }
}
