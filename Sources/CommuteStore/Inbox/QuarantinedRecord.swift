public import CommuteCore
import CommuteSQLite

/// A record that came from the server and could not be applied; it is kept aside by name.
public struct QuarantinedRecord: Hashable, Sendable {
  /// Which record.
  public let key: RecordKey
  /// The feed it came in.
  public let feed: String
  /// Why it could not be applied.
  public let reason: String
  /// Since when it is kept, in milliseconds since 1970.
  public let keptAt: Int64
}

extension Store {
  /// The records that could not be applied, the oldest first.
  public func quarantinedRecords() async throws(StoreError) -> [QuarantinedRecord] {
    try await look { session throws(StoreError) in
      try session.connection.all(
        "SELECT tbl, id, feed, reason, kept_at FROM c_quarantine ORDER BY kept_at, tbl, id"
      ) { (row) throws(StoreError) in
        guard let id = row.pair(1) else { throw Unpacker.damage }
        return QuarantinedRecord(
          key: RecordKey(table: Key(row.text(0)), id: RecordID(high: id.high, low: id.low)),
          feed: row.text(2), reason: row.text(3), keptAt: row.int64(4))
      }
    }
  }
}
