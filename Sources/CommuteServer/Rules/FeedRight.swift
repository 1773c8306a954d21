public import CommuteCore

/// A user's right to a feed, with the number of its grant.
public struct FeedRight: Hashable, Sendable {
  /// What the user may do.
  public var access: FeedAccess
  /// The number of the grant: another one tells devices to read the feed anew.
  public var number: UInt64

  /// Makes a right; the first grant of a feed has the number 1.
  public init(_ access: FeedAccess, number: UInt64 = 1) {
    self.access = access
    self.number = number
  }

  /// The right after somebody gave it or took it away by name.
  ///
  /// - Parameters:
  ///   - access: What the user may do from now on.
  ///   - right: The right before; the rule's where none was named.
  public init(_ access: FeedAccess, after right: FeedRight) {
    self.access = access.shortened
    number = right.number
    if case .none = right.access, !access.isNone { number += 1 }
  }
}

extension FeedAccess {
  fileprivate var isNone: Bool {
    if case .none = self { true } else { false }
  }
}

extension FeedHead {
  /// What the server holds of a feed, for a user with this right.
  public init(head: UInt64, fence: UInt64, right: FeedRight) {
    self.init(head: head, fence: fence, grant: right.number)
    switch right.access {
    case .write: break
    case .read: isReadOnly = true
    case .none(let reason): revoked = reason
    }
  }
}
