import CommuteCore
import CommuteSQLite

/// Where a look through the memories of stamps has come.
struct RestampPlace {
  var tenant = ""
  var table = ""
  var record: [UInt8] = []
  var field = ""
  var claimed = ""
  /// Whether its replica is away.
  var goes = false

  /// The memories behind this one.
  func next(
    _ limit: Int, horizon: Int64, on connection: Connection
  ) throws(SQLiteError) -> [RestampPlace] {
    let scan = try connection.statement(
      """
      SELECT r.tenant, r.tbl, r.record, r.field, r.claimed, d.replica IS NOT NULL
      FROM restamp AS r
      LEFT JOIN device AS d ON d.tenant = r.tenant AND d.replica = r.replica
        AND d.retired IS NOT NULL AND d.seen_at < ?1
      WHERE (r.tenant, r.tbl, r.record, r.field, r.claimed) > (?2, ?3, ?4, ?5, ?6)
      ORDER BY r.tenant, r.tbl, r.record, r.field, r.claimed LIMIT ?7
      """)
    scan.bind(horizon, at: 1)
    bind(to: scan, from: 2)
    scan.bind(limit, at: 7)
    return try scan.all { (row) throws(SQLiteError) in
      RestampPlace(
        tenant: row.text(0), table: row.text(1), record: row.bytes(2), field: row.text(3),
        claimed: row.text(4), goes: row.int64(5) == 1)
    }
  }

  /// Forgets this one.
  func delete(on connection: Connection) throws(SQLiteError) {
    let delete = try connection.statement(
      """
      DELETE FROM restamp
      WHERE tenant = ?1 AND tbl = ?2 AND record = ?3 AND field = ?4 AND claimed = ?5
      """)
    bind(to: delete, from: 1)
    try delete.run()
  }

  private func bind(to statement: Statement, from first: Int) {
    statement.bind(tenant, at: first)
    statement.bind(table, at: first + 1)
    statement.bind(record, at: first + 2)
    statement.bind(field, at: first + 3)
    statement.bind(claimed, at: first + 4)
  }
}
