import CommuteCore
import CommuteServer
import CommuteSQLite

/// Goes on with deletions: does to the children of deleted records what their references say.
///
/// Each child is loaded, treated and written by itself, so that a parent may have any number.
struct DeletionFollower: ~Copyable {
  let connection: Connection
  let index: RecordIndex
  /// How many bytes of records are read within one run.
  let bytes: Int

  /// Treats some children.
  ///
  /// - Parameters:
  ///   - tenant: Whose; nil for everybody's.
  ///   - meta: Who the server is.
  /// - Throws: What SQLite says.
  /// - Returns: Whether deletions are still open.
  func run(tenant: String?, meta: ServerMeta) throws(StoreFailure) -> Bool {
    var left = (children: Settlement.childLimit, bytes: bytes)
    while let open = try next(of: tenant) {
      guard left.children > 0, left.bytes > 0 else { return true }
      let children = try children(of: open, atMost: min(left.children, 100))
      if children.isEmpty { try close(open) }
      for child in children where left.bytes > 0 {
        left.bytes -= try treat(child, of: open, meta: meta)
        left.children -= 1
      }
    }
    return false
  }

  private func next(of tenant: String?) throws(StoreFailure) -> StoredDeletion? {
    try StoreFailure.wrap { () throws(SQLiteError) in try connection.nextOpen(of: tenant) }
  }

  private func close(_ open: StoredDeletion) throws(StoreFailure) {
    try StoreFailure.wrap { () throws(SQLiteError) in try connection.close(open) }
  }

  /// The children that are left; none where the parent lives again.
  private func children(
    of open: StoredDeletion, atMost limit: Int
  ) throws(StoreFailure) -> [RecordKey] {
    try StoreFailure.wrap { () throws(SQLiteError) in
      let parent = open.deletion.parent
      if try connection.isDeleted(parent, tenant: open.tenant) == false { return [] }
      return try connection.children(of: parent, tenant: open.tenant, limit: limit)
    }
  }

  /// Treats one child.
  ///
  /// - Throws: What SQLite says; a child that cannot be read is left as it is.
  /// - Returns: How many bytes it took.
  private func treat(
    _ child: RecordKey, of open: StoredDeletion, meta: ServerMeta
  ) throws(StoreFailure) -> Int {
    let loaded: (record: StoredRecord, bytes: Int)?
    do throws(StoreFailure) {
      loaded = try connection.loadRecord(child, tenant: open.tenant)
    } catch .unreadable {
      loaded = nil
    }
    return try StoreFailure.wrap { () throws(SQLiteError) in
      if let loaded { try follow(child, loaded.record, of: open, meta: meta) }
      try connection.forget(child, of: open.deletion.parent, tenant: open.tenant)
      return loaded?.bytes ?? 0
    }
  }

  private func follow(
    _ child: RecordKey, _ record: StoredRecord, of open: StoredDeletion, meta: ServerMeta
  ) throws(SQLiteError) {
    var state = ServerState(
      epoch: meta.epoch, clock: HybridClock(replica: meta.replica, last: meta.clock))
    state.isWhole = false
    state.records[child] = record
    state.gone = [open.deletion.parent]
    state.heads[record.feed] = FeedHead(
      head: try connection.head(of: record.feed, tenant: open.tenant))
    var outcome = Settlement.Outcome()
    index.settlement.follow(
      child, in: &state, outcome: &outcome, author: open.deletion.author)
    for key in outcome.changedRecords {
      guard let stored = state.records[key] else { continue }
      try connection.saveRecord(key, stored, tenant: open.tenant, time: open.time)
      try connection.saveIndex(index, of: key, stored, tenant: open.tenant)
    }
    for feed in outcome.raisedFeeds {
      guard let head = state.heads[feed] else { continue }
      try connection.saveHead(feed, head, tenant: open.tenant)
    }
    for deletion in outcome.openDeletions {
      try connection.saveOpen(deletion, tenant: open.tenant, time: open.time)
    }
  }
}

/// A deletion that is open, as it is stored.
struct StoredDeletion {
  /// Its row.
  var position: Int64
  /// Whose.
  var tenant: String
  /// What is deleted, and by whom.
  var deletion: OpenDeletion
  /// When it was settled, in milliseconds.
  var time: Int64
}

extension Connection {
  /// Notes that the children of a deleted record are to be looked for.
  func saveOpen(
    _ deletion: OpenDeletion, tenant: String, time: Int64
  ) throws(SQLiteError) {
    let insert = try statement(
      """
      INSERT INTO open_deletion(tenant, position, tbl, id, author, at)
      SELECT ?1, ifnull(max(position), 0) + 1, ?2, ?3, ?4, ?5 FROM open_deletion WHERE tenant = ?1
      """)
    insert.bind(tenant, at: 1)
    insert.bind(deletion.parent.table, at: 2)
    insert.bind(deletion.parent.id, at: 3)
    insert.bind(deletion.author, at: 4)
    insert.bind(time, at: 5)
    try insert.run()
  }

  /// Whether any deletion is open.
  func hasOpenDeletions() throws(SQLiteError) -> Bool {
    try statement("SELECT EXISTS (SELECT 1 FROM open_deletion)").firstInt64() == 1
  }

  /// The oldest deletion that is open.
  fileprivate func nextOpen(of tenant: String?) throws(SQLiteError) -> StoredDeletion? {
    let select: Statement
    if let tenant {
      select = try statement(
        """
        SELECT position, tenant, tbl, id, author, at FROM open_deletion
        WHERE tenant = ?1 ORDER BY position LIMIT 1
        """)
      select.bind(tenant, at: 1)
    } else {
      select = try statement(
        """
        SELECT position, tenant, tbl, id, author, at FROM open_deletion
        ORDER BY tenant, position LIMIT 1
        """)
    }
    return try select.first { (row) throws(SQLiteError) in
      StoredDeletion(
        position: row.int64(0), tenant: row.text(1),
        deletion: OpenDeletion(
          parent: RecordKey(table: row.key(2), id: row.recordID(3)), author: row.text(4)),
        time: row.int64(5))
    }
  }

  fileprivate func close(_ open: StoredDeletion) throws(SQLiteError) {
    let delete = try statement("DELETE FROM open_deletion WHERE tenant = ?1 AND position = ?2")
    delete.bind(open.tenant, at: 1)
    delete.bind(open.position, at: 2)
    try delete.run()
  }

  /// The number of a feed's latest change.
  fileprivate func head(of feed: Key, tenant: String) throws(SQLiteError) -> UInt64 {
    let select = try statement("SELECT revision FROM feed WHERE tenant = ?1 AND feed = ?2")
    select.bind(tenant, at: 1)
    select.bind(feed, at: 2)
    return try select.first { (row) throws(SQLiteError) in row.uint64(0) } ?? 0
  }
}
