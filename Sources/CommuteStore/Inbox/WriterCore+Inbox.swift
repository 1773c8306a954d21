import CommuteCore
import CommuteSQLite

/// What a person's decisions do to the rows; ``DeviceRecord`` decides what becomes of the record.
extension WriterCore {
  /// Puts what was refused of one record into the inbox, in the order it stood.
  ///
  /// What stood behind a creation goes with it from then on.
  func putInbox(_ rejections: [Rejection], wall: Int64) throws(StoreError) {
    var creation: Int64?
    for rejection in rejections {
      try putInbox(rejection, behind: creation, wall: wall)
      if creation == nil, rejection.row.operation.creates { creation = connection.lastInsertRowID }
    }
  }

  private func putInbox(
    _ rejection: Rejection, behind: Int64?, wall: Int64
  ) throws(StoreError) {
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
          perhaps_sent, behind)
        VALUES (\(rejection.code.name.text), \(rejection.message), \(wall), \(record),
          \(operation.id.bytes), \(operation.key.table.text), \(operation.key.id),
          \(operation.feed.text), \(operation.schema.stored), \(replica), \(operation.creates),
          \(fields), \(deleted), \(revives), \(needs), \(operation.epoch?.text), \(base),
          \(row.bytes.isEmpty ? nil : row.bytes), \(Int(row.attempts)), \(Int(row.unanswered)),
          \(behind))
        """)
    }
    note(engine: "c_inbox")
  }

  /// Makes a refused operation once more, and with it what was refused only because of it.
  ///
  /// - Returns: Whether the entry was there.
  /// - Throws: ``StoreError/refused(_:)`` and the like; the entry stays then.
  func retry(_ entry: InboxEntry) throws(StoreError) -> Bool {
    let group = try group(of: entry)
    if group.isEmpty { return false }
    var loaded = try load(entry)
    guard !(entry.behind != nil && loaded.record.lacksRecord(for: entry.refused)) else {
      throw .creationRefused(entry.key)
    }
    var context = context
    do {
      try loaded.record.retry(
        group.map(\.refused), newOperation: newOperation, context: &context)
    } catch {
      throw .refused(error)
    }
    try write(loaded, context)
    return try remove(entry)
  }

  /// Makes another operation in the place of a refused one: fields are to have these values.
  ///
  /// What stood behind a refused creation is part of what is edited. `values` gets the record as
  /// it is, and its view as it would be, had all of it been taken.
  ///
  /// - Returns: Whether the entry was there.
  func edit(
    _ entry: InboxEntry, _ values: (DeviceRecord, RecordState?) throws -> FieldMap<FieldValue>
  ) throws -> Bool {
    let group = try group(of: entry)
    if group.isEmpty { return false }
    var loaded = try load(entry)
    guard !(entry.behind != nil && loaded.record.lacksRecord(for: entry.refused)) else {
      throw StoreError.creationRefused(entry.key)
    }
    var proposed = loaded.record
    var unused = context
    var context = context
    do throws(WriteRefusal) {
      try proposed.retry(group.map(\.refused), newOperation: newOperation, context: &unused)
    } catch {
      throw StoreError.refused(error)
    }
    let values = try values(loaded.record, proposed.view)
    do throws(WriteRefusal) {
      try loaded.record.replace(
        entry.refused, with: values, newOperation: newOperation, context: &context)
    } catch {
      throw StoreError.refused(error)
    }
    try write(loaded, context)
    return try remove(entry)
  }

  /// Forgets a refused operation, and what was refused only because of it.
  ///
  /// The view shows what lies below them already. What waits for the record goes to the inbox where
  /// its creation is given up.
  ///
  /// - Returns: Whether the entry was there.
  func discard(_ entry: InboxEntry) throws(StoreError) -> Bool {
    guard try remove(entry) else { return false }
    if entry.creates { try giveUpDependants(of: entry.key) }
    return true
  }

  /// Takes an entry out of the inbox, with what was refused only because of it.
  private func remove(_ entry: InboxEntry) throws(StoreError) -> Bool {
    let isThere = try speaking { () throws(SQLiteError) in
      let operation = entry.operation.bytes
      return try connection.run(
        "DELETE FROM c_inbox WHERE entry = \(entry.id) AND operation = \(operation)") > 0
    }
    guard isThere else { return false }
    try speaking { () throws(SQLiteError) in
      _ = try connection.run("DELETE FROM c_inbox WHERE behind = \(entry.id)")
    }
    note(engine: "c_inbox")
    return true
  }

  /// An entry, if it is still there, and those that go with it.
  private func group(of entry: InboxEntry) throws(StoreError) -> [InboxEntry] {
    let found = try InboxEntry.all(
      where: "entry = \(entry.id) OR behind = \(entry.id)", on: connection, names: names)
    return found.first?.operation == entry.operation ? found : []
  }

  private func load(_ entry: InboxEntry) throws(StoreError) -> LoadedRecord {
    guard let shape = shapes.shape(named: entry.key.table) else {
      return try loadUnknown(entry.key, feed: entry.refused.feed)
    }
    return try load(entry.key.id, in: shape, feed: entry.refused.feed)
  }

  /// Saves a record that a person changed, as any local write.
  func write(_ loaded: LoadedRecord, _ context: WriteContext) throws(StoreError) {
    guard loaded.record != loaded.before else { return }
    try checkSize(of: loaded)
    try enter(feed: loaded.record.feed)
    state.device.clock = context.clock
    if let shape = shapes.shape(named: loaded.record.key.table) {
      var loaded = loaded
      try noteNeeds(of: &loaded.record, in: shape)
      try save(loaded, in: shape)
    } else {
      try saveUnknown(loaded)
    }
  }
}
