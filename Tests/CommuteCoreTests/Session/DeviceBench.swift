import CommuteCore

/// One record on one device, with a wall clock that only the test moves.
struct DeviceBench {
  static let key = RecordKey(table: "book", id: RecordID(high: 0, low: 1))
  static let epoch = Epoch(rawValue: 7)

  var record = DeviceRecord(key: key, feed: "books")
  var clock = HybridClock(replica: ReplicaID(rawValue: 1))
  var wall: Int64 = 100
  private var operations: UInt64 = 0

  /// The fields of a view or a base as texts, for short expectations.
  static func texts(_ state: RecordState?) -> [String: String] {
    var texts: [String: String] = [:]
    for entry in state?.fields.entries ?? [] {
      if case .text(let text) = entry.value.value { texts[entry.name.text] = text }
    }
    return texts
  }

  var view: [String: String] { Self.texts(record.view) }
  var base: [String: String] { Self.texts(record.base) }

  static func stamp(_ milliseconds: UInt64, by replica: UInt64 = 1) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: replica))
  }

  /// A state as the server tells it.
  static func state(
    _ fields: [Key: (String, Stamp)], revision: UInt64 = 1, author: String = "ben",
    deleted: Stamp? = nil
  ) -> RecordState {
    var state = RecordState(
      revision: Revision(epoch: epoch, number: revision), author: author, deleted: deleted)
    for (name, field) in fields {
      state.fields[name] = FieldState(value: .text(field.0), stamp: field.1)
    }
    return state
  }

  mutating func newOperation() -> OperationID {
    operations += 1
    return OperationID(high: 0, low: operations)
  }

  // MARK: - What the device does

  @discardableResult
  mutating func create(_ values: FieldMap<FieldValue>) throws -> [Key] {
    let id = newOperation()
    return try write { (record, context) throws(WriteRefusal) in
      try record.create(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func change(_ values: FieldMap<FieldValue>) throws -> [Key] {
    let id = newOperation()
    return try write { (record, context) throws(WriteRefusal) in
      try record.change(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func seed(_ values: FieldMap<FieldValue>) throws -> [Key] {
    let id = newOperation()
    return try write { (record, context) throws(WriteRefusal) in
      try record.seed(values, operation: id, context: &context)
    }
  }

  @discardableResult
  mutating func delete() throws -> Bool {
    let id = newOperation()
    return try write { (record, context) throws(WriteRefusal) in
      record.delete(operation: id, context: &context)
    }
  }

  private mutating func write<Result>(
    _ body: (inout DeviceRecord, inout WriteContext) throws(WriteRefusal) -> Result
  ) throws -> Result {
    var context = WriteContext(clock: clock, wall: wall, schema: 1)
    let result = try body(&record, &context)
    clock = context.clock
    wall += 1
    return result
  }

  /// Marks the first row in flight and gives its operation.
  @discardableResult
  mutating func send() -> Operation {
    record.markInFlight(epoch: Self.epoch)
    return record.rows[0].operation
  }

  mutating func absorb(_ state: RecordState) {
    record.absorb(state, clock: &clock)
  }

  /// Settles the row in flight.
  mutating func settle(
    _ kind: Verdict.Kind, revision: UInt64 = 2, stamps: FieldMap<Stamp> = [:],
    record told: RecordState? = nil
  ) -> DeviceRecord.Outcome {
    let verdict = Verdict(
      id: record.rows[0].operation.id, kind: kind,
      revision: Revision(epoch: Self.epoch, number: revision), stamps: stamps,
      record: told.map { RecordMessage(key: Self.key, state: $0) })
    return record.settle(verdict, author: "ada", clock: &clock, wall: wall)
  }
}
