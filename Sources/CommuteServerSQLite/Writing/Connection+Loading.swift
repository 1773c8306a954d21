import CommuteCore
import CommuteSQLite

extension Connection {
  /// Loads an applied operation.
  func loadOperation(
    _ id: OperationID, tenant: String, epoch: Epoch
  ) throws(SQLiteError) -> AppliedOperation? {
    let select = try statement(
      "SELECT hash, revision, replica FROM operation WHERE tenant = ?1 AND id = ?2")
    select.bind(tenant, at: 1)
    select.bind(id, at: 2)
    return try select.first { (row) throws(SQLiteError) in
      AppliedOperation(
        digest: SHA256.Digest(row: row, column: 0),
        revision: row.isNull(1) ? nil : Revision(epoch: epoch, number: row.uint64(1)),
        replica: ReplicaID(rawValue: row.uint64(2)))
    }
  }

  /// Loads a record, with the bytes its state takes.
  func loadRecord(
    _ key: RecordKey, tenant: String
  ) throws(StoreFailure) -> (record: StoredRecord, bytes: Int)? {
    let select = try StoreFailure.wrap { () throws(SQLiteError) in
      try statement("SELECT feed, state FROM record WHERE tenant = ?1 AND tbl = ?2 AND id = ?3")
    }
    select.bind(tenant, at: 1)
    select.bind(key.table, at: 2)
    select.bind(key.id, at: 3)
    return try select.first { (row) throws(StoreFailure) in
      let json = row.bytes(1)
      do throws(WireError) {
        let message = try RecordMessage(json: json)
        return (StoredRecord(feed: row.key(0), state: message.state), json.count)
      } catch {
        throw .unreadable(key, error)
      }
    }
  }

  /// Whether a record is deleted; nil where there is none.
  func isDeleted(_ key: RecordKey, tenant: String) throws(SQLiteError) -> Bool? {
    let select = try statement(
      "SELECT deleted IS NOT NULL FROM record WHERE tenant = ?1 AND tbl = ?2 AND id = ?3")
    select.bind(tenant, at: 1)
    select.bind(key.table, at: 2)
    select.bind(key.id, at: 3)
    return try select.first { (row) throws(SQLiteError) in row.int64(0) == 1 }
  }

  /// Loads what is remembered of a record's stamps from the future, by field.
  func loadRestamps(
    _ key: RecordKey, tenant: String
  ) throws(StoreFailure) -> [Key: [Restamp]] {
    let select = try StoreFailure.wrap { () throws(SQLiteError) in
      try statement(
        """
        SELECT field, claimed, settled, replica FROM restamp
        WHERE tenant = ?1 AND tbl = ?2 AND record = ?3 ORDER BY field, claimed
        """)
    }
    select.bind(tenant, at: 1)
    select.bind(key.table, at: 2)
    select.bind(key.id, at: 3)
    var memories: [Key: [Restamp]] = [:]
    try select.forEach { (row) throws(StoreFailure) in
      guard let claimed = Stamp(text: row.text(1)), let settled = Stamp(text: row.text(2)) else {
        throw .unreadable(key, .malformed(.expected(.stamp), at: 0, path: "restamp"))
      }
      let memory = Restamp(
        claimed: claimed, settled: settled, replica: ReplicaID(rawValue: row.uint64(3)))
      memories[row.key(0), default: []].append(memory)
    }
    return memories
  }

  /// Whether the tenant has any stamps from the future, and any stubs: mostly it has neither.
  func loadRarities(
    tenant: String
  ) throws(SQLiteError) -> (hasRestamps: Bool, hasStubs: Bool) {
    let select = try statement(
      """
      SELECT EXISTS (SELECT 1 FROM restamp WHERE tenant = ?1),
        EXISTS (SELECT 1 FROM stub WHERE tenant = ?1)
      """)
    select.bind(tenant, at: 1)
    let found = try select.first { (row) throws(SQLiteError) in
      (row.int64(0) == 1, row.int64(1) == 1)
    }
    return found ?? (true, true)
  }

  /// Whether the memory of a replica's operations was purged.
  func isRetired(_ replica: ReplicaID, tenant: String) throws(SQLiteError) -> Bool {
    let select = try statement(
      """
      SELECT EXISTS (
        SELECT 1 FROM device WHERE tenant = ?1 AND replica = ?2 AND retired IS NOT NULL)
      """)
    select.bind(tenant, at: 1)
    select.bind(replica.rawValue, at: 2)
    return try select.firstInt64() == 1
  }

  /// Whether a replica is registered to another user of the tenant.
  func isForeign(_ replica: ReplicaID, to account: Account) throws(SQLiteError) -> Bool {
    let select = try statement("SELECT owner FROM device WHERE tenant = ?1 AND replica = ?2")
    select.bind(account.tenant, at: 1)
    select.bind(replica.rawValue, at: 2)
    let owner = try select.first { (row) throws(SQLiteError) in row.key(0) }
    return owner.map { $0 != Key(account.user) } ?? false
  }

  /// Whether a record was purged.
  func isStub(_ key: RecordKey, tenant: String) throws(SQLiteError) -> Bool {
    let select = try statement(
      "SELECT EXISTS (SELECT 1 FROM stub WHERE tenant = ?1 AND tbl = ?2 AND id = ?3)")
    select.bind(tenant, at: 1)
    select.bind(key.table, at: 2)
    select.bind(key.id, at: 3)
    return try select.firstInt64() == 1
  }

  /// Loads the last request with operations of a replica.
  ///
  /// A replica of somebody else is taken: whoever comes with its id gets the answer to take a new
  /// one.
  func loadRequest(
    of replica: ReplicaID, tenant: String, user: String
  ) throws(SQLiteError) -> LastRequest? {
    let select = try statement(
      "SELECT owner, request, nonce FROM device WHERE tenant = ?1 AND replica = ?2")
    select.bind(tenant, at: 1)
    select.bind(replica.rawValue, at: 2)
    let found = try select.first { (row) throws(SQLiteError) -> LastRequest? in
      guard row.key(0) == Key(user) else {
        return LastRequest(number: .max, nonce: Nonce(high: 0, low: 0))
      }
      guard let nonce = row.pair(2) else { return nil }
      return LastRequest(
        number: row.uint64(1), nonce: Nonce(high: nonce.high, low: nonce.low))
    }
    return found ?? nil
  }
}

extension SHA256.Digest {
  /// Reads the 32 bytes of a column; a column of another length gives a hash that nothing has.
  fileprivate init(row: borrowing Row, column: Int) {
    let bytes = row.bytes(column)
    var words: [UInt64] = [0, 0, 0, 0]
    for index in 0..<min(32, bytes.count) {
      words[index / 8] = words[index / 8] << 8 | UInt64(bytes[index])
    }
    self.init(first: words[0], second: words[1], third: words[2], fourth: words[3])
  }
}
