import CommuteCore
import CommuteSQLite

/// A record that is looked at for removals from its sets.
struct LookedAtRecord {
  var revision: Int64
  /// Its JSON where it may hold any.
  var state: [UInt8]?
}

extension Connection {
  /// All feeds.
  func feedsWithRecords() throws(SQLiteError) -> [Purging.Feed] {
    try statement("SELECT tenant, feed FROM feed ORDER BY tenant, feed").all {
      (row) throws(SQLiteError) in
      Purging.Feed(tenant: row.text(0), name: row.text(1))
    }
  }

  /// The live records of a feed, in the order of their revisions.
  func records(
    of feed: Purging.Feed, after revision: Int64, through passed: UInt64, limit: Int
  ) throws(SQLiteError) -> [LookedAtRecord] {
    let select = try statement(
      """
      SELECT revision, iif(instr(state, '"gone":{') > 0, state, NULL) FROM record
      WHERE tenant = ?1 AND feed = ?2 AND revision > ?3 AND revision <= ?4 AND deleted IS NULL
      ORDER BY revision LIMIT ?5
      """)
    select.bind(feed.tenant, at: 1)
    select.bind(feed.name, at: 2)
    select.bind(revision, at: 3)
    select.bind(Int64(clamping: passed), at: 4)
    select.bind(limit, at: 5)
    return try select.all { (row) throws(SQLiteError) in
      LookedAtRecord(revision: row.int64(0), state: row.isNull(1) ? nil : row.bytes(1))
    }
  }

  /// Takes old removals out of a record's sets, under the next number of its feed.
  ///
  /// - Throws: What SQLite says.
  /// - Returns: Whether there were any; a record that cannot be read is left as it is.
  func prune(
    _ record: LookedAtRecord, of feed: Purging.Feed, before horizon: Int64
  ) throws(SQLiteError) -> Bool {
    guard let json = record.state, let message = Self.message(json), let meta = try loadMeta()
    else { return false }
    var state = message.state
    guard state.pruneRemovals(before: UInt64(clamping: horizon)) else { return false }
    let number = try nextNumber(of: feed)
    state.revision = Revision(epoch: meta.epoch, number: number)
    try saveRecord(
      message.key, StoredRecord(feed: Key(feed.name), state: state), tenant: feed.tenant, time: 0)
    return true
  }

  private static func message(_ json: [UInt8]) -> RecordMessage? {
    do throws(WireError) { return try RecordMessage(json: json) } catch { return nil }
  }

  private func nextNumber(of feed: Purging.Feed) throws(SQLiteError) -> UInt64 {
    let raise = try statement(
      """
      UPDATE feed SET revision = revision + 1 WHERE tenant = ?1 AND feed = ?2 RETURNING revision
      """)
    raise.bind(feed.tenant, at: 1)
    raise.bind(feed.name, at: 2)
    let number = try raise.first { (row) throws(SQLiteError) in row.uint64(0) }
    return number ?? 0
  }
}
