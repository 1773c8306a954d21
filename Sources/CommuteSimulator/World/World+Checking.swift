import CommuteCore

/// What is checked after every step.
extension World {
  /// The screen shows the device's own writes or something newer; what was deleted stays deleted.
  mutating func checkView(_ record: Int, on number: Int) {
    let held = devices[number].file.records[record]
    if record == Stage.item { return checkItem(held) }
    let bit: UInt64 = 1 << UInt64(record)
    if held.base?.deleted != nil || held.offer?.state.deleted != nil {
      memory[number].deleted |= bit
    } else if memory[number].deleted & bit != 0, held.base != nil {
      blame(3, "record \(record) was deleted on device \(number) and is back")
    }
    guard isPlain(record), let view = held.view else { return }
    let own = oracle.latest(of: number, at: Stage.deletion(of: record))
    if own > 0, view.deleted == nil {
      blame(5, "device \(number) shows record \(record), which it deleted")
    }
    guard view.deleted == nil else { return }
    for field in 0..<Stage.fieldCount {
      let shown = view.fields[stage.fields[record][field]]
      blame(
        oracle.judgeView(
          device: number, place: Stage.place(record, field),
          content: shown.map { Content($0.value) }, origin: Moment(shown?.origin ?? .floor)))
    }
  }

  /// The outbox does not grow: what changes again is collapsed.
  mutating func checkSizes(_ record: Int, on number: Int) {
    // What a person made once more stands apart.
    if decided.contains(record) { return }
    let rows = devices[number].file.records[record].rows
    var writers: [ReplicaID] = []
    for row in rows where !row.isInFlight && !writers.contains(row.operation.replica) {
      writers.append(row.operation.replica)
    }
    if rows.count > 1 + writers.count {
      blame(18, "record \(record) has too many rows on device \(number)")
    }
  }

  /// No cursor falls.
  mutating func checkCursors(of number: Int) {
    for (index, feed) in stage.feeds.enumerated() {
      let cursor = devices[number].file.device.feeds[feed]?.cursor ?? 0
      if cursor < memory[number].cursors[index] { blame(2, "a cursor of device \(number) fell") }
      memory[number].cursors[index] = cursor
    }
  }

  // MARK: - Hashes and words

  static let noDigest = SHA256.Digest(first: 0, second: 0, third: 0, fourth: 0)

  /// A cheap hash of everything an operation says, for worlds that pass no bytes.
  static func digest(of operation: Operation) -> SHA256.Digest {
    var hash = UInt64(1)
    func mix(_ number: UInt64) {
      hash = (hash ^ number) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    mix(operation.id.low)
    mix(operation.base?.number ?? 0)
    mix(operation.epoch?.rawValue ?? 0)
    mix(operation.creates ? 1 : 0)
    mix(operation.deleted?.time ?? 0)
    for entry in operation.fields.entries {
      mix(entry.value.stamp.time)
      mix(entry.value.over?.stamp.time ?? 0)
      mix(entry.value.over?.origin.time ?? 0)
      mix(Content(entry.value.value).hash)
      mixDetail(entry.value.detail, mix)
    }
    return SHA256.Digest(first: hash, second: 1, third: 0, fourth: 0)
  }

  /// What a rule needs beside the value is a part of what is said.
  private static func mixDetail(_ detail: RuleDetail, _ mix: (UInt64) -> Void) {
    switch detail {
    case .none: break
    case .total(let shares):
      for share in shares {
        for number in [share.replica.rawValue, share.before.up, share.before.down] { mix(number) }
        for number in [share.after.up, share.after.down] { mix(number) }
      }
    case .tags(let tags):
      for addition in tags.added { mix(addition.tag.low) }
      mix(UInt64(tags.removed.count))
      for tag in tags.removed { mix(tag.low) }
    case .replaces(let origins):
      for origin in origins { mix(origin.time ^ origin.replica.rawValue) }
    }
  }

  static func describe(_ stamp: Stamp) -> String {
    if stamp.isFloor { return "the floor" }
    let time = Int64(stamp.milliseconds) - 1_700_000_000_000
    return "\(time).\(stamp.counter)/\(stamp.replica.rawValue >> 52)"
  }

  static func describe(_ request: SyncRequest) -> String {
    let operations = request.operations.map { sent in
      let operation = sent.operation
      let fields = operation.fields.entries.map { entry in
        "\(entry.name.text)='\(Content(entry.value.value).text)'"
      }
      return "record \(Stage.number(of: operation.key))\(operation.creates ? " new" : "") "
        + fields.joined(separator: ",") + (operation.deleted == nil ? "" : " DELETE")
    }
    let offers = request.offers.map { offer in
      "offer \(Stage.number(of: offer.record.key))@\(offer.record.state.revision?.number ?? 0)"
    }
    let cursors = request.feeds.map { feed in
      (feed.cursor.map { "\($0)" } ?? "start") + (feed.reset.map { " in reset \($0)" } ?? "")
    }
    return "[\((offers + operations).joined(separator: "; "))]"
      + " cursors \(cursors.joined(separator: ",")) epoch \(request.epoch?.rawValue ?? 0)"
  }

  static func describe(_ answer: SyncAnswer) -> String {
    let verdicts = answer.verdicts.map { verdict in
      let stamps = verdict.stamps.entries.map { "\($0.name.text)@\(describe($0.value))" }
      return "\(verdict.kind)\(verdict.record == nil ? "" : "+record") \(stamps.joined())"
    }
    let feeds = answer.feeds.map { part in
      let records = part.records.map {
        "\(Stage.number(of: $0.key))@\($0.state.revision?.number ?? 0)"
      }
      let reset = part.reset.map { " RESET \($0)" } ?? ""
      return "[\(records.joined(separator: ","))] to \(part.cursor ?? 0)\(part.more ? "+" : "")"
        + reset + (part.revoked == nil ? "" : " REVOKED")
    }
    return "\(verdicts.joined(separator: "; ")) feeds \(feeds.joined(separator: " "))"
      + (answer.renew == nil ? "" : " RENEW") + " epoch \(answer.epoch.rawValue)"
  }
}
