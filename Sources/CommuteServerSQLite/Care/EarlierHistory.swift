import CommuteCore
import CommuteSQLite

/// What is taken over from the database that a backup replaces.
struct EarlierHistory {
  /// A user's right to a feed.
  struct Grant {
    var tenant: String
    var owner: String
    var feed: String
    var number: UInt64
    var access: String
    var reason: String?
  }

  /// Up to where an epoch's history is held, in one feed.
  struct Head {
    var tenant: String
    var epoch: Epoch
    var position: Int64
    var feed: String
    var head: UInt64
    var ended: Int64
  }

  /// Who the server was.
  var meta: ServerMeta
  /// The rights it gave.
  var grants: [Grant] = []
  /// The epochs before its own.
  var heads: [Head] = []

  /// Reads it; nil where there is none or it cannot be read, which may be why a backup is wanted.
  init?(_ path: String) {
    guard FileSystem.exists(path) else { return nil }
    do throws(SQLiteError) {
      let connection = try DatabaseCopy.open(path)
      defer { connection.close() }
      guard try ServerSchema.plan.pending(on: connection).isEmpty,
        let meta = try connection.loadMeta()
      else { return nil }
      self.meta = meta
      grants = try Self.grants(on: connection)
      heads = try Self.heads(on: connection)
    } catch {
      return nil
    }
  }

  private static func grants(on connection: Connection) throws(SQLiteError) -> [Grant] {
    try connection.prepare(
      "SELECT tenant, owner, feed, number, access, reason FROM \"grant\""
    ).all { (row) throws(SQLiteError) in
      Grant(
        tenant: row.text(0), owner: row.text(1), feed: row.text(2), number: row.uint64(3),
        access: row.text(4), reason: row.isNull(5) ? nil : row.text(5))
    }
  }

  private static func heads(on connection: Connection) throws(SQLiteError) -> [Head] {
    try connection.prepare(
      "SELECT tenant, epoch, position, feed, head, ended FROM epoch_head ORDER BY position"
    ).all { (row) throws(SQLiteError) in
      Head(
        tenant: row.text(0), epoch: Epoch(rawValue: row.uint64(1)), position: row.int64(2),
        feed: row.text(3), head: row.uint64(4), ended: row.int64(5))
    }
  }
}
