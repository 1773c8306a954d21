/// What a device knows of one feed it subscribes to.
public struct FeedState: Hashable, Sendable {
  /// How far it has read; nil for from the start.
  public var cursor: UInt64?
  /// The number of the grant the subscription rests on; nil before the server told one.
  public var grant: UInt64?
  /// The fence the server last told.
  public var fence: UInt64

  /// Makes the state of a feed, by default one never read.
  public init(cursor: UInt64? = nil, grant: UInt64? = nil, fence: UInt64 = 0) {
    self.cursor = cursor
    self.grant = grant
    self.fence = fence
  }
}

/// Why a round stopped although the server answered; nothing was applied and nothing is lost.
@nonexhaustive
public enum RoundStop: Error, Hashable, Sendable {
  /// The server speaks another version of the wire.
  case protocolNotSpoken(UInt64)
  /// The server's history is another one than the device knows (it was restored).
  case otherEpoch(known: Epoch, told: Epoch)
  /// The device was away for longer than deletions are kept and must read the feed anew.
  case reset(feed: Key)
  /// The subscription to a feed was taken away.
  case revoked(feed: Key, reason: String)
  /// The server's log of a feed ends before what this device has read of it (it was restored).
  case historyShorter(feed: Key)

  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .protocolNotSpoken(let version):
      "the server answered in protocol \(version), this build speaks"
        + " \(ProtocolVersion.current); update the app"
    case .otherEpoch(let known, let told):
      "the server's history \(told.text) is not the one this device knows (\(known.text)); this"
        + " version cannot offer its records again, all changes are kept here"
    case .reset(let feed):
      "the feed \(feed.text) must be read anew after a long absence; this version cannot do that,"
        + " all changes are kept here"
    case .revoked(let feed, let reason):
      "the feed \(feed.text) is no longer granted (\(reason)); this version cannot end the"
        + " subscription, all changes are kept here"
    case .historyShorter(let feed):
      "the server holds less of the feed \(feed.text) than this device has read (it was restored);"
        + " this version cannot offer its records again, all changes are kept here"
    }
  }
}

/// What an answer means to the device.
public enum AnswerReading: Hashable, Sendable {
  /// It answers another request, or none: nothing is done.
  case ignored
  /// Apply its verdicts, records and cursors in one transaction.
  case apply
  /// The request number was used before: the device has taken a new replica id, nothing else
  /// changed.
  case renewed
  /// Nothing may be applied; the round ends with this error.
  case stop(RoundStop)
}

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

  /// Begins a round: raises the request number if the request carries operations.
  ///
  /// The caller commits the device's state and the marked rows durably, then writes the host
  /// record, then sends.
  ///
  /// - Parameters:
  ///   - rows: Rows marked in flight, in line order.
  ///   - nonce: A fresh nonce.
  ///   - build: What the app says about itself.
  ///   - wall: The device's wall clock in milliseconds.
  ///   - limit: How much the device can take at once.
  /// - Returns: The request to be sent.
  public mutating func begin(
    with rows: [OutboxRow], nonce: Nonce, build: Build, wall: Int64,
    limit: SyncRequest.Limit = SyncRequest.Limit()
  ) -> SyncRequest {
    if !rows.isEmpty { number += 1 }
    self.nonce = nonce
    var operations: [SyncRequest.SentOperation] = []
    operations.reserveCapacity(rows.count)
    var again: [OperationID] = []
    for row in rows {
      operations.append(SyncRequest.SentOperation(operation: row.operation, bytes: row.bytes))
      if row.unanswered > 1 || row.operation.replica != replica { again.append(row.operation.id) }
      if feeds[row.operation.feed] == nil { feeds[row.operation.feed] = FeedState() }
    }
    var asked: [SyncRequest.Feed] = []
    for entry in feeds.entries {
      asked.append(
        SyncRequest.Feed(
          feed: entry.name, grant: entry.value.grant, cursor: entry.value.cursor))
    }
    return SyncRequest(
      schema: build.schema, build: build.build, owner: account.owner, replica: replica,
      replicas: earlierReplicas, device: build.device, number: number, nonce: nonce,
      epoch: epoch, time: wall, feeds: asked, again: again, operations: operations, limit: limit)
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
  /// - Returns: What the answer means; only where it is ``AnswerReading/apply`` is the rest to be
  ///   applied.
  public mutating func read(
    _ answer: SyncAnswer, wall: Int64, roundTrip: Int64, newReplica: ReplicaID
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
      return .stop(.otherEpoch(known: epoch, told: answer.epoch))
    }
    for part in answer.feeds {
      if let reason = part.revoked { return .stop(.revoked(feed: part.feed, reason: reason)) }
      if part.reset != nil { return .stop(.reset(feed: part.feed)) }
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
}
