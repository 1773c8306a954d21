/// What a device knows of one feed it subscribes to.
public struct FeedState: Hashable, Sendable {
  /// How far it has read, inside a reset as elsewhere; nil for from the start.
  public var cursor: UInt64?
  /// The number of the grant the subscription rests on; nil before the server told one.
  public var grant: UInt64?
  /// The fence the server last told.
  public var fence: UInt64
  /// The fence of the reset it is inside of; nil outside one.
  ///
  /// Until its last page has come, the device also keeps which records the reset has told.
  public var reset: UInt64?

  /// Makes the state of a feed, by default one never read.
  public init(
    cursor: UInt64? = nil, grant: UInt64? = nil, fence: UInt64 = 0, reset: UInt64? = nil
  ) {
    self.cursor = cursor
    self.grant = grant
    self.fence = fence
    self.reset = reset
  }
}

/// What a feed's part of an answer asks a device to do, beside moving its cursor.
///
/// All of it belongs into the transaction that applies the answer.
public enum FeedTurn: Hashable, Sendable {
  /// Apply the records.
  case read
  /// Apply the records, and keep that the reset has told them.
  ///
  /// Where it begins, what was kept of an earlier reset of the feed is forgotten first. Where it
  /// ends, every record of the feed that it did not tell is swept (``DeviceRecord/sweep(by:)``),
  /// also one that has only rows or an offer; then what was kept is forgotten.
  case reset(begins: Bool, ends: Bool)
  /// Revoke every record of the feed (``DeviceRecord/revoke(reason:)``): the subscription ended.
  case revoked(reason: String)
}

extension Device {
  /// Takes a feed's part of an answer: moves its cursor, and says what else there is to do.
  ///
  /// Only an answer that was waited for gets here, so a cursor falls only where a reset begins.
  public mutating func turn(to part: SyncAnswer.Feed) -> FeedTurn {
    guard let known = feeds[part.feed] else { return .read }
    if let reason = part.revoked {
      feeds[part.feed] = nil
      return .revoked(reason: reason)
    }
    moveCursor(by: part)
    guard let fence = part.reset else {
      if known.reset != nil {
        // A reset that the server no longer knows of told nothing that could be relied on.
        feeds[part.feed]?.cursor = nil
        feeds[part.feed]?.reset = nil
      }
      return .read
    }
    var begins = known.reset != fence || known.grant != part.grant
    #if PLANTED
      if Planted.isActive(.resetNotRestarted) { begins = known.reset == nil }
    #endif
    feeds[part.feed]?.reset = part.more ? fence : nil
    return .reset(begins: begins, ends: !part.more)
  }
}
