import CommuteCore
import CommuteSQLite

/// A purge under way, a transaction after the other.
struct Purging {
  /// What is looked through, in this order.
  private enum Part: CaseIterable {
    case replicas, operations, restamps, tombstones, removals
  }

  /// A feed of a tenant.
  struct Feed {
    var tenant: String
    var name: String
  }

  let connection: Connection
  let options: PurgeOptions
  /// What is older goes: a moment in milliseconds.
  let horizon: Int64
  /// The wall clock in milliseconds.
  let time: Int64
  /// What is done so far.
  private(set) var report = PurgeReport()
  private var parts = Part.allCases[...]
  private var operation: (tenant: String, id: [UInt8]) = ("", [])
  private var claim = RestampPlace()
  private var feeds: ArraySlice<Feed>?
  private var revision: Int64 = 0

  init(connection: Connection, options: PurgeOptions, horizon: Int64, time: Int64) {
    self.connection = connection
    self.options = options
    self.horizon = horizon
    self.time = time
  }

  private var limit: Int { max(1, options.rowsAtOnce) }

  /// Does the next part, in one transaction.
  ///
  /// - Parameter inside: Called before it is committed.
  /// - Throws: What SQLite says; nothing of this part is kept then.
  /// - Returns: Whether everything is done.
  mutating func step(inside: () -> Void) throws(SQLiteError) -> Bool {
    guard let part = parts.first else { return true }
    var next = self
    let isOver = try connection.transaction(.immediate) { () throws(SQLiteError) in
      let isOver =
        switch part {
        case .replicas: try next.retire()
        case .operations: try next.forgetOperations()
        case .restamps: try next.forgetRestamps()
        case .tombstones: try next.purgeTombstones()
        case .removals: try next.pruneSets()
        }
      inside()
      return isOver
    }
    if isOver { next.parts.removeFirst() }
    self = next
    return parts.isEmpty
  }

  // Where `isOver` is false although nothing is left, the next transaction finds nothing.

  private mutating func retire() throws(SQLiteError) -> Bool {
    let found = try connection.statement(
      """
      SELECT tenant, replica FROM device WHERE retired IS NULL AND seen_at < ?1 LIMIT ?2
      """)
    found.bind(horizon, at: 1)
    found.bind(limit, at: 2)
    let replicas = try found.all { (row) throws(SQLiteError) in (row.text(0), row.int64(1)) }
    let mark = try connection.statement(
      "UPDATE device SET retired = ?1 WHERE tenant = ?2 AND replica = ?3")
    let forget = try connection.statement(
      "DELETE FROM device_cursor WHERE tenant = ?1 AND replica = ?2")
    for (tenant, replica) in replicas {
      mark.bind(time, at: 1)
      mark.bind(tenant, at: 2)
      mark.bind(replica, at: 3)
      try mark.run()
      forget.bind(tenant, at: 1)
      forget.bind(replica, at: 2)
      try forget.run()
    }
    report.retired += replicas.count
    return replicas.count < limit
  }

  /// Looks through the operations for those of replicas that are away.
  private mutating func forgetOperations() throws(SQLiteError) -> Bool {
    let scan = try connection.statement(
      """
      SELECT o.tenant, o.id, d.replica IS NOT NULL FROM operation AS o
      LEFT JOIN device AS d ON d.tenant = o.tenant AND d.replica = o.replica
        AND d.retired IS NOT NULL AND d.seen_at < ?1
      WHERE (o.tenant, o.id) > (?2, ?3) ORDER BY o.tenant, o.id LIMIT ?4
      """)
    scan.bind(horizon, at: 1)
    scan.bind(operation.tenant, at: 2)
    scan.bind(operation.id, at: 3)
    scan.bind(limit, at: 4)
    let rows = try scan.all { (row) throws(SQLiteError) in
      (tenant: row.text(0), id: row.bytes(1), goes: row.int64(2) == 1)
    }
    let delete = try connection.statement("DELETE FROM operation WHERE tenant = ?1 AND id = ?2")
    for row in rows where row.goes {
      delete.bind(row.tenant, at: 1)
      delete.bind(row.id, at: 2)
      try delete.run()
      report.operations += 1
    }
    if let last = rows.last { operation = (last.tenant, last.id) }
    return rows.count < limit
  }

  private mutating func forgetRestamps() throws(SQLiteError) -> Bool {
    let rows = try claim.next(limit, horizon: horizon, on: connection)
    for row in rows where row.goes {
      try row.delete(on: connection)
      report.restamps += 1
    }
    if let last = rows.last { claim = last }
    return rows.count < limit
  }

  /// Purges tombstones of one feed after the other.
  private mutating func purgeTombstones() throws(SQLiteError) -> Bool {
    if feeds == nil { feeds = try connection.feedsWithTombstones()[...] }
    guard let feed = feeds?.first else {
      feeds = nil
      return true
    }
    let passed = try connection.passed(feed, since: horizon)
    let batch = try connection.tombstones(
      of: feed, after: revision, before: horizon, limit: limit)
    var fence: Int64 = 0
    for tombstone in batch where tombstone.key.isForOnce {
      guard UInt64(bitPattern: tombstone.revision) <= passed else {
        report.waiting += 1
        continue
      }
      try connection.makeStub(tombstone, of: feed)
      report.tombstones += 1
      fence = max(fence, tombstone.revision)
    }
    if fence > 0 { try connection.raiseFence(of: feed, to: fence) }
    if let last = batch.last { revision = last.revision }
    guard batch.count < limit else { return false }
    return leaveFeed()
  }

  /// Goes on to the next feed.
  ///
  /// - Returns: Whether there is none.
  private mutating func leaveFeed() -> Bool {
    feeds?.removeFirst()
    revision = 0
    guard feeds?.isEmpty ?? true else { return false }
    feeds = nil
    return true
  }

  /// Looks through the records of one feed after the other for sets with old removals.
  ///
  /// Whoever has not passed such a record reads the feed anew: it may hold what was removed.
  private mutating func pruneSets() throws(SQLiteError) -> Bool {
    if feeds == nil { feeds = try connection.feedsWithRecords()[...] }
    guard let feed = feeds?.first else {
      feeds = nil
      return true
    }
    let passed = try connection.passed(feed, since: horizon)
    let batch = try connection.records(of: feed, after: revision, through: passed, limit: limit)
    var fence: Int64 = 0
    for record in batch where record.state != nil {
      guard try connection.prune(record, of: feed, before: horizon) else { continue }
      report.pruned += 1
      fence = max(fence, record.revision)
    }
    if fence > 0 { try connection.raiseFence(of: feed, to: fence) }
    if let last = batch.last { revision = last.revision }
    guard batch.count < limit else { return false }
    return leaveFeed()
  }
}
