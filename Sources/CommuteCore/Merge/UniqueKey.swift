/// How records of one feed that carry the same key are kept apart, or made one.
public enum UniqueRule: UInt8, Hashable, Sendable, CaseIterable {
  /// The record that came to the server first keeps the key; the later one is refused.
  case first
  /// All that carry the key are one record: its id is derived from feed, table and key.
  case sameRecord

  /// The rule's name in schemas and messages.
  public var name: Key {
    switch self {
    case .first: "first"
    case .sameRecord: "sameRecord"
    }
  }
}

/// Fields whose values together belong to one record of a feed.
///
/// A record with a null among them has no key, and is in nobody's way.
public struct UniqueKey: Hashable, Sendable {
  /// How many fields a key has at most.
  public static let fieldLimit = 3

  /// The fields in the order of their names.
  public let fields: [Key]
  /// How records that carry one key are kept apart.
  public var rule: UniqueRule

  /// Declares a key; the order of its fields makes no difference.
  public init(_ fields: Key..., rule: UniqueRule) {
    self.init(fields: fields, rule: rule)
  }

  /// Declares a key of a list of fields; their order makes no difference.
  public init(fields: [Key], rule: UniqueRule) {
    self.fields = fields.sorted()
    self.rule = rule
  }

  /// What stands for the key's values in one feed of one table: under ``UniqueRule/sameRecord``
  /// the record's id.
  ///
  /// - Returns: A derived id; nil where one of the values is null or missing.
  public func identity(
    feed: Key, table: Key, values: (Key) -> FieldValue?
  ) -> RecordID? {
    var bytes = Array(feed.text.utf8) + [0] + Array(table.text.utf8) + [0]
    for name in fields {
      guard let value = values(name), value != .null else { return nil }
      let canonical = value.canonicalBytes
      bytes += Array(name.text.utf8) + [0]
      FieldValue.append(UInt32(truncatingIfNeeded: canonical.count), to: &bytes)
      bytes += canonical
    }
    return RecordID.derived(namespace: "commute.key", bytes: bytes)
  }

  /// What stands for a record's values of the key; nil where one is null or missing.
  public func identity(of state: RecordState, feed: Key, table: Key) -> RecordID? {
    identity(feed: feed, table: table) { state.fields[$0]?.value }
  }
}
