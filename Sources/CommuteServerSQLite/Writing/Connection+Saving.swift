import CommuteCore
import CommuteSQLite

extension Connection {
  /// Writes a record with its new revision.
  func saveRecord(
    _ key: RecordKey, _ stored: StoredRecord, tenant: String, time: Int64
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO record(tenant, tbl, id, feed, revision, author, deleted, state)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (tenant, tbl, id) DO UPDATE SET
        revision = excluded.revision, author = excluded.author, deleted = excluded.deleted,
        state = excluded.state
      """)
    save.bind(tenant, at: 1)
    save.bind(key.table, at: 2)
    save.bind(key.id, at: 3)
    save.bind(stored.feed, at: 4)
    save.bind(stored.state.revision?.number ?? 0, at: 5)
    save.bind(stored.state.author, at: 6)
    if stored.state.deleted != nil { save.bind(time, at: 7) }
    save.bind(utf8: RecordMessage(key: key, state: stored.state).encodedJSON(), at: 8)
    try save.run()
  }

  /// Remembers an applied operation.
  func saveOperation(
    _ id: OperationID, _ applied: AppliedOperation, tenant: String, time: Int64
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO operation(tenant, id, hash, revision, replica, at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    save.bind(tenant, at: 1)
    save.bind(id, at: 2)
    save.bind(applied.digest.bytes, at: 3)
    if let revision = applied.revision { save.bind(revision.number, at: 4) }
    save.bind(applied.replica.rawValue, at: 5)
    save.bind(time, at: 6)
    try save.run()
  }

  /// Remembers how a stamp from the future was settled.
  func saveRestamp(
    _ field: FieldKey, _ memory: Restamp, tenant: String
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO restamp(tenant, tbl, record, field, claimed, settled, replica)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    save.bind(tenant, at: 1)
    save.bind(field.record.table, at: 2)
    save.bind(field.record.id, at: 3)
    save.bind(field.field, at: 4)
    save.bind(memory.claimed.text, at: 5)
    save.bind(memory.settled.text, at: 6)
    save.bind(memory.replica.rawValue, at: 7)
    try save.run()
  }

  /// Writes how far a feed has come.
  func saveHead(_ feed: Key, _ head: FeedHead, tenant: String) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO feed(tenant, feed, revision) VALUES (?1, ?2, ?3)
      ON CONFLICT (tenant, feed) DO UPDATE SET revision = excluded.revision
      """)
    save.bind(tenant, at: 1)
    save.bind(feed, at: 2)
    save.bind(head.head, at: 3)
    try save.run()
  }

  /// Notes the number and nonce of a request that carried operations.
  func saveRequest(
    _ request: LastRequest, of note: DeviceNote
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO device(tenant, replica, owner, name, request, nonce, seen_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (tenant, replica) DO UPDATE SET
        name = excluded.name, request = excluded.request, nonce = excluded.nonce,
        seen_at = max(seen_at, excluded.seen_at)
      """)
    save.bind(note.place.tenant, at: 1)
    save.bind(note.place.replica.rawValue, at: 2)
    save.bind(note.user, at: 3)
    save.bind(note.name, at: 4)
    save.bind(request.number, at: 5)
    save.bind(request.nonce, at: 6)
    save.bind(note.time, at: 7)
    try save.run()
  }
}
