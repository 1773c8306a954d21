public import CommuteCore

/// The replicas behind the stamps of an answer, for which it names the devices.
public struct StampedReplicas: Sendable {
  /// The replicas, each once, in the order they were found.
  public private(set) var found: [ReplicaID] = []
  private var seen: Set<ReplicaID> = []
  private var latest: ReplicaID?

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
      for record in feed.records { add(record) }
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
  /// none.
  private mutating func add(json: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let dash = UInt8(ascii: "-")
    let stampLength = 34
    var at = 0
    while at < json.count {
      guard json[at] == quote else {
        at += 1
        continue
      }
      let start = at + 1
      let end = start + stampLength
      if end < json.count, json[end] == quote, json[start + 12] == dash, json[start + 17] == dash,
        let stamp = Stamp(utf8: json[start..<end])
      {
        add(stamp.replica)
        at = end + 1
      } else {
        at = Self.endOfText(in: json, from: start)
      }
    }
  }

  /// The place behind the quote that ends a text.
  private static func endOfText(in json: [UInt8], from start: Int) -> Int {
    var at = start
    while at < json.count {
      switch json[at] {
      case UInt8(ascii: "\""): return at + 1
      case UInt8(ascii: "\\"): at += 2
      default: at += 1
      }
    }
    return at
  }
}
