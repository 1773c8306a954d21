public import CommuteCore
public import CommuteSQLite

/// Moving data from what an older app declared to what this one does.
extension WriteTransaction {
  /// Fills columns of every record from what an older version of the app kept.
  ///
  /// The closure gets each record as it is, and the fields that have no column any more. What it
  /// sets is written as a seed: it is queued like any change, but never takes the place of a value
  /// that somebody wrote, and two devices that move the same record agree.
  ///
  /// - Returns: How many records got something.
  @discardableResult
  public borrowing func fill<Model: Record>(
    _ model: Model.Type = Model.self, _ change: (inout Model, EarlierFields) throws -> Void
  ) throws -> Int {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    var count = 0
    var last: RecordID?
    while true {
      let page = try core.ids(in: shape, after: last)
      for id in page {
        var shown: Model?
        let loaded = try core.load(id, in: shape) { (row) throws(StoreError) in
          shown = try Model.table.read(row, fieldsFrom: 2)
        }
        guard let before = shown, let view = loaded.record.view else { continue }
        var after = before
        try change(&after, EarlierFields(view, without: shape.layout.fields))
        let mask = Model.table.difference(before, after)
        guard mask != 0 else { continue }
        let values = try Model.table.values(of: after, mask: mask)
        if try core.fill(loaded, values, in: shape) { count += 1 }
      }
      guard let end = page.last else { return count }
      last = end
    }
  }

  /// Hands over every record of a table that the app no longer declares, in the order of the ids.
  ///
  /// The records stay where they are, for devices that still run an older version; what becomes of
  /// them here is inserted with ``insertSeed(_:feed:)`` under the same id, so that two devices that
  /// move the same record agree.
  public borrowing func forEachEarlierRecord(
    of table: String, _ body: (EarlierRecord) throws -> Void
  ) throws {
    var last = [UInt8]()
    while true {
      let page = try core.connection.all(
        """
        SELECT id, feed, state FROM c_unknown WHERE tbl = \(table) AND id > \(last)
        ORDER BY id LIMIT 200
        """
      ) { (row) throws(StoreError) in
        let state = try row.unpacked(2) { (bytes) throws(StoreError) in
          try PackedState.unpack(bytes, names: core.names)
        }
        return (id: try row.recordID(0), feed: row.text(1), state: state)
      }
      for record in page where record.state.deleted == nil {
        try body(
          EarlierRecord(id: record.id, feed: record.feed, fields: EarlierFields(record.state)))
      }
      guard let end = page.last else { return }
      last = end.id.bytes
    }
  }

  /// Gives every row of an own table of the app, in which rows were known by their numbers, an id.
  ///
  /// Row numbers mean nothing elsewhere: two devices have given the same number to different rows.
  /// The ids are kept in a column of the table itself, so that moving the rows into a synced table
  /// can be repeated. Rows that every device has alike get the same id everywhere through `fixed`.
  ///
  /// - Parameters:
  ///   - table: A table of the app's own; it must have row numbers.
  ///   - column: The column for the ids; it is made where there is none.
  ///   - fixed: The id that a row has on every device; nil for a new one. Where two rows claim one
  ///     id, the older row has it.
  /// - Returns: How many rows got an id.
  /// - Throws: ``StoreError/query(reason:)`` for a synced table, and for one that is not there.
  @discardableResult
  public borrowing func backfillIDs(
    in table: String, column: String = "uid",
    fixed: (borrowing Row) throws(StoreError) -> RecordID? = { _ in nil }
  ) throws(StoreError) -> Int {
    let isThere = try value(
      "SELECT count(*) FROM pragma_table_info(\(table)) WHERE name = \(column)")
    if isThere == .integer(0) {
      try execute("ALTER TABLE \(name: table) ADD COLUMN \(name: column) BLOB")
    }
    try execute(
      """
      CREATE UNIQUE INDEX IF NOT EXISTS \(name: "\(table)_\(column)")
      ON \(name: table)(\(name: column))
      """)
    var taken = Set(
      try rows(
        "SELECT \(name: column) FROM \(name: table) WHERE \(name: column) IS NOT NULL"
      ) { (row) throws(StoreError) in try row.recordID(0) })
    let numbers = try rows(
      "SELECT rowid FROM \(name: table) WHERE \(name: column) IS NULL ORDER BY rowid"
    ) { (row) throws(StoreError) in row.int64(0) }
    for number in numbers {
      let claims = try rows("SELECT * FROM \(name: table) WHERE rowid = \(number)", fixed)
      var id = (claims.first ?? nil) ?? newID()
      if !taken.insert(id).inserted { id = newID() }
      try execute(
        "UPDATE \(name: table) SET \(name: column) = \(id.bytes) WHERE rowid = \(number)")
    }
    return numbers.count
  }
}

extension WriterCore {
  /// The ids of the next records of a table, some hundred at a time.
  fileprivate func ids(
    in shape: TableShape, after last: RecordID?
  ) throws(StoreError) -> [RecordID] {
    try connection.all(
      """
      SELECT id FROM \(name: shape.name) WHERE id > \(last?.bytes ?? []) ORDER BY id LIMIT 500
      """
    ) { (row) throws(StoreError) in try row.recordID(0) }
  }

  /// Writes values as a seed where nobody wrote one.
  ///
  /// - Returns: Whether anything was written.
  fileprivate func fill(
    _ loaded: LoadedRecord, _ values: FieldMap<FieldValue>, in shape: TableShape
  ) throws(StoreError) -> Bool {
    var loaded = loaded
    var context = context
    let names: [Key]
    do {
      names = try loaded.record.seed(values, operation: newOperation(), context: &context)
    } catch {
      throw .refused(error)
    }
    guard !names.isEmpty else { return false }
    try checkSize(of: loaded)
    state.device.clock = context.clock
    try save(loaded, in: shape, changed: shape.mask(of: names))
    return true
  }
}
