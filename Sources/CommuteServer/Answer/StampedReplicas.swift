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
      var start = Self.beginsWithID(bytes) ? Self.idEnd + 1 : 0
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
    byte < 128 && (byte < 64 ? stampSigns : stampLetters) &>> UInt64(byte & 63) & 1 == 1
  }

  /// Which bytes below 64 may belong to a stamp: the quote, the dash, ten digits.
  private static let stampSigns: UInt64 = 1 << 0x22 | 1 << 0x2D | 0x3FF << 0x30
  /// Which from 64 to 127 may, counted from 64: the letters from a to f.
  private static let stampLetters: UInt64 = 0x3F << 0x21

  /// Where the id ends with which every record begins.
  private static let idEnd = 43

  /// Whether it begins with an id, which looks much like a stamp and is passed over.
  private static func beginsWithID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count > idEnd, bytes[1] == quote, bytes[4] == quote, bytes[6] == quote else {
      return false
    }
    return bytes[2] == UInt8(ascii: "i") && bytes[3] == UInt8(ascii: "d") && bytes[idEnd] == quote
  }

  private static func isStamp(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    bytes[start] == quote && bytes[start + 13] == dash && bytes[start + 18] == dash
      && bytes[start + 35] == quote
  }
}
