/// What the writer of a change had seen: the settled stamp and the origin of the value it replaced.
public struct Over: Hashable, Sendable {
  /// The stamp under which that value was settled.
  public var stamp: Stamp
  /// The stamp its writer had given it.
  public var origin: Stamp

  /// Makes it of both stamps.
  @inlinable
  public init(stamp: Stamp, origin: Stamp) {
    self.stamp = stamp
    self.origin = origin
  }
}

/// How one change raises the total of one replica in a counter.
///
/// Both totals are absolute and fixed when they are written: sent twice they count once.
public struct CounterShare: Hashable, Sendable {
  /// Whose total it is.
  public var replica: ReplicaID
  /// The total before the change.
  public var before: CounterTotal
  /// The total after it.
  public var after: CounterTotal

  /// Makes a share.
  public init(replica: ReplicaID, before: CounterTotal, after: CounterTotal) {
    self.replica = replica
    self.before = before
    self.after = after
  }

  /// How much the change added.
  public var up: UInt64 { after.up - min(before.up, after.up) }

  /// How much the change took away.
  public var down: UInt64 { after.down - min(before.down, after.down) }
}

/// What one change adds to a set and removes from it.
public struct TagChange: Hashable, Sendable {
  /// The additions, in the order of their tags.
  public var added: [TaggedElement]
  /// The additions of others that it removes, in order.
  public var removed: [ElementTag]

  /// Makes a change; both lists are put in order.
  public init(added: [TaggedElement] = [], removed: [ElementTag] = []) {
    self.added = added
    self.removed = removed
    self.added.sort { $0.tag < $1.tag }
    self.removed.sort()
  }

  /// Whether it changes nothing.
  public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}

/// What a rule needs of a change beside its value.
public enum RuleDetail: Hashable, Sendable {
  /// Nothing.
  case none
  /// The raised totals of a counter, in the order of their replicas.
  case total([CounterShare])
  /// The additions and removals of a set.
  case tags(TagChange)
  /// The siblings of `keepBoth` that the value takes the place of, by their origins, in order.
  case replaces([Stamp])
}

/// One changed field of an operation.
public struct OperationField: Hashable, Sendable {
  /// The new value; null where the rule's detail stands in its place.
  public var value: FieldValue
  /// When it was changed.
  public var stamp: Stamp
  /// What its writer had seen; nil where there was nothing.
  public var over: Over?
  /// The value that the view showed before the change; kept on the device, on the wire only where
  /// the rule needs it.
  public var base: FieldValue?
  /// The rule under which its writer changed it.
  public var rule: MergeRule
  /// What that rule needs beside the value.
  public var detail: RuleDetail
  /// What this build does not understand of the rule (`rule` where it names another): its JSON by
  /// name, so that the server can refuse it by name.
  public var others: FieldMap<[UInt8]>

  /// Makes a changed field.
  public init(
    value: FieldValue, stamp: Stamp, over: Over? = nil, base: FieldValue? = nil,
    rule: MergeRule = .latest, detail: RuleDetail = .none, others: FieldMap<[UInt8]> = FieldMap()
  ) {
    self.value = value
    self.stamp = stamp
    self.over = over
    self.base = base
    self.rule = rule
    self.detail = detail
    self.others = others
  }

  /// Whether it is a plain change under `latest`, with no member of any rule.
  public var isPlain: Bool { rule == .latest && detail == .none && others.isEmpty }
}
