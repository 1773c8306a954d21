/// The pending change of one record, as it is sent.
public struct Operation: Hashable, Sendable {
  /// The idempotency key, stable over retries and restarts.
  public var id: OperationID
  /// The schema version it was written under.
  public var schema: UInt64
  /// The replica that wrote it.
  public var replica: ReplicaID
  /// The epoch in which it was first sent; nil when the device knew none.
  public var epoch: Epoch?
  /// The revision of the record that the device held; nil where the server had told none.
  public var base: Revision?
  /// The record.
  public var key: RecordKey
  /// The feed the record belongs to.
  public var feed: Key
  /// Whether it makes the record.
  public var creates: Bool
  /// The deletion that a reviving edit names; only where the table's rule is `editRevives`.
  public var revives: Stamp?
  /// The changed fields.
  public var fields: FieldMap<OperationField>
  /// The stamp of its deletion; nil where it does not delete.
  public var deleted: Stamp?
  /// Records that must exist before it can be applied.
  public var needs: [RecordKey]
  /// The lines about the references and unique keys of its fields in the schema of its writer, in
  /// order; see ``TableSchema/declarations(of:)``.
  public var declares: [Key]
  /// The hash of its bytes, which are frozen when it is first marked in flight.
  public var digest: SHA256.Digest

  /// Makes an operation.
  public init(
    id: OperationID, schema: UInt64, replica: ReplicaID, epoch: Epoch? = nil,
    base: Revision? = nil, key: RecordKey, feed: Key, creates: Bool = false,
    revives: Stamp? = nil, fields: FieldMap<OperationField> = FieldMap(), deleted: Stamp? = nil,
    needs: [RecordKey] = [], declares: [Key] = [],
    digest: SHA256.Digest = SHA256.Digest(first: 0, second: 0, third: 0, fourth: 0)
  ) {
    self.id = id
    self.schema = schema
    self.replica = replica
    self.epoch = epoch
    self.base = base
    self.key = key
    self.feed = feed
    self.creates = creates
    self.revives = revives
    self.fields = fields
    self.deleted = deleted
    self.needs = needs
    self.declares = declares
    self.digest = digest
  }
}

/// Why the server did not apply an operation; written on the wire by name.
public enum RejectionCode: UInt8, Hashable, Sendable, CaseIterable {
  /// The record is gone, or was never there.
  case gone
  /// The record belongs to another feed.
  case feed
  /// The same operation id came with other bytes.
  case mismatch
  /// The device and the server know the field under different rules.
  case rule
  /// A value is not of the field's kind.
  case kind
  /// The operation or its result is over a limit.
  case tooLarge
  /// The replica was away for longer than operations are remembered.
  case expired
  /// An offer comes later than the retention time after its epoch ended.
  case late
  /// Another record of the feed holds the unique key.
  case taken
  /// A validator refused it.
  case invalid
  /// The user may not write there.
  case forbidden
  /// A code that this build does not know.
  case other

  /// The code's name on the wire.
  public var name: Key {
    switch self {
    case .gone: "gone"
    case .feed: "feed"
    case .mismatch: "mismatch"
    case .rule: "rule"
    case .kind: "kind"
    case .tooLarge: "tooLarge"
    case .expired: "expired"
    case .late: "late"
    case .taken: "taken"
    case .invalid: "invalid"
    case .forbidden: "forbidden"
    case .other: "other"
    }
  }

  /// The code of a name; ``other`` for one that this build does not know.
  public init(name: Key) {
    self = .other
    for code in RejectionCode.allCases where code.name == name { self = code }
  }
}

/// Why an operation could not be judged yet.
public enum DeferralReason: UInt8, Hashable, Sendable, CaseIterable {
  /// A record it needs is not there.
  case needs
  /// The feed must be read anew first.
  case reset
  /// Re-offers are not taken by this server.
  case offers
  /// The server could not judge it now.
  case unavailable

  /// The reason's name on the wire.
  public var name: Key {
    switch self {
    case .needs: "needs"
    case .reset: "reset"
    case .offers: "offers"
    case .unavailable: "unavailable"
    }
  }

  /// The reason of a name; ``unavailable`` for one that this build does not know.
  public init(name: Key) {
    self = .unavailable
    for reason in DeferralReason.allCases where reason.name == name { self = reason }
  }
}

/// The server's answer to one operation.
public struct Verdict: Hashable, Sendable {
  /// What became of the operation.
  public enum Kind: Hashable, Sendable {
    /// It is part of the server's state, or lost to what is.
    case applied
    /// It was applied before; nothing changed.
    case duplicate
    /// It is refused; the person has to decide.
    case rejected(RejectionCode, message: String)
    /// It is not judged yet and stays in line.
    case later(DeferralReason, afterMilliseconds: UInt64)
  }

  /// The operation.
  public var id: OperationID
  /// What became of it.
  public var kind: Kind
  /// The record's revision now; nil where there is none.
  public var revision: Revision?
  /// The stamps under which fields were settled, where they differ from those sent.
  public var stamps: FieldMap<Stamp>
  /// The stamp under which the deletion was settled, where it differs from the one sent.
  public var deleted: Stamp?
  /// The record as it is now; left out where the device can tell it from what it holds.
  public var record: RecordMessage?
  /// The record that holds the unique key; only where it is refused as ``RejectionCode/taken``.
  public var holder: RecordID?

  /// Makes a verdict.
  public init(
    id: OperationID, kind: Kind, revision: Revision? = nil,
    stamps: FieldMap<Stamp> = FieldMap(), deleted: Stamp? = nil, record: RecordMessage? = nil,
    holder: RecordID? = nil
  ) {
    self.id = id
    self.kind = kind
    self.revision = revision
    self.stamps = stamps
    self.deleted = deleted
    self.record = record
    self.holder = holder
  }
}

/// A record on the wire.
public struct RecordMessage: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// Its state; the revision is always there.
  public var state: RecordState
  /// Its JSON where it is at hand: the server keeps records so and sends them without reading them.
  ///
  /// Empty after reading and where the writer is to make it from the state.
  public var encoded: [UInt8]

  /// Makes a message.
  public init(key: RecordKey, state: RecordState, encoded: [UInt8] = []) {
    self.key = key
    self.state = state
    self.encoded = encoded
  }
}

extension Verdict.Kind {
  /// Whether both say the same; messages are compared by their bytes.
  public static func == (left: Verdict.Kind, right: Verdict.Kind) -> Bool {
    switch (left, right) {
    case (.applied, .applied), (.duplicate, .duplicate): true
    case (.rejected(let one, let message), .rejected(let other, let text)):
      one == other && message.hasSameBytes(as: text)
    case (.later(let one, let wait), .later(let other, let pause)): one == other && wait == pause
    default: false
    }
  }

  /// Feeds the case and what it carries.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .applied: hasher.combine(0)
    case .duplicate: hasher.combine(1)
    case .rejected(let code, let message):
      hasher.combine(code)
      hasher.combine(Key(message))
    case .later(let reason, let milliseconds):
      hasher.combine(reason)
      hasher.combine(milliseconds)
    }
  }
}
