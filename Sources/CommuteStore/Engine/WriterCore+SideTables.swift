import CommuteCore
import CommuteSQLite

/// Where what the server last told of a record stands while anything lies over it.
enum BasePlace: Hashable {
  /// The server told nothing, or nothing lies over it.
  case nowhere
  /// In the row of the outbox at this place, the first of the record.
  case row(Int64)
  /// In `c_base`: what is offered again lies over it, and no row.
  case apart
}

/// What the server last told of a record, and where that stands.
struct PlacedBase {
  let place: BasePlace
  let state: RecordState

  init(_ place: BasePlace, _ state: RecordState) {
    self.place = place
    self.state = state
  }
}

/// The engine's tables that hold one packed record a row: bases, tombstones, unknown tables.
extension WriterCore {
  /// What the server last told of a record over which anything lies; nil where it told nothing.
  func base(of key: RecordKey) throws(StoreError) -> RecordState? {
    let line = try rows(of: key)
    let base = line.rows.isEmpty ? try apartBase(of: key) : line.base
    return base?.state
  }

  /// The base of a record over which only an offer lies.
  func apartBase(of key: RecordKey) throws(StoreError) -> PlacedBase? {
    let statement = try kept("SELECT '', state FROM c_base WHERE tbl = ?1 AND id = ?2")
    return try packedState(statement, key).map { PlacedBase(.apart, $0.state) }
  }

  /// Keeps what the server last told of a record.
  func put(
    _ base: RecordState, of key: RecordKey, at place: BasePlace
  ) throws(StoreError) {
    PackedState.pack(base, names: &names, into: &packer)
    let statement: Statement
    switch place {
    case .nowhere: return
    case .row(let position):
      statement = try kept("UPDATE c_outbox SET told = ?2 WHERE position = ?1")
      statement.bind(position, at: 1)
      statement.bind(packer.bytes, at: 2)
    case .apart:
      statement = try kept("INSERT OR REPLACE INTO c_base(tbl, id, state) VALUES (?1, ?2, ?3)")
      bind(key, to: statement)
      statement.bind(packer.bytes, at: 3)
    }
    try run(statement)
  }

  /// Forgets the base of a record where it stood before; a row that is gone took it along.
  func clearBase(of record: DeviceRecord, at place: BasePlace) throws(StoreError) {
    switch place {
    case .nowhere: return
    case .row(let position):
      guard record.rows.contains(where: { $0.order == position }) else { return }
      let statement = try kept("UPDATE c_outbox SET told = NULL WHERE position = ?1")
      statement.bind(position, at: 1)
      try run(statement)
    case .apart:
      let statement = try kept("DELETE FROM c_base WHERE tbl = ?1 AND id = ?2")
      bind(record.key, to: statement)
      try run(statement)
    }
  }

  /// A deleted record of a declared table.
  func tombstone(_ key: RecordKey) throws(StoreError) -> (feed: Key, state: RecordState)? {
    guard hasTombstones else { return nil }
    let statement = try kept("SELECT feed, state FROM c_tombstone WHERE tbl = ?1 AND id = ?2")
    return try packedState(statement, key)
  }

  /// Keeps a deleted record.
  func putTombstone(_ view: RecordState, key: RecordKey, feed: Key) throws(StoreError) {
    PackedState.pack(view, names: &names, into: &packer)
    let statement = try kept(
      """
      INSERT OR REPLACE INTO c_tombstone(tbl, id, feed, revision, deleted, state)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    bind(key, to: statement)
    statement.bind(feed.text, at: 3)
    if let revision = view.revision { statement.bind(revision.number.stored, at: 4) }
    statement.bind((view.deleted?.milliseconds ?? 0).stored, at: 5)
    statement.bind(packer.bytes, at: 6)
    try run(statement)
    hasTombstones = true
    note(engine: "c_tombstone")
  }

  /// Forgets a tombstone: the record is there again, or was never there.
  func deleteTombstone(_ key: RecordKey) throws(StoreError) {
    guard hasTombstones else { return }
    let statement = try kept("DELETE FROM c_tombstone WHERE tbl = ?1 AND id = ?2")
    bind(key, to: statement)
    try run(statement)
    note(engine: "c_tombstone")
  }

  /// A record of a table that this app does not know.
  func unknown(_ key: RecordKey) throws(StoreError) -> (feed: Key, state: RecordState)? {
    let statement = try kept("SELECT feed, state FROM c_unknown WHERE tbl = ?1 AND id = ?2")
    return try packedState(statement, key)
  }

  /// Keeps a record of a table that this app does not know.
  func putUnknown(_ view: RecordState, key: RecordKey, feed: Key) throws(StoreError) {
    PackedState.pack(view, names: &names, into: &packer)
    let statement = try kept(
      """
      INSERT OR REPLACE INTO c_unknown(tbl, id, feed, revision, state)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """)
    bind(key, to: statement)
    statement.bind(feed.text, at: 3)
    if let revision = view.revision { statement.bind(revision.number.stored, at: 4) }
    statement.bind(packer.bytes, at: 5)
    try run(statement)
    note(engine: "c_unknown")
    if key.table == PreferenceRecord.table { state.preferencesChanged = true }
    try noteConflict(key, view)
  }

  /// Forgets a record of a table that this app does not know.
  func deleteUnknown(_ key: RecordKey) throws(StoreError) {
    let statement = try kept("DELETE FROM c_unknown WHERE tbl = ?1 AND id = ?2")
    bind(key, to: statement)
    try run(statement)
    note(engine: "c_unknown")
    if key.table == PreferenceRecord.table { state.preferencesChanged = true }
    try noteConflict(key, nil)
  }

  private func packedState(
    _ statement: Statement, _ key: RecordKey
  ) throws(StoreError) -> (feed: Key, state: RecordState)? {
    bind(key, to: statement)
    return try statement.first { (row) throws(StoreError) in
      (Key(row.text(0)), try packedState(row, 1))
    }
  }

  /// A packed record in a column.
  func packedState(_ row: borrowing Row, _ column: Int) throws(StoreError) -> RecordState {
    try row.unpacked(column) { (bytes) throws(StoreError) in
      try PackedState.unpack(bytes, names: names)
    }
  }

  private func bind(_ key: RecordKey, to statement: Statement) {
    statement.bind(key.table.text, at: 1)
    statement.bind(high: key.id.high, low: key.id.low, at: 2)
  }

  /// A kept statement of the engine's own.
  func kept(_ sql: StaticString) throws(StoreError) -> Statement {
    do { return try connection.statement(sql) } catch { throw StoreError(error) }
  }

  /// Runs a statement for its effect.
  func run(_ statement: Statement) throws(StoreError) {
    do { try statement.run() } catch { throw StoreError(error) }
  }
}
