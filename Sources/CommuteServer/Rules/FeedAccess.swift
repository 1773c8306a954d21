/// What a user may do with a feed.
public enum FeedAccess: Hashable, Sendable {
  /// Read and write it.
  case write
  /// Read it.
  case read
  /// Nothing; the reason is for the person, as `you left the team`.
  case none(reason: String)

  /// The same with a reason that is one short line.
  var shortened: FeedAccess {
    guard case .none(let reason) = self else { return self }
    return .none(reason: Reason.line(reason))
  }
}
