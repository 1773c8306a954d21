import CommuteCore
import CommuteServer
import CommuteSQLite

extension Connection {
  /// Loads the head of a feed as one user may use it.
  func loadHead(
    _ feed: Key, of account: Account, rules: ServerRules
  ) throws(SQLiteError) -> FeedHead {
    let select = try statement(
      """
      SELECT f.revision, f.fence, g.number, g.access, g.reason FROM (SELECT 1)
      LEFT JOIN feed AS f ON f.tenant = ?1 AND f.feed = ?2
      LEFT JOIN "grant" AS g ON g.tenant = ?1 AND g.owner = ?3 AND g.feed = ?2
      """)
    select.bind(account.tenant, at: 1)
    select.bind(feed, at: 2)
    select.bind(account.user, at: 3)
    let head = try select.first { (row) throws(SQLiteError) in
      let named = row.isNull(2) ? nil : FeedRight(row: row, from: 2)
      return FeedHead(
        head: row.uint64(0), fence: row.uint64(1),
        right: named ?? rules.right(of: account, to: feed))
    }
    return head ?? FeedHead(head: 0, fence: 0, right: rules.right(of: account, to: feed))
  }

  /// Loads the right that was given or taken away by name.
  func loadRight(_ feed: Key, of account: Account) throws(SQLiteError) -> FeedRight? {
    let select = try statement(
      """
      SELECT number, access, reason FROM "grant"
      WHERE tenant = ?1 AND owner = ?2 AND feed = ?3
      """)
    select.bind(account.tenant, at: 1)
    select.bind(account.user, at: 2)
    select.bind(feed, at: 3)
    return try select.first { (row) throws(SQLiteError) in FeedRight(row: row, from: 0) }
  }

  /// Writes a right.
  func saveRight(
    _ right: FeedRight, of account: Account, to feed: Key
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO "grant"(tenant, owner, feed, number, access, reason)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (tenant, owner, feed) DO UPDATE SET
        number = excluded.number, access = excluded.access, reason = excluded.reason
      """)
    save.bind(account.tenant, at: 1)
    save.bind(account.user, at: 2)
    save.bind(feed, at: 3)
    save.bind(right.number, at: 4)
    switch right.access {
    case .write: save.bind("write", at: 5)
    case .read: save.bind("read", at: 5)
    case .none(let reason):
      save.bind("none", at: 5)
      save.bind(reason, at: 6)
    }
    try save.run()
  }
}

extension FeedRight {
  /// Reads number, access and reason; a word that nobody knows gives no right.
  fileprivate init(row: borrowing Row, from column: Int) {
    let access: FeedAccess =
      switch row.text(column + 1) {
      case "write": .write
      case "read": .read
      default: .none(reason: row.isNull(column + 2) ? "it was taken away" : row.text(column + 2))
      }
    self.init(access, number: row.uint64(column))
  }
}
