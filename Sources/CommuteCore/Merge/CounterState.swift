/// What one replica has added to a counter and taken from it so far.
///
/// Both only rise, and stop at 2^63 − 1.
public struct CounterTotal: Hashable, Sendable {
  /// Everything added.
  public var up: UInt64
  /// Everything taken away.
  public var down: UInt64

  /// The most that either can be.
  public static let greatest = UInt64(Int64.max)

  /// Makes a total; what is over the greatest is cut off.
  @inlinable
  public init(up: UInt64 = 0, down: UInt64 = 0) {
    self.up = min(up, Self.greatest)
    self.down = min(down, Self.greatest)
  }

  /// The total of one value that stands by itself, as a seed does.
  public init(_ value: Int64) {
    self.init(up: max(value, 0).magnitude, down: min(value, 0).magnitude)
  }

  /// The total after some more was added and taken away.
  public func adding(up more: UInt64, down less: UInt64) -> CounterTotal {
    // Both terms are below 2^63, so the sums do not overflow.
    CounterTotal(
      up: up + min(more, Self.greatest), down: down + min(less, Self.greatest))
  }

  /// The total without a share that did not take effect.
  public func subtracting(up more: UInt64, down less: UInt64) -> CounterTotal {
    CounterTotal(up: up - min(up, more), down: down - min(down, less))
  }

  /// What both come to.
  public var value: Int64 { Int64(up) - Int64(down) }
}

/// A counter: the totals of every replica that ever wrote to it.
///
/// Merging takes the greater total of each replica. An entry is never moved, folded or removed
/// while the record lives, so there are as many as devices that ever counted. Replica 0 is nobody:
/// its entry is the seed's.
public struct CounterState: Hashable, Sendable {
  /// The total of one replica.
  public struct Entry: Hashable, Sendable {
    /// Whose total it is.
    public var replica: ReplicaID
    /// The total.
    public var total: CounterTotal

    /// Makes an entry.
    public init(replica: ReplicaID, total: CounterTotal) {
      self.replica = replica
      self.total = total
    }
  }

  /// The entries in the order of their replicas.
  public private(set) var entries: [Entry] = []

  /// The replica whose entry is the seed's.
  public static let seed = ReplicaID(rawValue: 0)

  /// Makes a counter that nobody counted with.
  public init() {}

  /// The total of a replica; nothing where it never counted.
  public subscript(replica: ReplicaID) -> CounterTotal {
    let (index, found) = place(of: replica)
    return found ? entries[index].total : CounterTotal()
  }

  /// Takes a replica's total in: the greater of it and the one that is there.
  ///
  /// Of two seeds, which are values and not sums, the one with the greater canonical bytes stays.
  public mutating func raise(_ replica: ReplicaID, to total: CounterTotal) {
    let (index, found) = place(of: replica)
    guard found else {
      entries.insert(Entry(replica: replica, total: total), at: index)
      return
    }
    let known = entries[index].total
    if replica == Self.seed {
      entries[index].total = Self.greaterSeed(known, total)
      return
    }
    #if PLANTED
      if Planted.isActive(.countersAdded) {
        entries[index].total = known.adding(up: total.up, down: total.down)
        return
      }
    #endif
    entries[index].total = CounterTotal(
      up: max(known.up, total.up), down: max(known.down, total.down))
  }

  /// Of two seeds that with the greater canonical bytes; of equal ones that which goes up more.
  private static func greaterSeed(_ one: CounterTotal, _ other: CounterTotal) -> CounterTotal {
    let (mine, theirs) = (FieldValue.integer(one.value), FieldValue.integer(other.value))
    if mine != theirs { return mine < theirs ? other : one }
    return max(one.up, other.up) == one.up ? one : other
  }

  /// Both counters' totals.
  public func merged(with other: CounterState) -> CounterState {
    var result = self
    for entry in other.entries { result.raise(entry.replica, to: entry.total) }
    return result
  }

  /// What the counter shows: all that was added without all that was taken away, held within 64
  /// bits.
  public var value: Int64 {
    // In 128 bits no number of replicas overflows it.
    var sum: Int128 = 0
    for entry in entries { sum += Int128(entry.total.up) - Int128(entry.total.down) }
    return Int64(clamping: sum)
  }

  private func place(of replica: ReplicaID) -> (index: Int, found: Bool) {
    entries.place(of: replica) { $0.replica }
  }
}
