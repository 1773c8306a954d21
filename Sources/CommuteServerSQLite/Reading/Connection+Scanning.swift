import CommuteCore
import CommuteServer
import CommuteSQLite

extension Connection {
  /// Shows a page the records of a span; their JSON is copied as it is stored, not read.
  func scan(
    _ span: AnswerPages.Span, tenant: String, into page: inout FeedPage
  ) throws(SQLiteError) {
    let select = try statement(
      """
      SELECT revision, tbl, id, state FROM record
      WHERE tenant = ?1 AND feed = ?2 AND revision > ?3 AND revision <= ?4 ORDER BY revision
      """)
    select.bind(tenant, at: 1)
    select.bind(span.feed, at: 2)
    select.bind(span.after, at: 3)
    select.bind(span.through, at: 4)
    defer { select.reset() }
    while try select.step() {
      let revision = UInt64(bitPattern: select.int64(0))
      let bytes = select.withBytes(3) { $0.count }
      switch page.decide(revision: revision, bytes: bytes) {
      case .pass: continue
      case .stop: return
      case .take:
        let id = select.pair(2).map { RecordID(high: $0.high, low: $0.low) } ?? .zero
        page.add(
          RecordMessage(
            key: RecordKey(table: Key(select.text(1)), id: id), state: RecordState(),
            encoded: select.bytes(3)),
          revision: revision)
      }
    }
  }

  /// The name of a device; nil for one that never sent operations or was seen.
  func loadDeviceName(_ replica: ReplicaID, tenant: String) throws(SQLiteError) -> String? {
    let select = try statement("SELECT name FROM device WHERE tenant = ?1 AND replica = ?2")
    select.bind(tenant, at: 1)
    select.bind(replica.rawValue, at: 2)
    return try select.first { (row) throws(SQLiteError) in row.text(0) }
  }

  /// The earlier epochs of the server's history, the oldest first.
  func loadAncestry(tenant: String) throws(SQLiteError) -> [SyncAnswer.Ancestor] {
    let select = try statement(
      """
      SELECT epoch, ended, feed, head FROM epoch_head
      WHERE tenant = ?1 ORDER BY position, ended, epoch, feed
      """)
    select.bind(tenant, at: 1)
    var ancestry: [SyncAnswer.Ancestor] = []
    try select.forEach { (row) throws(SQLiteError) in
      let epoch = Epoch(rawValue: row.uint64(0))
      if ancestry.last?.epoch != epoch {
        ancestry.append(
          SyncAnswer.Ancestor(epoch: epoch, ended: row.int64(1), heads: FieldMap()))
      }
      ancestry[ancestry.count - 1].heads[row.key(2)] = row.uint64(3)
    }
    return ancestry
  }
}
