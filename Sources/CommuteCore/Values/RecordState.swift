/// Which record: its table and its id.
public struct RecordKey: Hashable, Comparable, Sendable {
  /// The table's name.
  public var table: Key
  /// The record's id.
  public var id: RecordID

  /// Makes a key.
  @inlinable
  public init(table: Key, id: RecordID) {
    self.table = table
    self.id = id
  }

  /// Feeds the id alone: hardly any two tables share one.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id.high)
    hasher.combine(id.low)
  }

  /// Orders by table, then by id: the order in which the server locks.
  @inlinable
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.table != right.table ? left.table < right.table : left.id < right.id
  }
}

/// One field with everything that merging it needs.
public struct FieldState: Hashable, Sendable {
  /// The value.
  public var value: FieldValue
  /// When it was settled, or written where it is not settled yet.
  public var stamp: Stamp
  /// The stamp its writer gave; equal to ``stamp`` unless the server settled it under another.
  public var origin: Stamp
  /// What rules other than `latest` keep beside the value: one JSON value, empty for none.
  public var merge: [UInt8]

  /// Makes a field; the origin is the stamp unless told otherwise.
  @inlinable
  public init(value: FieldValue, stamp: Stamp, origin: Stamp? = nil, merge: [UInt8] = []) {
    self.value = value
    self.stamp = stamp
    self.origin = origin ?? stamp
    self.merge = merge
  }
}

/// A record as the server tells it, or as a device shows it.
public struct RecordState: Hashable, Sendable {
  /// The server's revision; nil while the server has not told one.
  public var revision: Revision?
  /// The user whose change made this revision.
  public var author: String
  /// The fields by name; an unknown field is kept like any other.
  public var fields: FieldMap<FieldState>
  /// The stamp of its deletion; nil while it lives.
  public var deleted: Stamp?
  /// Members of the wire record that this build does not know: their JSON, kept and relayed.
  public var unknown: FieldMap<[UInt8]>

  /// Makes a state, by default of nothing.
  public init(
    revision: Revision? = nil, author: String = "", fields: FieldMap<FieldState> = FieldMap(),
    deleted: Stamp? = nil, unknown: FieldMap<[UInt8]> = FieldMap()
  ) {
    self.revision = revision
    self.author = author
    self.fields = fields
    self.deleted = deleted
    self.unknown = unknown
  }

  /// The greatest stamp it holds, the deletion's included; the floor if it holds none.
  public var greatestStamp: Stamp {
    var greatest = deleted ?? .floor
    for entry in fields.entries where greatest < entry.value.stamp {
      greatest = entry.value.stamp
    }
    return greatest
  }
}

extension RecordState {
  /// Whether both hold the same; the author is compared by its bytes.
  public static func == (left: RecordState, right: RecordState) -> Bool {
    left.revision == right.revision && left.author.hasSameBytes(as: right.author)
      && left.fields == right.fields && left.deleted == right.deleted
      && left.unknown == right.unknown
  }

  /// Feeds what two states differ in most.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(revision)
    hasher.combine(fields)
    hasher.combine(deleted)
  }
}
