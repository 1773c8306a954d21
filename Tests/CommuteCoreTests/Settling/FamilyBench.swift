import CommuteCore

/// A server whose items belong to lists and shelves, and operations made by hand.
///
/// An item goes with its list and loses its shelf; a part goes with its item; a note follows
/// `editRevives`, and goes with its list, too.
struct FamilyBench {
  static let item = TableSchema(
    "item",
    fields: [
      FieldSchema("lender", .bytes, references: Reference("person")),
      FieldSchema(
        "list", .bytes, isOptional: true, references: Reference("list", onDeletion: .cascade)),
      FieldSchema(
        "shelf", .bytes, isOptional: true, references: Reference("shelf", onDeletion: .nullify)),
      FieldSchema("title", .text),
    ])
  static let note = TableSchema(
    "note",
    fields: [
      FieldSchema("list", .bytes, references: Reference("list", onDeletion: .cascade)),
      FieldSchema("title", .text),
    ], rule: .editRevives)
  static let part = TableSchema(
    "part",
    fields: [
      FieldSchema("item", .bytes, references: Reference("item", onDeletion: .cascade)),
      FieldSchema(
        "part", .bytes, isOptional: true, references: Reference("part", onDeletion: .cascade)),
    ])
  static let list = TableSchema("list", fields: [FieldSchema("title", .text)], rule: .editRevives)

  var bench = ServerBench()

  init() {
    for table in [Self.item, Self.note, Self.part, Self.list] {
      bench.settlement.tables[table.name] = table
    }
  }

  static func key(_ table: Key, _ number: UInt64) -> RecordKey {
    RecordKey(table: table, id: RecordID(high: 1, low: number))
  }

  static func naming(_ number: UInt64) -> FieldValue {
    .bytes(RecordID(high: 1, low: number).bytes)
  }

  /// An operation on a record, which declares what the schema declares.
  mutating func operation(
    _ table: Key, _ number: UInt64, _ values: FieldMap<FieldValue> = [:],
    at milliseconds: UInt64 = 500, by replica: UInt64 = 1, over: Stamp? = nil,
    creates: Bool = false, deletes: Bool = false, feed: Key = "books"
  ) -> Operation {
    let stamp = ServerBench.stamp(milliseconds, by: replica)
    var operation = bench.operation(
      at: stamp, creates: creates, deleted: deletes ? stamp : nil, key: Self.key(table, number))
    operation.feed = feed
    for entry in values.entries {
      operation.fields[entry.name] = OperationField(
        value: entry.value, stamp: stamp, over: over.map { Over(stamp: $0, origin: $0) })
    }
    operation.declares =
      bench.settlement.tables[table]?.declarations(of: values.names) ?? []
    return operation
  }

  /// Settles operations in one request that asks about every feed.
  @discardableResult
  mutating func settle(_ operations: Operation..., user: String = "ada") -> [Verdict] {
    var feeds: [SyncRequest.Feed] = []
    for operation in operations where !feeds.contains(where: { $0.feed == operation.feed }) {
      feeds.append(SyncRequest.Feed(feed: operation.feed, cursor: 0))
    }
    return bench.settle(bench.request(operations, feeds: feeds), user: user)
  }

  @discardableResult
  mutating func make(
    _ table: Key, _ number: UInt64, _ values: FieldMap<FieldValue> = [:], at time: UInt64 = 500,
    by replica: UInt64 = 1, feed: Key = "books"
  ) -> Verdict {
    settle(
      operation(table, number, values, at: time, by: replica, creates: true, feed: feed))[0]
  }

  @discardableResult
  mutating func delete(
    _ table: Key, _ number: UInt64, at time: UInt64 = 900, user: String = "ada", feed: Key = "books"
  ) -> Verdict {
    settle(operation(table, number, at: time, deletes: true, feed: feed), user: user)[0]
  }

  func state(_ table: Key, _ number: UInt64) -> RecordState? {
    bench.state.records[Self.key(table, number)]?.state
  }

  func isAlive(_ table: Key, _ number: UInt64) -> Bool {
    state(table, number).map { $0.deleted == nil } ?? false
  }

  func value(_ table: Key, _ number: UInt64, _ field: Key) -> FieldValue? {
    state(table, number)?.fields[field]?.value
  }
}
