/// The part of a device's state that is about the whole file: identity, clock, epoch, cursors.
///
/// It decides what a request says and what an answer means; ``DeviceRecord`` does so for records.
public struct Device: Hashable, Sendable {
  /// Whose data the file holds.
  public var account: Account
  /// The clock, which also holds the replica id.
  public var clock: HybridClock
  /// Earlier replica ids of this file, oldest first.
  public var earlierReplicas: [ReplicaID]
  /// The highest request number marked.
  public var number: UInt64
  /// The server's epoch; nil before the first answer.
  public var epoch: Epoch?
  /// The nonce of the round under way; nil when none is.
  public var nonce: Nonce?
  /// The feeds subscribed to, by name.
  public var feeds: FieldMap<FeedState>

  /// Makes a device's state.
  public init(
    account: Account, clock: HybridClock, earlierReplicas: [ReplicaID] = [], number: UInt64 = 0,
    epoch: Epoch? = nil, feeds: FieldMap<FeedState> = FieldMap()
  ) {
    self.account = account
    self.clock = clock
    self.earlierReplicas = earlierReplicas
    self.number = number
    self.epoch = epoch
    self.feeds = feeds
  }

  /// The writing identity.
  public var replica: ReplicaID { clock.replica }

  /// What a build says about itself in every request.
  public struct Build: Hashable, Sendable {
    /// The schema the app was built with.
    public var schema: SchemaID
    /// The client's build, for people.
    public var build: String
    /// A name people know the device by.
    public var device: String

    /// Makes it of its parts.
    public init(schema: SchemaID, build: String, device: String) {
      self.schema = schema
      self.build = build
      self.device = device
    }
  }

  /// What the owner of a device's state can carry out after a long absence.
  ///
  /// Where an answer asks for more, the round is stopped by name and nothing is lost.
  public struct Abilities: OptionSet, Hashable, Sendable {
    /// One bit for each.
    public var rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Reading a feed anew and sweeping what it no longer has.
    public static let reset = Abilities(rawValue: 1)
    /// Offering records again to a server with another history.
    public static let epochs = Abilities(rawValue: 2)
    /// Ending a subscription that was taken away.
    public static let revocation = Abilities(rawValue: 4)
    /// Everything.
    public static let all: Abilities = [.reset, .epochs, .revocation]
  }

  /// Begins a round: raises the request number if the request carries operations or offers.
  ///
  /// The caller commits the device's state and the marked rows durably, then writes the host
  /// record, then sends.
  ///
  /// - Parameters:
  ///   - rows: Rows marked in flight, in line order.
  ///   - offers: Offers marked as sent, which come before all rows.
  ///   - nonce: A fresh nonce.
  ///   - build: What the app says about itself.
  ///   - wall: The device's wall clock in milliseconds.
  ///   - limit: How much the device can take at once.
  /// - Returns: The request to be sent.
  public mutating func begin(
    with rows: [OutboxRow], offers: [SyncRequest.Offer] = [], nonce: Nonce, build: Build,
    wall: Int64, limit: SyncRequest.Limit = SyncRequest.Limit()
  ) -> SyncRequest {
    if !rows.isEmpty || !offers.isEmpty { number += 1 }
    self.nonce = nonce
    var operations: [SyncRequest.SentOperation] = []
    operations.reserveCapacity(rows.count)
    var again: [OperationID] = []
    for row in rows {
      operations.append(SyncRequest.SentOperation(operation: row.operation, bytes: row.bytes))
      if row.unanswered > 1 || row.operation.replica != replica { again.append(row.operation.id) }
      if feeds[row.operation.feed] == nil { feeds[row.operation.feed] = FeedState() }
    }
    for offer in offers where feeds[offer.feed] == nil { feeds[offer.feed] = FeedState() }
    var asked: [SyncRequest.Feed] = []
    for entry in feeds.entries {
      asked.append(
        SyncRequest.Feed(
          feed: entry.name, grant: entry.value.grant, cursor: entry.value.cursor,
          reset: entry.value.reset))
    }
    return SyncRequest(
      schema: build.schema, build: build.build, owner: account.owner, replica: replica,
      replicas: earlierReplicas, device: build.device, number: number, nonce: nonce,
      epoch: epoch, time: wall, feeds: asked, offers: offers, again: again,
      operations: operations, limit: limit)
  }

  /// Reads an answer: whether it is the one waited for, and whether it can be applied.
  ///
  /// The clock's offset is measured, the replica renewed and the epoch taken over here; records are
  /// the caller's to apply where the result is ``AnswerReading/apply``.
  ///
  /// - Parameters:
  ///   - answer: The answer as it came.
  ///   - wall: The device's wall clock in milliseconds.
  ///   - roundTrip: How long the request took, in milliseconds of the monotonic clock.
  ///   - newReplica: The replica id to take if the server asks for a new one.
  ///   - abilities: What the caller can carry out; anything else stops the round by name.
  /// - Returns: What the answer means; only where it is ``AnswerReading/apply`` is the rest to be
  ///   applied.
  public mutating func read(
    _ answer: SyncAnswer, wall: Int64, roundTrip: Int64, newReplica: ReplicaID,
    carryingOut abilities: Abilities = []
  ) -> AnswerReading {
    #if PLANTED
      if !Planted.isActive(.nonceNotChecked) {
        guard let nonce, answer.nonce == nonce else { return .ignored }
      }
    #else
      guard let nonce, answer.nonce == nonce else { return .ignored }
    #endif
    self.nonce = nil
    let version = answer.protocolVersion
    guard version >= ProtocolVersion.minimum, version <= ProtocolVersion.current else {
      return .stop(.protocolNotSpoken(version))
    }
    clock.measure(serverTime: answer.time, wall: wall, roundTrip: roundTrip)
    if answer.renew != nil {
      renewReplica(to: newReplica)
      return .renewed
    }
    if let epoch, epoch != answer.epoch {
      #if PLANTED
        if Planted.isActive(.epochIgnored) { return .apply }
      #endif
      guard abilities.contains(.epochs) else {
        return .stop(.otherEpoch(known: epoch, told: answer.epoch))
      }
      return .newEpoch(take(answer.epoch, inPlaceOf: epoch, ancestry: answer.ancestry))
    }
    for part in answer.feeds {
      if let reason = part.revoked {
        if abilities.contains(.revocation) { continue }
        return .stop(.revoked(feed: part.feed, reason: reason))
      }
      if part.reset != nil {
        if abilities.contains(.reset) { continue }
        return .stop(.reset(feed: part.feed))
      }
      if let told = part.cursor, let read = feeds[part.feed]?.cursor, told < read {
        #if PLANTED
          if Planted.isActive(.shorterHistoryTaken) { continue }
        #endif
        return .stop(.historyShorter(feed: part.feed))
      }
    }
    epoch = answer.epoch
    return .apply
  }

  /// Moves the cursor of a feed to where the answer says.
  ///
  /// Only an answer that was waited for gets here, so a cursor never moves backwards.
  public mutating func moveCursor(by part: SyncAnswer.Feed) {
    guard var state = feeds[part.feed] else { return }
    #if PLANTED
      if !Planted.isActive(.cursorNotMoved) { state.cursor = part.cursor ?? state.cursor }
    #else
      state.cursor = part.cursor ?? state.cursor
    #endif
    state.grant = part.grant
    state.fence = part.fence
    feeds[part.feed] = state
  }

  /// Takes a new writing identity; pending work, stamps and payloads stay as they are.
  public mutating func renewReplica(to replica: ReplicaID) {
    if !earlierReplicas.contains(clock.replica) { earlierReplicas.append(clock.replica) }
    clock.replica = replica
    number = 0
    // No answer to what was asked under the earlier id is waited for.
    nonce = nil
  }

  /// Takes a new writing identity where a feed was taken away and the app counts anywhere.
  ///
  /// With the feed the device forgets what it has counted there. Counted on from nothing under the
  /// same id, the server would take it for what it has already. The caller does this in the
  /// transaction that applied the answer, commits durably and then writes the host record.
  ///
  /// - Returns: Whether a new identity was taken.
  @discardableResult
  public mutating func forgetCounts(
    in tables: some Sequence<TableSchema>, newReplica: ReplicaID
  ) -> Bool {
    guard tables.contains(where: { $0.hasCounters }) else { return false }
    renewReplica(to: newReplica)
    return true
  }
}
