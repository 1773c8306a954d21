/// What one addition to a set is called, so that a removal can say which additions it had seen.
///
/// Its text is that of a UUID. Tags of people's additions are as good as random (version 4); those
/// of seeds are the same on every device (version 8) and are never purged.
public struct ElementTag: Identifier {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes a tag of its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The tag of an addition: it depends on the operation's random id, which every write renews.
  public static func added(by operation: OperationID, field: Key, element: String) -> ElementTag {
    derived("commute.tag", id: operation.bytes, field: field, element: element, version: 0x4000)
  }

  /// The tag of an element that several devices seed alike.
  public static func seeded(in record: RecordKey, field: Key, element: String) -> ElementTag {
    derived(
      "commute.seed", id: Array(record.table.text.utf8) + [0] + record.id.bytes, field: field,
      element: element, version: 0x8000)
  }

  /// The first 128 bits of SHA-256 over the parts, each ended by a zero byte, with the version
  /// set.
  private static func derived(
    _ namespace: StaticString, id: [UInt8], field: Key, element: String, version: UInt64
  ) -> ElementTag {
    var hash = SHA256()
    hash.update(Array(namespace.description.utf8))
    hash.update([0])
    hash.update(id)
    hash.update(Array(field.text.utf8))
    hash.update([0])
    hash.update(Array(element.utf8))
    let digest = hash.finish()
    return ElementTag(
      high: digest.first & 0xFFFF_FFFF_FFFF_0FFF | version,
      low: digest.second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Whether it is a seed's.
  public var isSeeded: Bool { high & 0xF000 == 0x8000 }
}

/// An element of a set under the tag of one of its additions.
public struct TaggedElement: Hashable, Sendable {
  /// The addition.
  public var tag: ElementTag
  /// What was added.
  public var element: String

  /// Makes it of both.
  public init(tag: ElementTag, element: String) {
    self.tag = tag
    self.element = element
  }

  /// Whether both are the same; elements are compared by their bytes.
  public static func == (left: TaggedElement, right: TaggedElement) -> Bool {
    left.tag == right.tag && left.element.hasSameBytes(as: right.element)
  }

  /// Feeds the tag, which hardly any two share.
  public func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}
