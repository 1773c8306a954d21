import CommuteCore
import CommuteSQLite

/// What is looked up by more than an id: living children by their parents, and who has which
/// unique key.
struct RecordIndex: Sendable {
  /// The tables and their rules.
  let settlement: Settlement
  /// What is declared, as the file keeps it to notice that it was changed.
  let declared: String
  private let tables: Set<Key>

  init(_ settlement: Settlement) {
    self.settlement = settlement
    var tables: Set<Key> = []
    var text = ""
    for entry in settlement.tables.entries {
      let lines = entry.value.declarations(of: entry.value.fields.names)
      guard !lines.isEmpty else { continue }
      tables.insert(entry.name)
      text += "table \(entry.name.text)\n"
      for line in lines { text += "\(line.text)\n" }
    }
    self.tables = tables
    declared = text
  }

  /// Whether nothing is declared.
  var isEmpty: Bool { tables.isEmpty }

  /// Whether something is declared of a table.
  func covers(_ table: Key) -> Bool { tables.contains(table) }

  /// What stands for the unique keys of a record.
  func identities(of key: RecordKey, _ stored: StoredRecord) -> [RecordID] {
    settlement.uniqueIdentities(
      of: stored.state.fields.mapValues { $0.value }, on: nil, key: key, feed: stored.feed)
  }
}

extension Connection {
  /// How many records with one key are looked at: there are several only where they were made
  /// before the key was declared.
  private static let holderLimit = 1_000
  /// How many records are indexed between two looks at the table.
  private static let indexedAtOnce = 200

  /// Writes what is looked up of a record.
  func saveIndex(
    _ index: RecordIndex, of key: RecordKey, _ stored: StoredRecord, tenant: String
  ) throws(SQLiteError) {
    guard index.covers(key.table) else { return }
    for delete in [
      try statement("DELETE FROM child WHERE tenant = ?1 AND tbl = ?2 AND id = ?3"),
      try statement("DELETE FROM unique_key WHERE tenant = ?1 AND tbl = ?2 AND id = ?3"),
    ] {
      delete.bind(tenant, at: 1)
      delete.bind(key.table, at: 2)
      delete.bind(key.id, at: 3)
      try delete.run()
    }
    guard stored.state.deleted == nil else { return }
    for parent in index.settlement.parents(of: stored.state, in: key.table) {
      let insert = try statement(
        "INSERT INTO child(tenant, parent_tbl, parent, tbl, id) VALUES (?1, ?2, ?3, ?4, ?5)")
      insert.bind(tenant, at: 1)
      insert.bind(parent.table, at: 2)
      insert.bind(parent.id, at: 3)
      insert.bind(key.table, at: 4)
      insert.bind(key.id, at: 5)
      try insert.run()
    }
    for identity in index.identities(of: key, stored) {
      let insert = try statement(
        "INSERT INTO unique_key(tenant, key, tbl, id) VALUES (?1, ?2, ?3, ?4)")
      insert.bind(tenant, at: 1)
      insert.bind(identity, at: 2)
      insert.bind(key.table, at: 3)
      insert.bind(key.id, at: 4)
      try insert.run()
    }
  }

  /// The living records that have a unique key, in order.
  func holders(of identity: RecordID, tenant: String) throws(SQLiteError) -> [RecordID] {
    let select = try statement(
      "SELECT id FROM unique_key WHERE tenant = ?1 AND key = ?2 ORDER BY id LIMIT ?3")
    select.bind(tenant, at: 1)
    select.bind(identity, at: 2)
    select.bind(Self.holderLimit, at: 3)
    return try select.all { (row) throws(SQLiteError) in row.recordID(0) }
  }

  /// Some living children of a record.
  func children(
    of parent: RecordKey, tenant: String, limit: Int
  ) throws(SQLiteError) -> [RecordKey] {
    let select = try statement(
      """
      SELECT tbl, id FROM child WHERE tenant = ?1 AND parent_tbl = ?2 AND parent = ?3
      ORDER BY tbl, id LIMIT ?4
      """)
    select.bind(tenant, at: 1)
    select.bind(parent.table, at: 2)
    select.bind(parent.id, at: 3)
    select.bind(limit, at: 4)
    return try select.all { (row) throws(SQLiteError) in
      RecordKey(table: row.key(0), id: row.recordID(1))
    }
  }

  /// Takes a child from its parent.
  func forget(_ child: RecordKey, of parent: RecordKey, tenant: String) throws(SQLiteError) {
    let delete = try statement(
      """
      DELETE FROM child
      WHERE tenant = ?1 AND parent_tbl = ?2 AND parent = ?3 AND tbl = ?4 AND id = ?5
      """)
    delete.bind(tenant, at: 1)
    delete.bind(parent.table, at: 2)
    delete.bind(parent.id, at: 3)
    delete.bind(child.table, at: 4)
    delete.bind(child.id, at: 5)
    try delete.run()
  }

  /// Fills the index anew where something else is declared than when it was filled.
  func bring(_ index: RecordIndex) throws(SQLiteError) {
    let known = try statement("SELECT declared FROM meta").first {
      (row) throws(SQLiteError) in row.key(0)
    }
    guard let known, known != Key(index.declared) else { return }
    try transaction(.immediate, synchronous: .full) { () throws(SQLiteError) in
      try execute("DELETE FROM child; DELETE FROM unique_key")
      var last: Int64? = 0
      while let after = last { last = try fill(index, after: after) }
      let update = try statement("UPDATE meta SET declared = ?1")
      update.bind(index.declared, at: 1)
      try update.run()
    }
  }

  /// Indexes some records; one that cannot be read is left out, whoever touches it will say so.
  ///
  /// - Returns: The row of the last one; nil at the end.
  private func fill(_ index: RecordIndex, after: Int64) throws(SQLiteError) -> Int64? {
    let select = try statement(
      """
      SELECT rowid, tenant, tbl, id, feed, state FROM record
      WHERE rowid > ?1 AND deleted IS NULL ORDER BY rowid LIMIT ?2
      """)
    select.bind(after, at: 1)
    select.bind(Self.indexedAtOnce, at: 2)
    var last: Int64?
    var found: [(tenant: String, key: RecordKey, record: StoredRecord)] = []
    try select.forEach { (row) throws(SQLiteError) in
      last = row.int64(0)
      let key = RecordKey(table: row.key(2), id: row.recordID(3))
      guard index.covers(key.table), let state = Self.state(row.bytes(5)) else { return }
      found.append((row.text(1), key, StoredRecord(feed: row.key(4), state: state)))
    }
    for entry in found {
      try saveIndex(index, of: entry.key, entry.record, tenant: entry.tenant)
    }
    return last
  }

  private static func state(_ json: [UInt8]) -> RecordState? {
    do throws(WireError) { return try RecordMessage(json: json).state } catch { return nil }
  }
}

extension Row {
  /// A column as a record's id; of any other count of bytes the id that no record has.
  func recordID(_ column: Int) -> RecordID {
    pair(column).map { RecordID(high: $0.high, low: $0.low) } ?? .zero
  }
}
