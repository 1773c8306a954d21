import CommuteCore
import CommuteSQLite

/// Records that cannot be applied are kept aside by name, so that everything else goes on.
extension WriterCore {
  /// Whether any record is kept aside.
  var hasQuarantine: Bool {
    get throws(StoreError) { try hasRows("SELECT 1 FROM c_quarantine LIMIT 1") }
  }

  /// Keeps a record aside, with the reason.
  func quarantine(
    _ message: RecordMessage, feed: Key, reason: String
  ) throws(StoreError) {
    let packed = PackedState.pack(message.state, names: &names)
    let wall = options.clock.wall()
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        INSERT OR REPLACE INTO c_quarantine(tbl, id, feed, revision, reason, kept_at, state)
        VALUES (\(message.key.table.text), \(message.key.id), \(feed.text),
          \(message.state.revision?.number.stored), \(reason), \(wall), \(packed))
        """)
    }
    note(engine: "c_quarantine")
  }

  /// Forgets what was kept aside of a record: the record could be applied.
  func releaseQuarantine(_ key: RecordKey) throws(StoreError) {
    let removed = try speaking { () throws(SQLiteError) in
      try connection.run(
        "DELETE FROM c_quarantine WHERE tbl = \(key.table.text) AND id = \(key.id)")
    }
    if removed > 0 { note(engine: "c_quarantine") }
  }

  /// Tries again what was kept aside: the app has changed, and may take now what it could not.
  ///
  /// Records that still cannot be applied stay aside, with the reason of this time.
  func retryQuarantine() throws(StoreError) {
    let keys = try connection.all("SELECT tbl, id FROM c_quarantine ORDER BY tbl, id") {
      (row) throws(StoreError) in
      RecordKey(table: Key(row.text(0)), id: try row.recordID(1))
    }
    for key in keys {
      guard let (message, feed) = try quarantined(key) else { continue }
      do throws(StoreError) {
        if try isNews(message) {
          try absorb(message, feed: feed, in: shapes.shape(named: key.table))
        } else {
          try showAgain(key)
        }
        try releaseQuarantine(key)
      } catch {
        guard error.isAboutOneRecord else { throw error }
        try quarantine(message, feed: feed, reason: error.message)
      }
    }
  }

  /// Whether anything of a record is kept aside.
  func isAside(_ key: RecordKey) throws(StoreError) -> Bool {
    let statement = try kept("SELECT 1 FROM c_quarantine WHERE tbl = ?1 AND id = ?2")
    statement.bind(key.table.text, at: 1)
    statement.bind(high: key.id.high, low: key.id.low, at: 2)
    return try statement.first { (row) throws(StoreError) in true } ?? false
  }

  /// What was kept aside of a record; nil for nothing.
  func quarantined(_ key: RecordKey) throws(StoreError) -> (RecordMessage, Key)? {
    try connection.first(
      "SELECT feed, state FROM c_quarantine WHERE tbl = \(key.table.text) AND id = \(key.id)"
    ) { (row) throws(StoreError) in
      let state = try row.unpacked(1) { (bytes) throws(StoreError) in
        try PackedState.unpack(bytes, names: names)
      }
      return (RecordMessage(key: key, state: state), Key(row.text(0)))
    }
  }

  /// Writes the row of a record whose base was taken over while the row could not be written.
  private func showAgain(_ key: RecordKey) throws(StoreError) {
    guard let shape = shapes.shape(named: key.table) else { return }
    try connection.savepoint { () throws(StoreError) in
      let loaded = try load(key.id, in: shape)
      if loaded.record.isLaidOver { try save(loaded, in: shape) }
    }
  }

  /// Whether the server told the record after what the device holds of it.
  private func isNews(_ message: RecordMessage) throws(StoreError) -> Bool {
    let key = message.key
    let loaded =
      if let shape = shapes.shape(named: key.table) {
        try load(key.id, in: shape)
      } else {
        try loadUnknown(key, feed: Key(""))
      }
    guard let held = loaded.record.base?.revision, let told = message.state.revision else {
      return true
    }
    // What an earlier history told is older than anything of the present one.
    if held.epoch != told.epoch { return told.epoch == state.device.epoch }
    return held.number < told.number
  }

  func hasRows(_ sql: SQL) throws(StoreError) -> Bool {
    try connection.first(sql) { (row) throws(StoreError) in true } ?? false
  }
}

extension StoreError {
  /// Whether the error is about one record, so that others can be applied all the same.
  var isAboutOneRecord: Bool {
    switch self {
    case .constraint, .query, .value, .refused, .declaration, .creationRefused, .taken,
      .derivedID, .recordTooLarge, .tooManyFeeds:
      true
    case .busy, .diskFull, .readOnly, .unreadable, .undecided, .corrupt, .newerSchema, .wrongOwner,
      .closed, .missing, .hostRecord, .syncedElsewhere, .migration, .suspended, .openedForReading,
      .unprepared:
      false
    }
  }
}
