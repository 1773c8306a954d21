public import CommuteCore

/// The replicas behind the stamps of an answer, for which it names the devices.
public struct StampedReplicas: Sendable {
  /// The replicas, each once, in the order they were found.
  public private(set) var found: [ReplicaID] = []
  private var seen: Set<ReplicaID> = []
  private var latest: ReplicaID?
  /// The same as it stands in JSON, its last sixteen bytes.
  private var latestDigits: [UInt8] = []

  /// Begins with none.
  public init() {}

  /// Collects the replicas of a whole answer.
  public init(of answer: SyncAnswer) {
    for verdict in answer.verdicts {
      for entry in verdict.stamps.entries { add(entry.value.replica) }
      if let deleted = verdict.deleted { add(deleted.replica) }
      if let record = verdict.record { add(record) }
    }
    for feed in answer.feeds {
      // By its place: a copy of each record would cost more than looking through it.
      for place in feed.records.indices {
        if feed.records[place].encoded.isEmpty {
          add(feed.records[place])
        } else {
          add(json: feed.records[place].encoded)
        }
      }
    }
  }

  /// Adds the replicas of a record; its JSON is looked through, not read, where it is at hand.
  public mutating func add(_ record: RecordMessage) {
    if !record.encoded.isEmpty { return add(json: record.encoded) }
    for entry in record.state.fields.entries {
      add(entry.value.stamp.replica)
      add(entry.value.origin.replica)
    }
    if let deleted = record.state.deleted { add(deleted.replica) }
  }

  private mutating func add(_ replica: ReplicaID) {
    guard replica != latest else { return }
    latest = replica
    guard replica.rawValue != 0, seen.insert(replica).inserted else { return }
    found.append(replica)
  }

  /// Adds what stands in quotes and looks like a stamp.
  ///
  /// A text that happens to look like one does no harm: it names a device of the same tenant, or
  /// none. Every answer is looked through, so it is done in leaps: where the byte at the end of a
  /// window belongs to no stamp, no stamp begins in the whole window.
  private mutating func add(json: [UInt8]) {
    json.withUnsafeBufferPointer { bytes in
      var start = 0
      while start + Self.window <= bytes.count {
        var last = start + Self.window - 1
        while last >= start, Self.isOfStamp(bytes[last]) { last -= 1 }
        if last >= start {
          start = last + 1
        } else if Self.isStamp(bytes, at: start) {
          add(stamp: bytes[start + 1..<start + Self.window - 1])
          start += Self.window
        } else {
          // An id, say: a stamp begins at a quote.
          let end = start + Self.window
          repeat { start += 1 } while start < end && bytes[start] != Self.quote
        }
      }
    }
  }

  /// Adds the replica of a stamp; the one that came last is told by its digits alone.
  private mutating func add(stamp: Slice<UnsafeBufferPointer<UInt8>>) {
    guard !stamp.suffix(16).elementsEqual(latestDigits) else { return }
    guard let read = Stamp(utf8: ArraySlice(stamp)) else { return }
    latestDigits = Array(stamp.suffix(16))
    add(read.replica)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let dash = UInt8(ascii: "-")
  /// The bytes of a stamp with its quotes.
  private static let window = 36

  /// Whether a byte may belong to a stamp or its quotes.
  private static func isOfStamp(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || byte == dash || byte == quote
  }

  private static func isStamp(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    bytes[start] == quote && bytes[start + 13] == dash && bytes[start + 18] == dash
      && bytes[start + 35] == quote
  }
}
