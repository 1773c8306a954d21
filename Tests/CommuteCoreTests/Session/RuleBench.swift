import CommuteCore

/// A table with a field of every rule.
enum RuleTable {
  static let schema = TableSchema(
    "item",
    fields: [
      FieldSchema("best", .integer, isOptional: true, rule: .maximum),
      FieldSchema("both", .text, rule: .keepBoth),
      FieldSchema("client", .text, rule: .clientWins),
      FieldSchema("count", .integer, rule: .counter),
      FieldSchema("labels", .list, rule: .set),
      FieldSchema("least", .integer, isOptional: true, rule: .minimum),
      FieldSchema("note", .text, rule: .text),
      FieldSchema("rises", .integer, rule: .growOnlyCounter),
      FieldSchema("server", .text, rule: .serverWins),
      FieldSchema("title", .text),
    ])
  static let reviving = TableSchema(
    "item", fields: schema.fields.entries.map { $0.value }, rule: .editRevives)
  static let key = RecordKey(table: "item", id: RecordID(high: 0, low: 1))
}

/// Devices with one record of that table, and a server; messages go where the test sends them.
struct RuleBench {
  struct Phone {
    var record: DeviceRecord
    var clock: HybridClock
    var epoch: Epoch? = RuleBench.epoch

    mutating func take(_ verdict: Verdict, wall: Int64) -> DeviceRecord.Outcome {
      record.settle(verdict, author: "ada", clock: &clock, wall: wall)
    }

    mutating func absorb(_ state: RecordState) { record.absorb(state, clock: &clock) }
  }

  static let epoch = Epoch(rawValue: 7)

  var phones: [Phone]
  var state = ServerState(
    epoch: epoch, clock: HybridClock(replica: ReplicaID(rawValue: 99)))
  var settlement: Settlement
  var time: Int64 = 1_000_000
  var outcome = Settlement.Outcome()
  private var identifiers: UInt64 = 0

  init(phones count: Int = 2, table: TableSchema = RuleTable.schema) {
    phones = (1...UInt64(count)).map { number in
      Phone(
        record: DeviceRecord(key: RuleTable.key, feed: "items", table: table),
        clock: HybridClock(replica: ReplicaID(rawValue: number)))
    }
    settlement = Settlement(tables: [table.name: table])
  }

  // MARK: - What people do

  /// Runs a write on a phone.
  mutating func write<Result>(
    _ phone: Int,
    _ body: (inout DeviceRecord, OperationID, inout WriteContext) throws(WriteRefusal) -> Result
  ) throws -> Result {
    identifiers += 1
    time += 1
    var context = WriteContext(clock: phones[phone].clock, wall: time, schema: 1)
    let id = OperationID(high: 9, low: identifiers)
    let result = try body(&phones[phone].record, id, &context)
    phones[phone].clock = context.clock
    return result
  }

  @discardableResult
  mutating func create(_ phone: Int, _ values: FieldMap<FieldValue>) throws -> [Key] {
    try write(phone) { (record, id, context) throws(WriteRefusal) in
      try record.create(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func edit(_ phone: Int, _ edits: FieldMap<FieldEdit>) throws -> [Key] {
    try write(phone) { (record, id, context) throws(WriteRefusal) in
      try record.change(edits, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func set(_ phone: Int, _ values: FieldMap<FieldValue>) throws -> [Key] {
    try write(phone) { (record, id, context) throws(WriteRefusal) in
      try record.change(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func seed(_ phone: Int, _ values: FieldMap<FieldValue>) throws -> [Key] {
    try write(phone) { (record, id, context) throws(WriteRefusal) in
      try record.seed(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func delete(_ phone: Int) throws -> Bool {
    try write(phone) { (record, id, context) throws(WriteRefusal) in
      record.delete(operation: id, context: &context)
    }
  }

  // MARK: - What programs do

  /// Marks the first row of a phone in flight and gives what is sent, through the wire.
  mutating func sent(_ phone: Int) throws -> Operation {
    phones[phone].record.markInFlight(epoch: phones[phone].epoch)
    let bytes = phones[phone].record.rows[0].operation.withoutBases().encoded()
    return try Operation(decoding: bytes)
  }

  /// A person makes refused operations once more.
  mutating func retry(_ phone: Int, _ refused: [Operation]) throws {
    _ = try write(phone) { (record, id, context) throws(WriteRefusal) in
      try record.retry(refused, newOperation: { id }, context: &context) ? ["retried"] : []
    }
  }

  /// Settles operations of a phone.
  mutating func settle(_ phone: Int, _ operations: [Operation], user: String) -> [Verdict] {
    identifiers += 1
    time += 1
    let replica = phones[phone].clock.replica
    let request = SyncRequest(
      schema: SchemaID(name: "s", version: 1, hash: 1), build: "", owner: "home/ada",
      replica: replica, device: "", number: identifiers, nonce: Nonce(high: 0, low: identifiers),
      epoch: Self.epoch, time: 0, feeds: [SyncRequest.Feed(feed: "items", cursor: 0)],
      operations: operations.map { SyncRequest.SentOperation(operation: $0) })
    outcome = settlement.settle(request, in: &state, time: time, user: user)
    return outcome.verdicts
  }

  /// Sends everything of a phone, and gives the last verdict.
  @discardableResult
  mutating func push(_ phone: Int, user: String = "ada") throws -> Verdict? {
    var last: Verdict?
    while !phones[phone].record.rows.isEmpty {
      let operation = try sent(phone)
      let verdict = settle(phone, [operation], user: user)[0]
      take(phone, verdict)
      last = verdict
    }
    return last
  }

  /// Gives a phone a verdict.
  @discardableResult
  mutating func take(_ phone: Int, _ verdict: Verdict) -> DeviceRecord.Outcome {
    phones[phone].take(verdict, wall: time)
  }

  /// Gives a phone what the server holds.
  mutating func pull(_ phone: Int) {
    guard let stored = stored else { return }
    phones[phone].absorb(stored)
  }

  /// Sends from both and lets both read, until all hold the same.
  mutating func sync() throws {
    for phone in phones.indices { try push(phone) }
    for phone in phones.indices { pull(phone) }
  }

  // MARK: - What there is

  var stored: RecordState? { state.records[RuleTable.key]?.state }

  func held(_ field: Key) -> FieldValue? { stored?.fields[field]?.value }

  func shown(_ phone: Int, _ field: Key) -> FieldValue? {
    phones[phone].record.view?.fields[field]?.value
  }

  /// The conflicts that the server found.
  var conflicts: [ConflictEntry] {
    state.records.keys.filter { $0.table == ConflictEntry.table }.sorted().compactMap { key in
      state.records[key].flatMap { ConflictEntry(key: key, state: $0.state) }
    }
  }
}
