/// The version of the wire that this build speaks.
public enum ProtocolVersion {
  /// The version sent and understood.
  public static let current: UInt64 = 1
  /// The oldest version still understood.
  public static let minimum: UInt64 = 1
}

/// One device's half of a round of sync.
public struct SyncRequest: Hashable, Sendable {
  /// A feed the device asks about.
  public struct Feed: Hashable, Sendable {
    /// The feed.
    public var feed: Key
    /// The number of the grant the subscription rests on; nil before the server told one.
    public var grant: UInt64?
    /// How far the device has read; nil for from the start.
    public var cursor: UInt64?
    /// The fence of the reset the device is inside of.
    public var reset: UInt64?

    /// Makes a feed's part.
    public init(feed: Key, grant: UInt64? = nil, cursor: UInt64? = nil, reset: UInt64? = nil) {
      self.feed = feed
      self.grant = grant
      self.cursor = cursor
      self.reset = reset
    }
  }

  /// A record that the device holds from an earlier epoch.
  public struct Offer: Hashable, Sendable {
    /// The id that its verdict names.
    public var id: OperationID
    /// The feed the record belongs to.
    public var feed: Key
    /// The record's full state.
    public var record: RecordMessage

    /// Makes an offer.
    public init(id: OperationID, feed: Key, record: RecordMessage) {
      self.id = id
      self.feed = feed
      self.record = record
    }
  }

  /// An operation as it is sent.
  public struct SentOperation: Hashable, Sendable {
    /// What it says.
    public var operation: Operation
    /// Its frozen bytes; empty in a world that passes no bytes.
    public var bytes: [UInt8]

    /// Makes it of both.
    public init(operation: Operation, bytes: [UInt8] = []) {
      self.operation = operation
      self.bytes = bytes
    }
  }

  /// How much the device can take at once.
  public struct Limit: Hashable, Sendable {
    /// Bytes of the answer.
    public var bytes: UInt64
    /// Records of the answer.
    public var records: UInt64

    /// Makes a limit.
    public init(bytes: UInt64 = 1 << 20, records: UInt64 = 10_000) {
      self.bytes = bytes
      self.records = records
    }
  }

  /// The wire's version.
  public var protocolVersion: UInt64
  /// The schema the device was built with.
  public var schema: SchemaID
  /// The client's build, for people.
  public var build: String
  /// Whose data the file holds.
  public var owner: String
  /// The file's writing identity.
  public var replica: ReplicaID
  /// Its earlier writing identities.
  public var replicas: [ReplicaID]
  /// A name people know the device by.
  public var device: String
  /// The request number; rises with each request that carries operations or offers.
  public var number: UInt64
  /// What the answer must name.
  public var nonce: Nonce
  /// The server's epoch as the device knows it.
  public var epoch: Epoch?
  /// The device's wall clock in milliseconds.
  public var time: Int64
  /// The feeds asked about, and each feed that an operation names.
  public var feeds: [Feed]
  /// Records offered again after a new epoch.
  public var offers: [Offer]
  /// Operations that were perhaps sent before.
  public var again: [OperationID]
  /// The operations in line.
  public var operations: [SentOperation]
  /// How much the device can take.
  public var limit: Limit

  /// Makes a request.
  public init(
    protocolVersion: UInt64 = ProtocolVersion.current, schema: SchemaID, build: String,
    owner: String, replica: ReplicaID, replicas: [ReplicaID] = [], device: String,
    number: UInt64, nonce: Nonce, epoch: Epoch?, time: Int64, feeds: [Feed],
    offers: [Offer] = [], again: [OperationID] = [], operations: [SentOperation] = [],
    limit: Limit = Limit()
  ) {
    self.protocolVersion = protocolVersion
    self.schema = schema
    self.build = build
    self.owner = owner
    self.replica = replica
    self.replicas = replicas
    self.device = device
    self.number = number
    self.nonce = nonce
    self.epoch = epoch
    self.time = time
    self.feeds = feeds
    self.offers = offers
    self.again = again
    self.operations = operations
    self.limit = limit
  }
}

extension SyncRequest {
  /// Whether both say the same; texts are compared by their bytes.
  public static func == (left: SyncRequest, right: SyncRequest) -> Bool {
    left.protocolVersion == right.protocolVersion && left.schema == right.schema
      && left.labels == right.labels && left.replica == right.replica
      && left.replicas == right.replicas && left.number == right.number
      && left.nonce == right.nonce && left.epoch == right.epoch && left.time == right.time
      && left.feeds == right.feeds && left.offers == right.offers && left.again == right.again
      && left.operations == right.operations && left.limit == right.limit
  }

  /// Feeds what tells one request from another.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(nonce)
    hasher.combine(number)
    hasher.combine(operations)
  }

  private var labels: [Key] { [Key(build), Key(owner), Key(device)] }
}
