/// What a page of a feed may still take.
///
/// A page is cut by bytes and by count and carries at least one record, or a record larger than a
/// page would stop its feed for ever.
public struct PageBudget: Hashable, Sendable {
  private var bytesLeft: Int
  private var recordsLeft: Int
  private var isEmpty = true

  /// Makes a budget of what the device can take, within the server's own limit.
  public init(limit: SyncRequest.Limit, pageBytes: Int = Limits.pageBytes) {
    bytesLeft = Int(min(limit.bytes, UInt64(pageBytes)))
    recordsLeft = Int(min(max(limit.records, 1), 100_000))
  }

  /// Takes a record of a size, if it fits or is the first.
  ///
  /// - Returns: Whether it goes on the page.
  public mutating func take(_ bytes: Int) -> Bool {
    #if PLANTED
      if Planted.isActive(.pageBudgetIgnored) { return true }
    #endif
    guard recordsLeft > 0, isEmpty || bytes <= bytesLeft else { return false }
    isEmpty = false
    recordsLeft -= 1
    bytesLeft = max(0, bytesLeft - bytes)
    return true
  }
}

/// How the server answers a device about one feed.
public enum FeedReading: Hashable, Sendable {
  /// Read the records after this number.
  case read(after: UInt64)
  /// The device reads the feed anew up to this fence; go on after this number.
  case reset(fence: UInt64, after: UInt64)
  /// The device may no longer read the feed.
  case revoked(reason: String)

  /// Decides from what the device says and what the server holds.
  ///
  /// A device that reads from the start is told of a reset where anything was purged, too: it may
  /// hold records from an earlier epoch that are gone.
  public init(_ asked: SyncRequest.Feed, head: FeedHead) {
    if let reason = head.revoked {
      self = .revoked(reason: reason)
    } else if Self.isOtherGrant(asked, head: head) {
      self = .reset(fence: head.fence, after: 0)
    } else if let reset = asked.reset {
      let goesOn = reset == head.fence
      self = .reset(fence: head.fence, after: goesOn ? min(asked.cursor ?? 0, head.head) : 0)
    } else if asked.cursor ?? 0 < head.fence {
      self = .reset(fence: head.fence, after: 0)
    } else {
      // A cursor beyond the head comes from nowhere; nothing follows it, and nothing is lost by
      // reading from the head.
      self = .read(after: min(asked.cursor ?? 0, head.head))
    }
  }

  private static func isOtherGrant(_ asked: SyncRequest.Feed, head: FeedHead) -> Bool {
    #if PLANTED
      if Planted.isActive(.grantIgnored) { return false }
    #endif
    return asked.grant.map { $0 != head.grant } ?? false
  }

  /// After which number the page goes on; nil where there is none.
  public var after: UInt64? {
    switch self {
    case .read(let number), .reset(_, let number): number
    case .revoked: nil
    }
  }

  /// The fence of the reset that the page belongs to.
  public var fence: UInt64? {
    if case .reset(let fence, _) = self { fence } else { nil }
  }

  /// Where the device reads on after a page.
  ///
  /// While there is more it is the last record's number; at the end it is the feed's counter, which
  /// the caller read in this transaction before the records, so that a later revision waits.
  public static func cursor(
    head: UInt64, lastSent: UInt64?, after: UInt64, more: Bool
  ) -> UInt64 {
    #if PLANTED
      if Planted.isActive(.headAsCursor) { return head }
    #endif
    guard more else { return max(head, after) }
    return lastSent ?? after
  }
}
