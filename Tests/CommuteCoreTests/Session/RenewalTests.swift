import CommuteCore
import Testing

/// Two copies of a file counted under one replica id, and the server told one of them so.
@Suite struct RenewalTests {
  static let old = ReplicaID(rawValue: 1)
  static let new = ReplicaID(rawValue: 2)
  static let schema = TableSchema(
    "book",
    fields: [FieldSchema("read", .integer, rule: .counter), FieldSchema("title", .text)])

  var record = DeviceRecord(key: DeviceBench.key, feed: "books", table: schema)
  var context = WriteContext(
    clock: HybridClock(replica: old), wall: 100, schema: 1)
  var operations: UInt64 = 0

  static func state(_ entries: (ReplicaID, UInt64)...) -> RecordState {
    let shares = entries.map { replica, up in
      CounterShare(replica: replica, before: CounterTotal(), after: CounterTotal(up: up))
    }
    let stamp = DeviceBench.stamp(5)
    let change = OperationField(
      value: .null, stamp: stamp, rule: .counter, detail: .total(shares))
    return RecordState(
      revision: Revision(epoch: DeviceBench.epoch, number: 1),
      fields: [
        "read": FieldState(laying: change, over: nil, stamp: stamp),
        "title": FieldState(value: .text("a"), stamp: stamp),
      ])
  }

  mutating func count(_ amount: Int64, title: String? = nil) throws {
    operations += 1
    var edits: FieldMap<FieldEdit> = ["read": .add(amount)]
    if let title { edits["title"] = .set(.text(title)) }
    _ = try record.change(
      edits, operation: OperationID(high: 0, low: operations), context: &context)
  }

  mutating func renew(told: RecordState?) -> [Recount] {
    context.clock = HybridClock(replica: Self.new, last: context.clock.last)
    return record.recount(
      told: told, from: Self.old, operation: OperationID(high: 9, low: 9), context: &context)
  }

  var shown: FieldValue? { record.view?.fields["read"]?.value }

  @Test mutating func `what was counted moves to an operation of the new id`() throws {
    record.base = Self.state((Self.old, 3))
    try count(2)
    record.markInFlight(epoch: DeviceBench.epoch)
    try count(1)
    let moved = renew(told: Self.state((Self.old, 4)))
    #expect(moved.map { $0.amount } == [CounterTotal(up: 3)])
    #expect(record.rows.count == 1)
    let row = try #require(record.rows.first)
    #expect(row.operation.id == OperationID(high: 9, low: 9))
    #expect(row.operation.replica == Self.new)
    #expect(!row.isInFlight)
    let share = CounterShare(
      replica: Self.new, before: CounterTotal(), after: CounterTotal(up: 3))
    #expect(row.operation.fields["read"]?.detail == .total([share]))
    record.base = Self.state((Self.old, 4))
    #expect(shown == .integer(7))
  }

  @Test mutating func `what else the row says stays in it, to be frozen anew`() throws {
    record.base = Self.state((Self.old, 3))
    try count(2, title: "b")
    record.markInFlight(epoch: DeviceBench.epoch)
    record.rows[0].bytes = [1]
    _ = renew(told: Self.state((Self.old, 4)))
    #expect(record.rows.map { $0.operation.replica } == [Self.old, Self.new])
    #expect(record.rows[0].operation.id == OperationID(high: 0, low: 1))
    #expect(record.rows[0].operation.fields.names == ["title"])
    #expect(record.rows[0].bytes.isEmpty)
    #expect(!record.rows[0].isInFlight)
    #expect(record.rows[0].unanswered == 1)
  }

  @Test mutating func `where nobody else counted under the old id nothing changes`() throws {
    record.base = Self.state((Self.old, 3))
    try count(2)
    record.markInFlight(epoch: DeviceBench.epoch)
    let before = record
    for told in [Self.state((Self.old, 3)), Self.state((ReplicaID(rawValue: 7), 9)), nil] {
      let moved = renew(told: told)
      #expect(moved.isEmpty)
      #expect(record == before)
    }
  }

  @Test mutating func `a deleted record has nothing left to count`() throws {
    record.base = Self.state((Self.old, 3))
    try count(2)
    var told = Self.state((Self.old, 4))
    told.deleted = DeviceBench.stamp(9)
    let before = record
    let moved = renew(told: told)
    #expect(moved.isEmpty)
    #expect(record == before)
  }

  @Test mutating func `the conflict names the amount and the device`() throws {
    record.base = Self.state((Self.old, 3))
    try count(-2)
    let moved = renew(told: Self.state((Self.old, 4)))
    let device = Device(
      account: Account(tenant: "home", user: "ada"), clock: context.clock,
      earlierReplicas: [Self.old])
    let conflict = try #require(moved.first).conflict(of: record.key, on: device, time: 77)
    #expect(conflict.lost == .integer(3))
    #expect(conflict.kept == .integer(1))
    #expect(conflict.mayBeCountedTwice)
    #expect(conflict.rule == "counter")
    #expect(conflict.record == record.key)
    #expect(conflict.isAddressed(to: device))
    #expect(conflict.time == 77)
  }

  @Test mutating func `a count that a page hid before the renewal came is moved, too`() throws {
    record.base = Self.state((Self.old, 3))
    try count(2)
    // The other copy counted five under the same id; a page tells it before the server says so.
    record.base = Self.state((Self.old, 8))
    let moved = renew(told: Self.state((Self.old, 8)))
    #expect(moved.map { $0.amount } == [CounterTotal(up: 2)])
    #expect(shown == .integer(10))
  }

  @Test mutating func `a count that base knows to be settled below it stays where it is`() throws {
    record.base = Self.state((Self.old, 8))
    try count(2)
    #expect(renew(told: Self.state((Self.old, 8))).isEmpty)
    #expect(shown == .integer(10))
  }
}
