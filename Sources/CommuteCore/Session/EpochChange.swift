/// Another history of the server than the one the device knew, and what of the known one it holds.
///
/// A server that was put back to an earlier copy begins a new epoch and tells, for each epoch
/// before it, up to which number it holds each feed's history.
public struct EpochChange: Hashable, Sendable {
  /// The epoch that the device knew.
  public var known: Epoch
  /// The epoch that the server writes now.
  public var told: Epoch
  /// The epochs before it, the oldest first.
  public var ancestry: [SyncAnswer.Ancestor]

  /// Makes a change of its parts.
  public init(known: Epoch, told: Epoch, ancestry: [SyncAnswer.Ancestor]) {
    self.known = known
    self.told = told
    self.ancestry = ancestry
  }

  /// Up to which number of an epoch the server holds a feed's history: the least along the ancestry
  /// from that epoch on, nothing of an epoch that it does not know, all of the present one.
  public func held(of epoch: Epoch, in feed: Key) -> UInt64 {
    if epoch == told { return .max }
    #if PLANTED
      if Planted.isActive(.heldIgnored) { return .max }
    #endif
    var least: UInt64?
    for ancestor in ancestry {
      guard ancestor.epoch == epoch || least != nil else { continue }
      least = min(least ?? .max, ancestor.heads[feed] ?? 0)
    }
    return least ?? 0
  }

  /// Whether the server holds a revision of a record in a feed, or a later one.
  public func holds(_ revision: Revision, in feed: Key) -> Bool {
    revision.number <= held(of: revision.epoch, in: feed)
  }
}

extension Device {
  /// Takes another epoch over: every feed is read from the start.
  ///
  /// What a device holds up to the number that the server still has is the server's to tell; the
  /// rest it offers again.
  mutating func take(
    _ epoch: Epoch, inPlaceOf known: Epoch, ancestry: [SyncAnswer.Ancestor]
  ) -> EpochChange {
    let change = EpochChange(known: known, told: epoch, ancestry: ancestry)
    self.epoch = epoch
    for entry in feeds.entries {
      #if PLANTED
        if Planted.isActive(.cursorKeptOverEpochs) { continue }
      #endif
      feeds[entry.name]?.cursor = nil
      feeds[entry.name]?.reset = nil
      feeds[entry.name]?.fence = 0
    }
    return change
  }
}
