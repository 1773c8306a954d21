/// The server's half of a round of sync.
public struct SyncAnswer: Hashable, Sendable {
  /// What is new in one feed.
  public struct Feed: Hashable, Sendable {
    /// The feed.
    public var feed: Key
    /// The number of the grant the subscription rests on.
    public var grant: UInt64
    /// Where to read on; nil while a reset has not begun.
    public var cursor: UInt64?
    /// Tombstones up to this revision are purged.
    public var fence: UInt64
    /// The records in the order of their revisions; without those in ``plain``.
    public var records: [RecordMessage]
    /// Records that were left as they came; none unless asked for.
    package var plain = PlainRecords()
    /// Whether there is more than fitted.
    public var more: Bool
    /// The fence of the reset that this page belongs to.
    public var reset: UInt64?
    /// Why the subscription ended.
    public var revoked: String?

    /// Makes a feed's part.
    public init(
      feed: Key, grant: UInt64, cursor: UInt64?, fence: UInt64 = 0,
      records: [RecordMessage] = [], more: Bool = false, reset: UInt64? = nil,
      revoked: String? = nil
    ) {
      self.feed = feed
      self.grant = grant
      self.cursor = cursor
      self.fence = fence
      self.records = records
      self.more = more
      self.reset = reset
      self.revoked = revoked
    }
  }

  /// An earlier epoch of the server's history.
  public struct Ancestor: Hashable, Sendable {
    /// The epoch.
    public var epoch: Epoch
    /// When it ended, in milliseconds.
    public var ended: Int64
    /// Up to which number the present history holds each feed of it.
    public var heads: FieldMap<UInt64>

    /// Makes an ancestor.
    public init(epoch: Epoch, ended: Int64, heads: FieldMap<UInt64>) {
      self.epoch = epoch
      self.ended = ended
      self.heads = heads
    }
  }

  /// The wire's version.
  public var protocolVersion: UInt64
  /// The server's epoch.
  public var epoch: Epoch
  /// Earlier epochs; told to a device that names another epoch.
  public var ancestry: [Ancestor]
  /// Told to a replica whose request number was used before: take a new replica id.
  public var renew: [RecordMessage]?
  /// The server's clock in milliseconds.
  public var time: Int64
  /// The nonce of the request.
  public var nonce: Nonce
  /// One verdict for each operation and offer.
  public var verdicts: [Verdict]
  /// What is new in the feeds.
  public var feeds: [Feed]
  /// The names of the devices behind the stamps, by replica.
  public var devices: [Device]

  /// A replica and the name of its device.
  public struct Device: Hashable, Sendable {
    /// The replica.
    public var replica: ReplicaID
    /// The name people know it by.
    public var name: String

    /// Makes a pair.
    public init(replica: ReplicaID, name: String) {
      self.replica = replica
      self.name = name
    }
  }

  /// Makes an answer.
  public init(
    protocolVersion: UInt64 = ProtocolVersion.current, epoch: Epoch, ancestry: [Ancestor] = [],
    renew: [RecordMessage]? = nil, time: Int64, nonce: Nonce, verdicts: [Verdict] = [],
    feeds: [Feed] = [], devices: [Device] = []
  ) {
    self.protocolVersion = protocolVersion
    self.epoch = epoch
    self.ancestry = ancestry
    self.renew = renew
    self.time = time
    self.nonce = nonce
    self.verdicts = verdicts
    self.feeds = feeds
    self.devices = devices
  }
}

extension SyncAnswer.Feed {
  /// Whether both say the same; the reason is compared by its bytes.
  public static func == (left: SyncAnswer.Feed, right: SyncAnswer.Feed) -> Bool {
    left.feed == right.feed && left.grant == right.grant && left.cursor == right.cursor
      && left.fence == right.fence && left.messages == right.messages && left.more == right.more
      && left.reset == right.reset && left.revoked.map(Key.init) == right.revoked.map(Key.init)
  }

  /// Feeds what tells one page from another.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(feed)
    hasher.combine(cursor)
    hasher.combine(messages)
  }
}

extension SyncAnswer.Device {
  /// Whether both have the same replica and the same bytes as name.
  public static func == (left: SyncAnswer.Device, right: SyncAnswer.Device) -> Bool {
    left.replica == right.replica && left.name.hasSameBytes(as: right.name)
  }

  /// Feeds the replica and the name's bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(replica)
    hasher.combine(Key(name))
  }
}
