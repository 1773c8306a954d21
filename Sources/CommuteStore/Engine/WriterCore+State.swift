import CommuteCore
import CommuteSQLite

/// Loading and saving what the file knows beside the records.
extension WriterCore {
  /// Reads the file's state, in a transaction.
  ///
  /// - Throws: ``StoreError/newerSchema(found:known:)`` where a newer app was here meanwhile.
  func loadState() throws(StoreError) {
    try names.load(from: connection)
    let found = try FileState.load(from: connection, names: names)
    guard refusal != nil || found.meta.schemaVersion <= schema.version else {
      throw .newerSchema(
        found: "schema \(found.meta.schemaVersion)", known: "schema \(schema.version)")
    }
    state = found
    saved = state
    loadPreferences()
    try speaking { () throws(SQLiteError) in
      hasTombstones = try connection.value("SELECT 1 FROM c_tombstone LIMIT 1") != .null
      hasOffers = try connection.value("SELECT 1 FROM c_offer LIMIT 1") != .null
      pending = RecordPlaces()
      let places = try connection.statement(
        "SELECT id, position FROM c_outbox UNION ALL SELECT id, 0 FROM c_offer")
      try places.forEach { (row) throws(SQLiteError) in
        if let pair = row.pair(0) {
          pending.insert(RecordID(high: pair.high, low: pair.low), at: row.int64(1))
        }
      }
    }
  }

  /// Writes what differs from the file; part of every commit.
  func saveState() throws(StoreError) {
    try saveFeeds()
    let clock = state.device.clock
    guard isMetaChanged else {
      try saveReplicas()
      if clock.last > max(state.clockInMeta, state.clockInOutbox) { try saveClock() }
      return
    }
    let replica = names.number(of: clock.replica)
    let epoch = state.device.epoch.map { names.number(of: $0) }
    try saveReplicas()
    try saveMeta(replica: replica, epoch: epoch)
    state.clockInMeta = clock.last
  }

  /// Whether more than the clock differs from the file's one row.
  private var isMetaChanged: Bool {
    let clock = state.device.clock
    let before = saved.device.clock
    return state.meta != saved.meta || state.device.epoch != saved.device.epoch
      || state.device.number != saved.device.number || state.device.nonce != saved.device.nonce
      || clock.replica != before.replica || clock.measuredOffset != before.measuredOffset
      || names.epochs.count != names.savedEpochs
  }

  private func saveClock() throws(StoreError) {
    let statement = try kept("UPDATE c_meta SET clock = ?1")
    statement.bind(state.device.clock.last.stored, at: 1)
    try run(statement)
    state.clockInMeta = state.device.clock.last
  }

  private func saveReplicas() throws(StoreError) {
    guard names.replicas.count > names.savedReplicas else { return }
    try speaking { () throws(SQLiteError) in
      for number in names.savedReplicas..<names.replicas.count {
        let replica = names.replicas[number]
        try connection.run(
          """
          INSERT OR IGNORE INTO c_replica(number, replica, name, own)
          VALUES (\(number), \(replica.text), '', \(place(ofOwn: replica)))
          """)
      }
    }
  }

  /// The place of a replica among this file's own, the first is 1; 0 for another's.
  private func place(ofOwn replica: ReplicaID) -> Int {
    let own = state.device.earlierReplicas + [state.device.replica]
    return (own.firstIndex(of: replica) ?? -1) + 1
  }

  private func saveFeeds() throws(StoreError) {
    guard state.device.feeds != saved.device.feeds else { return }
    try speaking { () throws(SQLiteError) in
      for entry in state.device.feeds.entries where saved.device.feeds[entry.name] != entry.value {
        let feed = entry.value
        try connection.run(
          """
          INSERT INTO c_feed(feed, cursor, fence, subscribed, granted, reset_fence)
          VALUES (\(entry.name.text), \(feed.cursor?.stored), \(feed.fence.stored), 1,
            \(feed.grant?.stored), \(feed.reset?.stored))
          ON CONFLICT (feed) DO UPDATE SET cursor = excluded.cursor, fence = excluded.fence,
            subscribed = 1, granted = excluded.granted, reset_fence = excluded.reset_fence,
            revoked = NULL
          """)
        state.revoked[entry.name] = nil
      }
      for entry in saved.device.feeds.entries where state.device.feeds[entry.name] == nil {
        try connection.run(
          """
          UPDATE c_feed SET subscribed = 0, cursor = NULL, fence = 0, granted = NULL,
            reset_fence = NULL, revoked = \(state.revoked[entry.name] ?? "")
          WHERE feed = \(entry.name.text)
          """)
      }
    }
    note(engine: "c_feed")
  }

  private func saveMeta(replica: Int, epoch: Int?) throws(StoreError) {
    let device = state.device
    let meta = state.meta
    let epochs = names.epochs.flatMap { $0.rawValue.bytes }
    let retry = meta.retry
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        UPDATE c_meta SET owner = \(device.account.owner), replica = \(replica),
          epoch = \(epoch), epochs = \(epochs), clock = \(device.clock.last.stored),
          clock_offset = \(device.clock.measuredOffset), number = \(device.number.stored),
          nonce = \(device.nonce?.bytes), schema_name = \(meta.schemaName),
          schema_version = \(meta.schemaVersion.stored), schema_text = \(meta.schemaText),
          boot = \(meta.boot), clean_end = \(meta.cleanEnd), retry_at = \(retry?.due),
          retry_boot = \(retry?.boot), retry_clock = \(retry?.monotonic),
          retry_remaining = \(retry?.remaining), retry_failures = \(Int(meta.retryFailures)),
          retry_failure = \(retry?.failure.stored), synced_at = \(meta.syncedAt),
          device = \(meta.device), server = \(meta.server), notes = \(meta.packedNotes),
          batch = \(meta.batch)
        """)
    }
    note(engine: "c_meta")
  }
}

extension FileState {
  /// Reads the state of the file.
  static func load(
    from connection: Connection, names: NumberedNames
  ) throws(StoreError) -> FileState {
    let loaded = try connection.first(
      """
      SELECT owner, replica, epoch, clock, clock_offset, number, nonce,
        (SELECT clock FROM c_outbox ORDER BY position DESC LIMIT 1),
        (SELECT max(position) FROM c_outbox)
      FROM c_meta
      """
    ) { (row) throws(StoreError) in
      try FileState(row, names: names, meta: try FileMeta.load(from: connection))
    }
    guard var state = loaded else { throw .corrupt(reason: "c_meta is empty") }
    let own = try connection.all(
      "SELECT number, own FROM c_replica WHERE own > 0 ORDER BY own"
    ) { (row) throws(StoreError) in try names.replica(Int(row.int64(0))) }
    state.device.earlierReplicas = own.filter { $0 != state.device.replica }
    try speaking { () throws(SQLiteError) in
      let feeds = try connection.statement(
        "SELECT feed, cursor, granted, fence, reset_fence FROM c_feed WHERE subscribed = 1")
      try feeds.forEach { (row) throws(SQLiteError) in
        state.device.feeds[Key(row.text(0))] = FeedState(
          cursor: row.number(1), grant: row.number(2), fence: UInt64(stored: row.int64(3)),
          reset: row.number(4))
      }
      let revoked = try connection.statement(
        "SELECT feed, coalesce(revoked, '') FROM c_feed WHERE subscribed = 0")
      try revoked.forEach { (row) throws(SQLiteError) in
        state.revoked[Key(row.text(0))] = row.text(1)
      }
    }
    return state
  }

  private init(
    _ row: borrowing Row, names: NumberedNames, meta: FileMeta
  ) throws(StoreError) {
    guard let account = Account(owner: row.text(0)) else {
      throw .corrupt(reason: "c_meta.owner is not tenant/user")
    }
    let replica = try names.replica(Int(row.int64(1)))
    clockInMeta = UInt64(stored: row.int64(3))
    let last = max(clockInMeta, UInt64(stored: row.int64(7)))
    let clock = HybridClock(
      replica: replica, last: last, offset: row.isNull(4) ? nil : row.int64(4))
    device = Device(account: account, clock: clock, number: UInt64(stored: row.int64(5)))
    if !row.isNull(2) { device.epoch = try names.epoch(Int(row.int64(2))) }
    if let pair = row.pair(6) { device.nonce = Nonce(high: pair.high, low: pair.low) }
    nextPosition = row.int64(8) + 1
    self.meta = meta
  }
}

extension FileMeta {
  /// Reads the part of the row that is not the device's.
  static func load(from connection: Connection) throws(StoreError) -> FileMeta {
    let loaded = try connection.first(
      """
      SELECT schema_name, schema_version, schema_text, boot, clean_end, synced_at, device, server,
        notes, retry_failures, retry_failure, retry_at, retry_clock, retry_boot, retry_remaining,
        batch
      FROM c_meta
      """
    ) { (row) throws(StoreError) in
      var meta = FileMeta(
        schemaName: row.text(0), schemaVersion: UInt64(stored: row.int64(1)),
        schemaText: row.text(2), boot: row.text(3), device: row.text(6))
      meta.cleanEnd = row.int64(4) != 0
      meta.syncedAt = row.isNull(5) ? nil : row.int64(5)
      meta.server = row.isNull(7) ? nil : row.text(7)
      if !row.isNull(8) { meta.notes = try Self.notes(row.bytes(8)) }
      meta.retryFailures = UInt32(clamping: row.int64(9))
      meta.batch = row.isNull(15) ? nil : row.int64(15)
      if !row.isNull(10), let failure = RoundFailure(stored: row.text(10)) {
        meta.retry = StoredRetry(
          failure: failure, due: row.int64(11), monotonic: row.int64(12), boot: row.text(13),
          remaining: row.int64(14))
      }
      return meta
    }
    guard let loaded else { throw .corrupt(reason: "c_meta is empty") }
    return loaded
  }

  private static func notes(_ bytes: [UInt8]) throws(StoreError) -> FieldMap<String> {
    try bytes.lending { (bytes) throws(StoreError) in
      var reader = Unpacker(bytes)
      var notes = FieldMap<String>()
      while !reader.isAtEnd {
        let name = Key(try reader.text())
        notes[name] = try reader.text()
      }
      return notes
    }
  }

  /// The notes as the column holds them; nil for none.
  var packedNotes: [UInt8]? {
    guard !notes.isEmpty else { return nil }
    var packer = Packer()
    for entry in notes.entries {
      packer.put(entry.name.text)
      packer.put(entry.value)
    }
    return packer.bytes
  }
}
