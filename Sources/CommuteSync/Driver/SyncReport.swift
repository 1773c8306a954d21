public import CommuteCore

/// What one call of ``SyncDriver/sync()`` did, over all its rounds.
public struct SyncReport: Hashable, Sendable {
  /// What sync is doing afterwards; the line for people is its ``SyncStatus/text``.
  public var status: SyncStatus
  /// Operations that are part of the server's state now.
  public var settled = 0
  /// Operations that were refused, or whose feed was taken away; they wait in the inbox.
  public var rejected = 0
  /// Records that came from the server.
  public var received = 0
  /// Records that could not be applied and are kept aside.
  public var quarantined = 0
  /// Feeds that were taken away, with the server's reasons.
  public var revoked: FieldMap<String> = FieldMap()
  /// Rounds that were answered.
  public var rounds = 0
  /// Why it ended early; nil where everything known is exchanged.
  public var failure: RoundFailure?

  /// Makes a report of nothing.
  public init(status: SyncStatus) {
    self.status = status
  }
}
