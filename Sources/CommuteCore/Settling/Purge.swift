/// What of a server's memory may go, after the retention time and once the devices have passed it.
///
/// A tombstone becomes a stub, for good; the memory of applied operations and of stamps from the
/// future lives as long as the replica that wrote them is not retired.
public struct Purge: Sendable {
  /// How far a device has come, as its last request told.
  public struct Progress: Hashable, Sendable {
    /// The device's writing identity.
    public var replica: ReplicaID
    /// When it was last seen, in milliseconds.
    public var seenAt: Int64
    /// The feeds it reads and its cursors in the present epoch; nil for from the start, which is
    /// also that of one inside a reset or in another epoch.
    public var cursors: FieldMap<UInt64?>

    /// Makes a device's progress.
    public init(replica: ReplicaID, seenAt: Int64, cursors: FieldMap<UInt64?>) {
      self.replica = replica
      self.seenAt = seenAt
      self.cursors = cursors
    }
  }

  /// How long tombstones and memories are kept at least, unless told otherwise: 90 days.
  public static let defaultRetention: Int64 = 90 * 86_400_000

  /// How long they are kept, in milliseconds.
  public var retention: Int64
  /// The server's time in milliseconds.
  public var time: Int64
  /// The devices that were seen within the retention time.
  private let present: [Progress]
  /// The devices that were not.
  private let absent: [Progress]

  /// Begins to purge.
  ///
  /// - Parameters:
  ///   - retention: How long tombstones and memories are kept, in milliseconds.
  ///   - time: The server's time in milliseconds.
  ///   - devices: Every device the server knows, each writing identity by itself.
  public init(
    retention: Int64 = Purge.defaultRetention, time: Int64, devices: [Progress]
  ) {
    self.retention = retention
    self.time = time
    present = devices.filter { !Self.isOver($0.seenAt, at: time, retention: retention) }
    absent = devices.filter { Self.isOver($0.seenAt, at: time, retention: retention) }
  }

  private static func isOver(_ moment: Int64, at time: Int64, retention: Int64) -> Bool {
    let (age, overflow) = time.subtractingReportingOverflow(moment)
    return !overflow && age > retention
  }

  /// What was removed from a set before this time may be forgotten, in milliseconds.
  var horizon: UInt64 {
    UInt64(clamping: time.subtractingReportingOverflow(retention).partialValue)
  }

  /// The replicas to retire: their memories go, and what they may have sent before is refused.
  public var retired: [ReplicaID] {
    #if PLANTED
      if Planted.isActive(.everybodyRetired) { return (present + absent).map { $0.replica } }
    #endif
    return absent.map { $0.replica }
  }

  /// Up to which number every device that reads a feed and was seen in time has come; the feed's
  /// head where nobody reads it.
  public func passed(_ feed: Key, head: UInt64) -> UInt64 {
    #if PLANTED
      if Planted.isActive(.progressIgnored) { return head }
    #endif
    var least = head
    for device in present {
      guard let cursor = device.cursors[feed] else { continue }
      least = min(least, cursor ?? 0)
    }
    return least
  }

  /// Whether a tombstone may go.
  ///
  /// - Parameters:
  ///   - key: The record; one that may be made again is never purged (``RecordKey/isForOnce``).
  ///   - revision: The number of its latest change.
  ///   - deletedAt: When the server settled that change, in milliseconds.
  ///   - passed: What ``passed(_:head:)`` says of its feed.
  /// - Returns: Whether it may become a stub.
  public func mayGo(
    _ key: RecordKey, revision: UInt64, deletedAt: Int64, passed: UInt64
  ) -> Bool {
    #if PLANTED
      if Planted.isActive(.fixedIDsPurged) {
        return revision <= passed && Self.isOver(deletedAt, at: time, retention: retention)
      }
    #endif
    return key.isForOnce && revision <= passed
      && Self.isOver(deletedAt, at: time, retention: retention)
  }
}

extension RecordKey {
  /// Whether nobody makes the record again once it was deleted: its id was drawn, or it is a
  /// conflict, which is told once.
  public var isForOnce: Bool { id.isDrawn || table == ConflictEntry.table }
}

extension RecordID {
  /// Whether the id is a UUID of version 7, which is drawn for one record and never made again.
  public var isDrawn: Bool { (high >> 12) & 0xF == 7 }
}

extension ServerState {
  /// Takes old removals out of the sets of a feed's records that all devices have read; each record
  /// that had some gets the next number.
  ///
  /// - Returns: The greatest number that such a record had.
  private mutating func pruneRemovals(
    in feed: Key, _ head: inout FeedHead, passed: UInt64, before horizon: UInt64
  ) -> UInt64 {
    var greatest: UInt64 = 0
    for key in records.keys.sorted() {
      guard let stored = records[key], stored.feed == feed, stored.state.deleted == nil,
        let revision = stored.state.revision?.number, revision <= passed
      else { continue }
      var state = stored.state
      guard state.pruneRemovals(before: horizon) else { continue }
      head.head += 1
      state.revision = Revision(epoch: epoch, number: head.head)
      records[key] = StoredRecord(feed: feed, state: state)
      greatest = max(greatest, revision)
    }
    return greatest
  }

  /// Purges: tombstones become stubs, removals leave their sets, fences rise, memories of retired
  /// replicas go.
  ///
  /// A store does the same with its rows.
  ///
  /// - Parameters:
  ///   - purge: What may go.
  ///   - deletedAt: When the latest change of a deleted record was settled, in milliseconds.
  public mutating func purge(_ purge: Purge, deletedAt: (RecordKey) -> Int64) {
    for replica in purge.retired { retired.insert(replica) }
    let forgotten = retired
    operations = operations.filter { !forgotten.contains($0.value.replica) }
    restamps = restamps.compactMapValues { memories in
      let kept = memories.filter { !forgotten.contains($0.replica) }
      return kept.isEmpty ? nil : kept
    }
    for (feed, known) in heads {
      var head = known
      let passed = purge.passed(feed, head: head.head)
      for (key, stored) in records where stored.feed == feed {
        guard stored.state.deleted != nil, let revision = stored.state.revision?.number,
          purge.mayGo(key, revision: revision, deletedAt: deletedAt(key), passed: passed)
        else { continue }
        records[key] = nil
        stubs.insert(key)
        head.fence = max(head.fence, revision)
      }
      let pruned = pruneRemovals(in: feed, &head, passed: passed, before: purge.horizon)
      head.fence = max(head.fence, pruned)
      #if PLANTED
        if Planted.isActive(.fenceNotRaised) { head.fence = known.fence }
      #endif
      heads[feed] = head
    }
  }
}
