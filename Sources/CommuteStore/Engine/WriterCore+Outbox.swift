import CommuteCore
import CommuteSQLite

/// The rows of `c_outbox`.
extension WriterCore {
  /// The columns of a row, in the order in which ``row(_:)`` reads them.
  private static let columns: SQL = """
    position, operation, tbl, id, feed, schema, replica, creates, fields, deleted, revives, needs,
    epoch, base, in_flight, bytes, attempts, perhaps_sent, not_before
    """

  /// The rows of one record, in the order of first change, and the base that one of them holds.
  func rows(of key: RecordKey) throws(StoreError) -> (rows: [OutboxRow], base: PlacedBase?) {
    var rows: [OutboxRow] = []
    var base: PlacedBase?
    for place in pending.places(of: key.id) {
      let statement = try kept(
        """
        SELECT position, operation, tbl, id, feed, schema, replica, creates, fields, deleted,
          revives, needs, epoch, base, in_flight, bytes, attempts, perhaps_sent, not_before, told
        FROM c_outbox WHERE position = ?1 AND id = ?2 AND tbl = ?3
        """)
      bind(place, of: key, to: statement)
      let found = try statement.first { (row) throws(StoreError) in
        if !row.isNull(19) { base = PlacedBase(.row(place), try packedState(row, 19)) }
        return try outboxRow(row)
      }
      if let found { rows.append(found) }
    }
    return (rows, base)
  }

  /// The places in line of the rows of one record, rising.
  func places(of key: RecordKey) throws(StoreError) -> [Int64] {
    var places: [Int64] = []
    for place in pending.places(of: key.id) {
      let statement = try kept(
        "SELECT 1 FROM c_outbox WHERE position = ?1 AND id = ?2 AND tbl = ?3")
      bind(place, of: key, to: statement)
      let found: Bool? = try statement.first { (_) throws(StoreError) in true }
      if found != nil { places.append(place) }
    }
    return places
  }

  private func bind(_ place: Int64, of key: RecordKey, to statement: Statement) {
    statement.bind(place, at: 1)
    statement.bind(high: key.id.high, low: key.id.low, at: 2)
    statement.bind(key.table.text, at: 3)
  }

  /// Rows that a condition chooses, in the order of first change.
  func rows(where condition: SQL) throws(StoreError) -> [OutboxRow] {
    let sql: SQL = "SELECT \(Self.columns) FROM c_outbox WHERE \(condition) ORDER BY position"
    return try connection.all(sql) { (row) throws(StoreError) in try outboxRow(row) }
  }

  private func outboxRow(_ row: borrowing Row) throws(StoreError) -> OutboxRow {
    OutboxRow(
      order: row.int64(0), operation: try row.operation(from: 1, names: names),
      isInFlight: row.int64(14) != 0, bytes: row.bytes(15),
      attempts: UInt32(clamping: row.int64(16)), unanswered: UInt32(clamping: row.int64(17)),
      notBefore: row.int64(18))
  }

  /// Writes the rows of a record that differ from those it had.
  ///
  /// - Returns: The place of the first of them; nil where there is none any more.
  @discardableResult
  func save(_ rows: [OutboxRow], was before: [OutboxRow]) throws(StoreError) -> Int64? {
    guard rows != before else { return rows.first?.order }
    for old in before where !rows.contains(where: { $0.order == old.order }) {
      try speaking { () throws(SQLiteError) in
        try connection.run("DELETE FROM c_outbox WHERE position = \(old.order)")
      }
      state.goneRows.append((old.operation.key.id, old.order))
      state.clockInOutbox = 0
    }
    var first: Int64?
    for row in rows {
      var place = row.order
      if place == 0 {
        place = state.nextPosition
        try insert(row)
      } else if let old = before.first(where: { $0.order == place }), old != row {
        try update(row, was: old)
      }
      if first == nil { first = place }
    }
    note(engine: "c_outbox")
    return first
  }

  private func insert(_ row: OutboxRow) throws(StoreError) {
    let operation = row.operation
    let statement = try kept(
      """
      INSERT INTO c_outbox(operation, creates, fields, clock, deleted, needs, position, tbl, id,
        feed, schema, replica)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """)
    bindChange(row, to: statement)
    statement.bind(state.nextPosition, at: 7)
    statement.bind(operation.key.table.text, at: 8)
    statement.bind(high: operation.key.id.high, low: operation.key.id.low, at: 9)
    statement.bind(operation.feed.text, at: 10)
    statement.bind(operation.schema.stored, at: 11)
    statement.bind(names.number(of: operation.replica), at: 12)
    try run(statement)
    noteQueued(operation.key.id)
  }

  /// Takes note of a new last row.
  func noteQueued(_ id: RecordID) {
    pending.insert(id, at: state.nextPosition)
    state.nextPosition += 1
    state.clockInOutbox = state.device.clock.last
    state.queued = true
  }

  /// Binds what can change in a row: parameters 1 to 6.
  private func bindChange(_ row: OutboxRow, to statement: Statement) {
    let operation = row.operation
    PackedChange.pack(operation.fields, names: &names, into: &packer)
    statement.bind(high: operation.id.high, low: operation.id.low, at: 1)
    statement.bind(operation.creates, at: 2)
    statement.bind(packer.bytes, at: 3)
    statement.bind(state.device.clock.last.stored, at: 4)
    if let deleted = operation.deleted { statement.bind(packed(deleted), at: 5) }
    if !operation.needs.isEmpty { statement.bind(OutboxNeeds.pack(operation.needs), at: 6) }
  }

  private func update(_ row: OutboxRow, was old: OutboxRow) throws(StoreError) {
    // Marking in flight leaves what changed as it is; a row taken out of flight may say less.
    if old.isInFlight || !row.isInFlight, row.operation != old.operation {
      let statement = try kept(
        """
        UPDATE c_outbox SET operation = ?1, creates = ?2, fields = ?3, clock = ?4, deleted = ?5,
          needs = ?6
        WHERE position = ?7
        """)
      bindChange(row, to: statement)
      statement.bind(row.order, at: 7)
      try run(statement)
      if row.order == state.nextPosition - 1 { state.clockInOutbox = state.device.clock.last }
      if !row.isInFlight { state.queued = true }
    }
    if row.isInFlight != old.isInFlight || row.attempts != old.attempts
      || row.unanswered != old.unanswered || row.notBefore != old.notBefore
      || row.bytes.isEmpty != old.bytes.isEmpty
    {
      try updateSending(row)
    }
  }

  /// Writes what is remembered about sending a row.
  private func updateSending(_ row: OutboxRow) throws(StoreError) {
    let statement = try kept(
      """
      UPDATE c_outbox SET in_flight = ?1, epoch = ?2, base = ?3, bytes = ?4, attempts = ?5,
        perhaps_sent = ?6, not_before = ?7
      WHERE position = ?8
      """)
    statement.bind(row.isInFlight, at: 1)
    if let epoch = row.operation.epoch { statement.bind(epoch.text, at: 2) }
    if let base = row.operation.base { statement.bind(packed(base), at: 3) }
    if !row.bytes.isEmpty { statement.bind(row.bytes, at: 4) }
    statement.bind(Int64(row.attempts), at: 5)
    statement.bind(Int64(row.unanswered), at: 6)
    statement.bind(row.notBefore, at: 7)
    statement.bind(row.order, at: 8)
    try run(statement)
  }

  /// A stamp as a column of its own holds it.
  func packed(_ stamp: Stamp) -> [UInt8] {
    var packer = Packer()
    packer.put(stamp, names: &names)
    return packer.bytes
  }

  /// A revision as a column of its own holds it.
  func packed(_ revision: Revision) -> [UInt8] {
    var packer = Packer()
    packer.put(revision, names: &names)
    return packer.bytes
  }
}

/// The records that an operation needs, as its column holds them.
enum OutboxNeeds {
  static func pack(_ needs: [RecordKey]) -> [UInt8] {
    var packer = Packer()
    for key in needs {
      packer.put(key.table.text)
      packer.put(key.id)
    }
    return packer.bytes
  }

  static func unpack(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> [RecordKey] {
    var reader = Unpacker(bytes)
    var needs: [RecordKey] = []
    while !reader.isAtEnd {
      let table = Key(try reader.text())
      needs.append(RecordKey(table: table, id: try reader.identifier()))
    }
    return needs
  }
}

extension Row {
  /// Reads a packed column.
  func unpacked<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try withBytes(column, body)
  }

  /// Reads an operation from 13 columns: `operation`, `tbl`, `id`, `feed`, `schema`, `replica`,
  /// `creates`, `fields`, `deleted`, `revives`, `needs`, `epoch`, `base`.
  func operation(from first: Int, names: NumberedNames) throws(StoreError) -> Operation {
    var operation = Operation(
      id: try operationID(first), schema: UInt64(stored: int64(first + 4)),
      replica: try names.replica(Int(int64(first + 5))),
      key: RecordKey(table: Key(text(first + 1)), id: try recordID(first + 2)),
      feed: Key(text(first + 3)), creates: int64(first + 6) != 0)
    operation.fields = try unpacked(first + 7) { (bytes) throws(StoreError) in
      try PackedChange.unpack(bytes, names: names)
    }
    operation.deleted = try stamp(first + 8, names: names)
    operation.revives = try stamp(first + 9, names: names)
    if !isNull(first + 10) { operation.needs = try unpacked(first + 10, OutboxNeeds.unpack) }
    operation.epoch = isNull(first + 11) ? nil : Epoch(text: text(first + 11))
    guard !isNull(first + 12) else { return operation }
    operation.base = try unpacked(first + 12) { (bytes) throws(StoreError) in
      var reader = Unpacker(bytes)
      return try reader.revision(names: names)
    }
    return operation
  }

  /// A column that holds one stamp; nil for null.
  func stamp(_ column: Int, names: NumberedNames) throws(StoreError) -> Stamp? {
    if isNull(column) { return nil }
    return try unpacked(column) { (bytes) throws(StoreError) in
      var reader = Unpacker(bytes)
      return try reader.stamp(names: names)
    }
  }
}
