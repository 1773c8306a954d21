public import CommuteCore
import CommuteSQLite

/// One operation that the server refused, waiting for a person's decision.
///
/// The view shows what lies below it since it was refused. A person can retry, edit, or discard it:
/// ``Store/retry(_:)``, ``Store/edit(_:as:_:)``, ``Store/discard(_:)``.
public struct InboxEntry: Hashable, Sendable, Identifiable {
  /// The number of the entry; it never stands for another one.
  public let id: Int64
  /// Why it was refused.
  public let code: RejectionCode
  /// The server's words.
  public let message: String
  /// When it was refused, in milliseconds since 1970.
  public let refusedAt: Int64
  /// The record as the server told it with the refusal; nil where it told none.
  public let record: RecordState?
  /// The operation as it was refused.
  public let refused: Operation
  /// The entry of the same record's creation, where it was refused only because of that one.
  ///
  /// It goes with that entry: a decision about the creation decides about it, too.
  public let behind: Int64?
  /// Records whose changes wait in line until there is this one, whose creation was refused.
  public let dependants: [RecordKey]

  /// Which record it is about.
  public var key: RecordKey { refused.key }
  /// The feed of the record.
  public var feed: String { refused.feed.text }
  /// The operation's id.
  public var operation: OperationID { refused.id }
  /// Whether it wanted to make the record.
  public var creates: Bool { refused.creates }
  /// Whether it wanted to delete the record.
  public var deletes: Bool { refused.deleted != nil }
  /// The values that it wanted to give, by field; of counters and sets what it wanted to add.
  public var values: FieldMap<FieldValue> { refused.fields.mapValues { $0.wanted } }
  /// The names of the fields that it wanted to change.
  public var fields: [String] { refused.fields.names.map(\.text) }
  /// What the person saw in those fields before, by field; null where there was nothing.
  public var before: FieldMap<FieldValue> { refused.fields.mapValues { $0.base ?? .null } }
}

extension InboxEntry {
  /// The columns of an entry, in the order in which ``init(_:names:)`` reads them.
  private static let columns: SQL = """
    entry, code, message, refused_at, record, behind,
    operation, tbl, id, feed, schema, replica, creates, fields, deleted, revives, needs, epoch, base
    """

  /// Lists the inbox, the oldest first.
  static func all(on connection: Connection) throws(StoreError) -> [InboxEntry] {
    var names = NumberedNames()
    try names.load(from: connection)
    let entries = try all(where: "1", on: connection, names: names)
    guard entries.contains(where: \.creates) else { return entries }
    let waiting = try dependants(on: connection)
    return entries.map { entry in
      entry.creates ? entry.needed(by: waiting[entry.key] ?? []) : entry
    }
  }

  /// The entries that a condition chooses, without those that depend on them.
  static func all(
    where condition: SQL, on connection: Connection, names: NumberedNames
  ) throws(StoreError) -> [InboxEntry] {
    try connection.all(
      "SELECT \(columns) FROM c_inbox WHERE \(condition) ORDER BY entry"
    ) { (row) throws(StoreError) in try InboxEntry(row, names: names) }
  }

  private init(_ row: borrowing Row, names: NumberedNames) throws(StoreError) {
    id = row.int64(0)
    code = RejectionCode(name: Key(row.text(1)))
    message = row.text(2)
    refusedAt = row.int64(3)
    record =
      row.isNull(4)
      ? nil
      : try row.unpacked(4) { (bytes) throws(StoreError) in
        try PackedState.unpack(bytes, names: names)
      }
    behind = row.isNull(5) ? nil : row.int64(5)
    refused = try row.operation(from: 6, names: names)
    dependants = []
  }

  private init(_ entry: InboxEntry, dependants: [RecordKey]) {
    id = entry.id
    code = entry.code
    message = entry.message
    refusedAt = entry.refusedAt
    record = entry.record
    behind = entry.behind
    refused = entry.refused
    self.dependants = dependants
  }

  private func needed(by dependants: [RecordKey]) -> InboxEntry {
    InboxEntry(self, dependants: dependants)
  }

  /// The records in line that need others, by the one they need.
  private static func dependants(
    on connection: Connection
  ) throws(StoreError) -> [RecordKey: [RecordKey]] {
    var waiting: [RecordKey: [RecordKey]] = [:]
    let rows = try connection.all(
      "SELECT tbl, id, needs FROM c_outbox WHERE needs IS NOT NULL ORDER BY position"
    ) { (row) throws(StoreError) in
      (
        key: RecordKey(table: Key(row.text(0)), id: try row.recordID(1)),
        needs: try row.unpacked(2, OutboxNeeds.unpack)
      )
    }
    for row in rows {
      for needed in row.needs { waiting[needed, default: []].append(row.key) }
    }
    return waiting
  }
}
