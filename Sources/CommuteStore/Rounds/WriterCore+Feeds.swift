import CommuteCore
import CommuteSQLite

/// What an answer says about whole feeds: pages, resets, subscriptions that ended.
extension WriterCore {
  /// Takes the feeds' parts of an answer.
  ///
  /// - Returns: Whether a reset has ended: what was put off because of it may go at once.
  func take(
    _ parts: [SyncAnswer.Feed], wall: Int64, into applied: inout AppliedRound
  ) throws(StoreError) -> Bool {
    var ended: [Key] = []
    for part in parts {
      let wasInside = state.device.feeds[part.feed]?.reset != nil
      switch state.device.turn(to: part) {
      case .read:
        if wasInside { try forgetSeen(part.feed) }
        try absorb(part, into: &applied)
      case .reset(let begins, let ends):
        if begins { try forgetSeen(part.feed) }
        try absorb(part, into: &applied)
        try noteSeen(part)
        if ends { ended.append(part.feed) }
      case .revoked(let reason):
        try revoke(part.feed, reason: reason, wall: wall, into: &applied)
      }
    }
    if !ended.isEmpty { try sweep(ended, wall: wall, into: &applied) }
    return !ended.isEmpty
  }

  /// The resets have ended: what they did not tell is gone.
  private func sweep(
    _ feeds: [Key], wall: Int64, into applied: inout AppliedRound
  ) throws(StoreError) {
    let replica = state.device.replica
    for key in try unseen(in: feeds) {
      let rejections = try change(key) { record in record.sweep(by: replica) }
      try putInbox(rejections, wall: wall)
      applied.rejected += rejections.count
    }
    for feed in feeds {
      try forgetQuarantine(of: feed)
      try forgetSeen(feed)
    }
  }

  /// The feed was taken away: what the device holds of it goes, and what was pending is kept in the
  /// inbox.
  private func revoke(
    _ feed: Key, reason: String, wall: Int64, into applied: inout AppliedRound
  ) throws(StoreError) {
    try forgetSeen(feed)
    for key in try unseen(in: [feed]) {
      let rejections = try change(key) { record in record.revoke(reason: reason) }
      try putInbox(rejections, wall: wall)
      applied.rejected += rejections.count
    }
    state.device.forgetCounts(
      in: shapes.synced.map(\.layout.schema), newReplica: ReplicaID.random(using: &random))
    try forgetQuarantine(of: feed)
    state.revoked[feed] = reason
    applied.revoked[feed] = reason
  }

  /// Changes what the device holds of one record.
  ///
  /// Where its row cannot be written as it should show then, it stays as it is, as it did when the
  /// record was kept aside.
  private func change<Result>(
    _ key: RecordKey, _ body: (inout DeviceRecord) -> Result
  ) throws(StoreError) -> Result {
    var loaded = try load(key)
    let result = body(&loaded.record)
    guard loaded.record != loaded.before else { return result }
    guard let shape = shapes.shape(named: key.table) else {
      try saveUnknown(loaded)
      return result
    }
    do throws(StoreError) {
      try connection.savepoint { () throws(StoreError) in try save(loaded, in: shape) }
    } catch {
      guard error.isAboutOneRecord else { throw error }
      try saveOutbox(of: loaded)
    }
    return result
  }

  // MARK: - What a reset has told

  /// The records of feeds of which the device holds anything and no reset has told.
  private func unseen(in feeds: [Key]) throws(StoreError) -> [RecordKey] {
    let names = TextList.json(of: feeds.map(\.text))
    let chosen: SQL = "feed IN (SELECT value FROM json_each(\(names)))"
    var held: SQL = "SELECT tbl, id, feed FROM c_outbox WHERE \(chosen)"
    for table in ["c_offer", "c_tombstone", "c_unknown"] {
      held += " UNION SELECT tbl, id, feed FROM \(name: table) WHERE \(chosen)"
    }
    for shape in shapes.synced {
      held +=
        " UNION SELECT \(shape.key.text), id, feed FROM \(name: shape.name) WHERE \(chosen)"
    }
    return try connection.all("\(held) EXCEPT SELECT tbl, id, feed FROM c_seen") {
      (row) throws(StoreError) in RecordKey(table: Key(row.text(0)), id: try row.recordID(1))
    }
  }

  /// Keeps that a reset has told the records of a page, those that could not be applied, too.
  private func noteSeen(_ part: SyncAnswer.Feed) throws(StoreError) {
    let keys = part.records.lazy.map(\.key)
    for key in Array(keys) + part.plain.records.indices.map(part.plain.key) {
      let statement = try kept(
        "INSERT OR IGNORE INTO c_seen(feed, tbl, id) VALUES (?1, ?2, ?3)")
      statement.bind(part.feed.text, at: 1)
      statement.bind(key.table.text, at: 2)
      statement.bind(high: key.id.high, low: key.id.low, at: 3)
      try run(statement)
    }
  }

  private func forgetSeen(_ feed: Key) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      _ = try connection.run("DELETE FROM c_seen WHERE feed = \(feed.text)")
    }
  }

  /// Forgets what was kept aside of a feed's records that are gone.
  private func forgetQuarantine(of feed: Key) throws(StoreError) {
    let removed = try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        DELETE FROM c_quarantine WHERE feed = \(feed.text) AND NOT EXISTS (
          SELECT 1 FROM c_seen WHERE c_seen.feed = c_quarantine.feed
            AND c_seen.tbl = c_quarantine.tbl AND c_seen.id = c_quarantine.id)
        """)
    }
    if removed > 0 { note(engine: "c_quarantine") }
  }
}
