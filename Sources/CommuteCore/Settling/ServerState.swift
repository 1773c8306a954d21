/// A record as the server holds it.
public struct StoredRecord: Hashable, Sendable {
  /// The feed it belongs to for life.
  public var feed: Key
  /// Its state, with revision and author.
  public var state: RecordState

  /// Makes it of both.
  public init(feed: Key, state: RecordState) {
    self.feed = feed
    self.state = state
  }
}

/// What is remembered of an applied operation, so that it has effect once.
public struct AppliedOperation: Hashable, Sendable {
  /// The hash of its bytes.
  public var digest: SHA256.Digest
  /// The revision it left.
  public var revision: Revision?
  /// The replica that sent it.
  public var replica: ReplicaID

  /// Makes a memory.
  public init(digest: SHA256.Digest, revision: Revision?, replica: ReplicaID) {
    self.digest = digest
    self.revision = revision
    self.replica = replica
  }
}

/// Which field of which record; the deletion has the empty name.
public struct FieldKey: Hashable, Sendable {
  /// The record.
  public var record: RecordKey
  /// The field; empty for the deletion.
  public var field: Key

  /// Makes a key.
  public init(record: RecordKey, field: Key) {
    self.record = record
    self.field = field
  }
}

/// A stamp from the future and the one under which it was settled.
public struct Restamp: Hashable, Sendable {
  /// What the writer claimed.
  public var claimed: Stamp
  /// What it was settled under.
  public var settled: Stamp
  /// The replica that claimed it; the memory lives until that one is retired.
  public var replica: ReplicaID

  /// Makes a memory.
  public init(claimed: Stamp, settled: Stamp, replica: ReplicaID) {
    self.claimed = claimed
    self.settled = settled
    self.replica = replica
  }
}

/// What the server holds of one feed for one user.
public struct FeedHead: Hashable, Sendable {
  /// The number of the latest change.
  public var head: UInt64
  /// Tombstones up to this number are purged.
  public var fence: UInt64
  /// The number of the user's grant.
  public var grant: UInt64
  /// Why the user may no longer read and write the feed, in words for people; nil while it is
  /// granted.
  public var revoked: String?
  /// Whether the user may read the feed and not write it.
  public var isReadOnly: Bool

  /// Makes a head, by default of an empty feed under its first grant.
  public init(
    head: UInt64 = 0, fence: UInt64 = 0, grant: UInt64 = 1, revoked: String? = nil,
    isReadOnly: Bool = false
  ) {
    self.head = head
    self.fence = fence
    self.grant = grant
    self.revoked = revoked
    self.isReadOnly = isReadOnly
  }
}

/// The last request with operations that a replica made.
public struct LastRequest: Hashable, Sendable {
  /// Its number.
  public var number: UInt64
  /// Its nonce.
  public var nonce: Nonce

  /// Makes it of both.
  public init(number: UInt64, nonce: Nonce) {
    self.number = number
    self.nonce = nonce
  }
}

/// The rows of a server's store that settling one request reads and writes.
///
/// The store loads what ``Settlement/needs(of:)`` names inside its transaction, settles, and writes
/// back what is marked as changed; the simulator keeps one that holds everything.
public struct ServerState: Sendable {
  /// The server's epoch.
  public var epoch: Epoch
  /// The server's clock; its replica id is renewed with the epoch.
  public var clock: HybridClock
  /// The records by key.
  public var records: [RecordKey: StoredRecord]
  /// The applied operations by id.
  public var operations: [OperationID: AppliedOperation]
  /// The memory of stamps from the future, by field.
  public var restamps: [FieldKey: [Restamp]]
  /// The ids of purged records.
  public var stubs: Set<RecordKey>
  /// The feeds by name.
  public var heads: [Key: FeedHead]
  /// The last requests by replica.
  public var requests: [ReplicaID: LastRequest]
  /// Replicas whose memory of applied operations was purged; they stay retired.
  public var retired: Set<ReplicaID>
  /// Replicas that are registered to other users, of those that the request counts under.
  public var foreign: Set<ReplicaID>
  /// The epochs before the present one, the oldest first; loaded where offers are to be judged.
  public var ancestry: [SyncAnswer.Ancestor]
  /// Whether it holds every record of the server; otherwise ``present``, ``gone`` and ``holders``
  /// say what has to be known of the others, and the store goes on with open deletions itself.
  public var isWhole: Bool
  /// Records that are there and not loaded, of those that operations need.
  public var present: Set<RecordKey>
  /// Deleted records that are not loaded, of those that loaded ones refer to.
  public var gone: Set<RecordKey>
  /// The living records that have a unique key, by what stands for the key.
  public var holders: [RecordID: [RecordID]]
  /// Deleted records whose children have to be looked for, the oldest first; in a whole state.
  public var openDeletions: [OpenDeletion]

  /// Makes a state of nothing.
  public init(epoch: Epoch, clock: HybridClock) {
    self.epoch = epoch
    self.clock = clock
    records = [:]
    operations = [:]
    restamps = [:]
    stubs = []
    heads = [:]
    requests = [:]
    retired = []
    foreign = []
    ancestry = []
    isWhole = true
    present = []
    gone = []
    holders = [:]
    openDeletions = []
  }
}
