public import CommuteCore
import CommuteSQLite

/// One operation that the server refused, waiting for a person's decision.
public struct InboxEntry: Hashable, Sendable, Identifiable {
  /// The number of the entry.
  public let id: Int64
  /// Which record it is about.
  public let key: RecordKey
  /// The operation's id.
  public let operation: OperationID
  /// Why it was refused.
  public let code: RejectionCode
  /// The server's words.
  public let message: String
  /// When it was refused, in milliseconds since 1970.
  public let refusedAt: Int64
  /// The values that it wanted to give, by field.
  public let values: FieldMap<FieldValue>
  /// Whether it wanted to make the record.
  public let creates: Bool
  /// Whether it wanted to delete the record.
  public let deletes: Bool

  /// The names of the fields that it wanted to change.
  public var fields: [String] { values.names.map(\.text) }
}

extension InboxEntry {
  /// Lists the inbox, the oldest first.
  static func all(on connection: Connection) throws(StoreError) -> [InboxEntry] {
    var names = NumberedNames()
    try names.load(from: connection)
    return try connection.all(
      """
      SELECT entry, tbl, id, operation, code, message, refused_at, fields, creates,
        deleted IS NOT NULL
      FROM c_inbox ORDER BY entry
      """
    ) { (row) throws(StoreError) in
      let fields = try row.unpacked(7) { (bytes) throws(StoreError) in
        try PackedChange.unpack(bytes, names: names)
      }
      return InboxEntry(
        id: row.int64(0),
        key: RecordKey(table: Key(row.text(1)), id: try row.recordID(2)),
        operation: try row.operationID(3),
        code: RejectionCode(name: Key(row.text(4))), message: row.text(5),
        refusedAt: row.int64(6), values: fields.mapValues { $0.value }, creates: row.int64(8) != 0,
        deletes: row.int64(9) != 0)
    }
  }
}

extension WriterCore {
  /// Puts a refused operation into the inbox.
  func putInbox(_ rejection: Rejection, wall: Int64) throws(StoreError) {
    let row = rejection.row
    let operation = row.operation
    let fields = PackedChange.pack(operation.fields, names: &names)
    let record = rejection.record.map { PackedState.pack($0, names: &names) }
    let deleted = operation.deleted.map { packed($0) }
    let revives = operation.revives.map { packed($0) }
    let needs = operation.needs.isEmpty ? nil : OutboxNeeds.pack(operation.needs)
    let base = operation.base.map { packed($0) }
    let replica = names.number(of: operation.replica)
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        INSERT INTO c_inbox(code, message, refused_at, record, operation, tbl, id, feed, schema,
          replica, creates, fields, deleted, revives, needs, epoch, base, bytes, attempts,
          perhaps_sent)
        VALUES (\(rejection.code.name.text), \(rejection.message), \(wall), \(record),
          \(operation.id.bytes), \(operation.key.table.text), \(operation.key.id),
          \(operation.feed.text), \(operation.schema.stored), \(replica), \(operation.creates),
          \(fields), \(deleted), \(revives), \(needs), \(operation.epoch?.text), \(base),
          \(row.bytes.isEmpty ? nil : row.bytes), \(Int(row.attempts)), \(Int(row.unanswered)))
        """)
    }
    note(engine: "c_inbox")
  }

  /// Makes the refused change once more, as a new one at the end of the line.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Throws: ``StoreError/refused(_:)`` where the record is gone; the entry stays then.
  func retry(entry: Int64) throws(StoreError) -> Bool {
    let found = try connection.first(
      """
      SELECT tbl, id, feed, creates, fields, deleted IS NOT NULL
      FROM c_inbox WHERE entry = \(entry)
      """
    ) { (row) throws(StoreError) in
      let fields = try row.unpacked(4) { (bytes) throws(StoreError) in
        try PackedChange.unpack(bytes, names: names)
      }
      return (
        key: RecordKey(table: Key(row.text(0)), id: try row.recordID(1)), feed: Key(row.text(2)),
        creates: row.int64(3) != 0, fields: fields, deletes: row.int64(5) != 0
      )
    }
    guard let found else { return false }
    guard let shape = shapes.shape(named: found.key.table) else {
      throw .query(
        reason: "this version does not know the table \(found.key.table.text); update the app")
    }
    var loaded = try load(found.key.id, in: shape, feed: found.feed)
    var context = context
    do {
      let values = found.fields.mapValues { $0.value }
      let isSeed = found.fields.entries.allSatisfy { $0.value.stamp.isFloor }
      if found.creates && loaded.record.view == nil {
        if isSeed {
          try loaded.record.seed(values, operation: newOperation(), context: &context)
        } else {
          try loaded.record.create(values, operation: newOperation(), context: &context)
        }
      } else if !values.isEmpty {
        try loaded.record.change(values, operation: newOperation(), context: &context)
      }
      if found.deletes { loaded.record.delete(operation: newOperation(), context: &context) }
    } catch {
      throw .refused(error)
    }
    state.device.clock = context.clock
    try save(loaded, in: shape)
    return try discard(entry: entry)
  }

  /// Forgets a refused operation; the view shows base already.
  func discard(entry: Int64) throws(StoreError) -> Bool {
    let removed = try speaking { () throws(SQLiteError) in
      try connection.run("DELETE FROM c_inbox WHERE entry = \(entry)")
    }
    note(engine: "c_inbox")
    return removed > 0
  }
}
