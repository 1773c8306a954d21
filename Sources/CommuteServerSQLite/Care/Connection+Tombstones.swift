import CommuteCore
import CommuteSQLite

/// A deleted record that may go.
struct Tombstone {
  var table: String
  var id: RecordID
  var revision: Int64

  /// Which record it was.
  var key: RecordKey { RecordKey(table: Key(table), id: id) }
}

extension Connection {
  /// The feeds in which something is deleted.
  func feedsWithTombstones() throws(SQLiteError) -> [Purging.Feed] {
    try statement(
      """
      SELECT tenant, feed FROM feed AS f WHERE EXISTS (
        SELECT 1 FROM record AS r
        WHERE r.tenant = f.tenant AND r.feed = f.feed AND r.deleted IS NOT NULL)
      ORDER BY tenant, feed
      """
    ).all { (row) throws(SQLiteError) in
      Purging.Feed(tenant: row.text(0), name: row.text(1))
    }
  }

  /// Up to which number every device that asked about a feed lately has read it.
  ///
  /// One that reads from the start has read nothing; where nobody asked, nobody is waited for, nor
  /// for a device of a user from whom the feed was taken away.
  func passed(_ feed: Purging.Feed, since horizon: Int64) throws(SQLiteError) -> UInt64 {
    let select = try statement(
      """
      SELECT c.cursor FROM device_cursor AS c
      JOIN device AS d ON d.tenant = c.tenant AND d.replica = c.replica
      LEFT JOIN "grant" AS g ON g.tenant = c.tenant AND g.owner = d.owner AND g.feed = c.feed
      WHERE c.tenant = ?1 AND c.feed = ?2 AND c.at >= ?3 AND g.access IS NOT 'none'
      """)
    select.bind(feed.tenant, at: 1)
    select.bind(feed.name, at: 2)
    select.bind(horizon, at: 3)
    var least = UInt64.max
    try select.forEach { (row) throws(SQLiteError) in
      least = min(least, row.isNull(0) ? 0 : row.uint64(0))
    }
    return least
  }

  /// Deleted records whose latest change was settled before a moment.
  func tombstones(
    of feed: Purging.Feed, after revision: Int64, before horizon: Int64, limit: Int
  ) throws(SQLiteError) -> [Tombstone] {
    let select = try statement(
      """
      SELECT tbl, id, revision FROM record
      WHERE tenant = ?1 AND feed = ?2 AND revision > ?3 AND deleted IS NOT NULL AND deleted < ?4
      ORDER BY revision LIMIT ?5
      """)
    select.bind(feed.tenant, at: 1)
    select.bind(feed.name, at: 2)
    select.bind(revision, at: 3)
    select.bind(horizon, at: 4)
    select.bind(limit, at: 5)
    return try select.all { (row) throws(SQLiteError) in
      let id = row.pair(1).map { RecordID(high: $0.high, low: $0.low) } ?? .zero
      return Tombstone(table: row.text(0), id: id, revision: row.int64(2))
    }
  }

  /// Leaves of a deleted record its id only.
  func makeStub(_ tombstone: Tombstone, of feed: Purging.Feed) throws(SQLiteError) {
    for sql: StaticString in [
      "INSERT INTO stub(tenant, tbl, id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
      "DELETE FROM restamp WHERE tenant = ?1 AND tbl = ?2 AND record = ?3",
      "DELETE FROM record WHERE tenant = ?1 AND tbl = ?2 AND id = ?3",
    ] {
      let change = try statement(sql)
      change.bind(feed.tenant, at: 1)
      change.bind(tombstone.table, at: 2)
      change.bind(tombstone.id, at: 3)
      try change.run()
    }
  }

  /// Notes up to where tombstones are purged.
  func raiseFence(of feed: Purging.Feed, to fence: Int64) throws(SQLiteError) {
    let update = try statement(
      "UPDATE feed SET fence = max(fence, ?3) WHERE tenant = ?1 AND feed = ?2")
    update.bind(feed.tenant, at: 1)
    update.bind(feed.name, at: 2)
    update.bind(fence, at: 3)
    try update.run()
  }
}
