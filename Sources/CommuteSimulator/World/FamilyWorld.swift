import CommuteCore

/// A few records that refer to each other and have unique keys, on three devices that write without
/// a network and then talk to a server; answers get lost.
///
/// It is a part of every other history, small beside the rest of it.
struct FamilyWorld {
  static let epoch = Epoch(rawValue: 0xE1)
  static let feed: Key = "home"
  static let tag = TableSchema(
    "tag", fields: [FieldSchema("name", .text)], unique: [UniqueKey("name", rule: .sameRecord)])
  static let part = TableSchema(
    "part",
    fields: [FieldSchema("item", .bytes, references: Reference("item", onDeletion: .cascade))])

  /// The items, whose shelf may be declared in another way by an app of another make.
  static func item(shelf: DeletionRule) -> TableSchema {
    TableSchema(
      "item",
      fields: [
        FieldSchema("code", .text, isOptional: true),
        FieldSchema(
          "list", .bytes, isOptional: true, references: Reference("list", onDeletion: .cascade)),
        FieldSchema(
          "shelf", .bytes, isOptional: true, references: Reference("shelf", onDeletion: shelf)),
      ], unique: [UniqueKey("code", rule: .first)])
  }

  var choices: Choices
  var violation: Violation?
  var writes = 0
  let story: Story?
  private var time: Int64 = 1_700_000_000_000
  private let keys: [RecordKey]
  /// How each of them is named in a reference.
  private let names: [FieldValue]
  private var devices: [[DeviceRecord]] = []
  private var clocks: [HybridClock] = []
  private var state: ServerState
  private let settlement: Settlement
  /// The latest moment of a shelf that was given to each record, by its number.
  private var shelved: [Stamp]
  private var identifiers: UInt64 = 0
  /// The device whose app declares shelves otherwise; nil for none.
  private let other: Int?

  init(choices: Choices, story: Story?) {
    self.choices = choices
    self.story = story
    let table = Self.item(shelf: .nullify)
    settlement = Settlement(tables: [
      "item": table, "list": TableSchema("list", fields: [FieldSchema("title", .text)]),
      "part": Self.part, "shelf": TableSchema("shelf", fields: [FieldSchema("title", .text)]),
      "tag": Self.tag,
    ])
    state = ServerState(epoch: Self.epoch, clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    let tables: [Key] = ["list", "list", "shelf", "shelf", "item", "item", "item", "part", "part"]
    var keys = tables.indices.map { RecordKey(table: tables[$0], id: Self.id($0)) }
    let named = UniqueKey("name", rule: .sameRecord).identity(feed: Self.feed, table: "tag") { _ in
      .text("a")
    }
    keys.append(RecordKey(table: "tag", id: named ?? Self.id(9)))
    keys.append(RecordKey(table: "tag", id: Self.id(10)))
    self.keys = keys
    names = keys.map { .bytes($0.id.bytes) }
    shelved = keys.map { _ in .floor }
    other = self.choices.oneIn(4) ? 2 : nil
    for number in 0..<3 {
      let own = Self.item(shelf: number == other ? .keep : .nullify)
      devices.append(
        keys.map { key in
          let known = key.table == "item" ? own : key.table == "tag" ? Self.tag : Self.part
          let hasSchema = key.table != "list" && key.table != "shelf"
          return DeviceRecord(key: key, feed: Self.feed, table: hasSchema ? known : nil)
        })
      clocks.append(HybridClock(replica: ReplicaID(rawValue: UInt64(number) + 1)))
    }
  }

  private static func id(_ number: Int) -> RecordID {
    RecordID(high: 0x018F_3C5E_7A10_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
  }

  // MARK: - Steps

  /// Plays the history up to its end, or to the first broken promise.
  mutating func run() {
    for _ in 0..<24 {
      if choices.isOver || violation != nil { break }
      time += 1 + Int64(choices.draw(3))
      let device = choices.draw(3)
      if choices.draw(3) < 2 { write(on: device) } else { talk(device, loses: choices.oneIn(5)) }
    }
    for device in [0, 1, 2, 0, 1, 2] where violation == nil {
      for _ in 0..<3 { talk(device, loses: false) }
    }
    if violation == nil { compare() }
  }

  private mutating func write(on device: Int) {
    let record = choices.draw(keys.count)
    let view = devices[device][record].view
    identifiers += 1
    let id = OperationID(high: identifiers, low: identifiers)
    var context = WriteContext(clock: clocks[device], wall: time, schema: 1)
    if let view, view.deleted != nil { return }
    var values = FieldMap<FieldValue>()
    let isNew = view == nil
    switch keys[record].table {
    case "item":
      values["shelf"] = names[2 + choices.draw(2)]
      if isNew || choices.oneIn(2) { values["list"] = names[choices.draw(2)] }
      if isNew || choices.oneIn(3) { values["code"] = .text(["a", "b"][choices.draw(2)]) }
    case "part": values["item"] = names[4 + choices.draw(3)]
    case "tag": values["name"] = .text("a")
    default: values["title"] = .text("t\(identifiers)")
    }
    do throws(WriteRefusal) {
      if isNew {
        try devices[device][record].create(values, operation: id, context: &context)
      } else if choices.oneIn(3) {
        devices[device][record].delete(operation: id, context: &context)
      } else {
        try devices[device][record].change(values, operation: id, context: &context)
      }
    } catch {
      return blame(7, "a write was refused: \(error.message)")
    }
    writes += 1
    clocks[device] = context.clock
    tell("\(device) \(isNew ? "makes" : "changes") \(keys[record].table.text) \(record)")
  }

  /// A whole round: what waits is sent and settled, the answer comes or is lost.
  private mutating func talk(_ device: Int, loses: Bool) {
    var sent: [CommuteCore.Operation] = []
    for record in keys.indices where !devices[device][record].rows.isEmpty {
      devices[device][record].markInFlight(epoch: Self.epoch)
      if devices[device][record].rows[0].operation.digest == World.noDigest {
        let operation = devices[device][record].rows[0].operation
        devices[device][record].rows[0].operation.digest = World.digest(of: operation)
      }
      sent.append(devices[device][record].rows[0].operation)
    }
    identifiers += 1
    let request = SyncRequest(
      schema: SchemaID(name: "family", version: 1, hash: 1), build: "", owner: "home/ada",
      replica: clocks[device].replica, device: "", number: identifiers,
      nonce: Nonce(high: 0, low: identifiers), epoch: Self.epoch, time: time,
      feeds: [SyncRequest.Feed(feed: Self.feed, cursor: 0)],
      operations: sent.map { SyncRequest.SentOperation(operation: $0) })
    tell("\(device) sends \(sent.map { number(of: $0.key) })")
    // Who had a code may lose it by the same request, after it was asked.
    let before = state
    let outcome = settlement.settle(request, in: &state, time: time, user: "ada")
    for (operation, verdict) in zip(sent, outcome.verdicts) {
      judge(operation, verdict, before: before, by: device)
    }
    if !outcome.changedRecords.isEmpty { judgeServer() }
    if loses { return tell("the answer is lost") }
    for (operation, verdict) in zip(sent, outcome.verdicts) {
      let record = number(of: operation.key)
      _ = devices[device][record].settle(
        verdict, author: "ada", clock: &clocks[device], wall: time)
    }
    for record in keys.indices {
      guard let state = state.records[keys[record]]?.state else { continue }
      devices[device][record].absorb(state, clock: &clocks[device])
    }
  }

  // MARK: - Judging

  /// A key is refused only where another record has it; who moved a child last has moved it; what
  /// declares otherwise is refused.
  private mutating func judge(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, before: ServerState, by device: Int
  ) {
    let record = number(of: operation.key)
    tell("the server says \(verdict.kind) of \(record)")
    if case .rejected(.taken, _) = verdict.kind, let code = operation.fields["code"]?.value {
      let hadCode = keys.contains { key in
        key != operation.key && before.records[key]?.state.deleted == nil
          && before.records[key]?.state.fields["code"]?.value == code
      }
      if !hadCode, !hasCode(code, besides: operation.key) {
        blame(13, "item \(record) is refused for a code that nobody has")
      }
    }
    guard verdict.kind == .applied else { return }
    if device == other, operation.key.table == "item", operation.fields["shelf"] != nil {
      blame(12, "an operation is taken whose app declares a shelf otherwise")
    }
    guard let shelf = operation.fields["shelf"], shelved[record] < shelf.stamp else { return }
    shelved[record] = shelf.stamp
    guard let held = live(operation.key)?.fields["shelf"], isLive(shelf.value) else { return }
    if held.value != shelf.value {
      blame(12, "item \(record) was moved to a shelf that lives, and is not there")
    }
  }

  private func live(_ key: RecordKey) -> RecordState? {
    state.records[key].flatMap { $0.state.deleted == nil ? $0.state : nil }
  }

  private func hasCode(_ code: FieldValue, besides key: RecordKey) -> Bool {
    keys.contains { $0 != key && live($0)?.fields["code"]?.value == code }
  }

  private func isLive(_ name: FieldValue) -> Bool {
    names.firstIndex(of: name).map { live(keys[$0]) != nil } ?? false
  }

  private func isDeleted(_ name: FieldValue?) -> Bool {
    guard let name, let record = names.firstIndex(of: name) else { return false }
    return state.records[keys[record]]?.state.deleted != nil
  }

  /// Nothing that lives names what is deleted, and no two records have one code.
  private mutating func judgeServer() {
    for (record, key) in keys.enumerated() {
      guard let held = live(key) else { continue }
      for name in ["item", "list", "shelf"] as [Key] where isDeleted(held.fields[name]?.value) {
        blame(23, "\(key.table.text) \(record) lives and names a \(name.text) that is deleted")
      }
      if let code = held.fields["code"]?.value, hasCode(code, besides: key) {
        blame(24, "item \(record) has the code of another one")
      }
      if record == 10 { blame(24, "a tag lives whose id is not that of its name") }
    }
  }

  /// All hold what the server holds, and nothing waits.
  private mutating func compare() {
    for device in devices.indices {
      for record in keys.indices {
        if !devices[device][record].rows.isEmpty { blame(10, "rows of a family are left") }
        let held = devices[device][record].base
        if held != state.records[keys[record]]?.state {
          let name = keys[record].table.text
          blame(11, "\(name) \(record) differs between device and server")
        }
      }
    }
  }

  private func number(of key: RecordKey) -> Int { keys.firstIndex(of: key) ?? 0 }

  private func tell(_ text: @autoclosure () -> String) {
    guard let story else { return }
    story.lines.append("family \(time - 1_700_000_000_000) ms: \(text())")
  }

  private mutating func blame(_ invariant: Int, _ text: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, text: text()) }
  }
}
