public import CommuteCore
import CommuteSQLite

/// The database file of one account, looked at from outside.
public struct AccountFile: Hashable, Sendable {
  /// Whose data it holds, as it is stamped inside.
  public var account: Account
  /// The folder to open the store in.
  public var directory: String
  /// What the server has not settled.
  public var unsettled: UnsettledWork
  /// When the last round succeeded, in milliseconds since 1970; nil for never.
  public var lastSuccess: Int64?
  /// Whether it has ever heard of a server.
  public var hasHeardServer: Bool

  /// Whether the file was used without a sign-in and can go to whoever signs in first.
  public var isUnowned: Bool { account == .local && !hasHeardServer }
}

extension AccountFile {
  /// Reads what a file says about itself; nil where there is no file, or none that was begun.
  static func read(
    in directory: String, key: (@Sendable () throws -> StoreKey)? = nil
  ) throws(StoreError) -> AccountFile? {
    let path = "\(directory)/\(StoreFolder.databaseName)"
    guard (PrivateFolder.size(of: path) ?? 0) > 0 else { return nil }
    let connection = try DatabasePlace(location: .file(path), key: key).connectForReading()
    defer { connection.close() }
    return try read(in: directory, on: connection)
  }

  /// Reads what a file says about itself on a connection to it.
  static func read(
    in directory: String, on connection: Connection
  ) throws(StoreError) -> AccountFile? {
    let isBegun = try speaking { () throws(SQLiteError) in
      try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'c_meta'") != .null
    }
    guard isBegun else { return nil }
    return try connection.first(
      """
      SELECT owner, synced_at, epoch IS NOT NULL, (SELECT count(*) FROM c_outbox),
        (SELECT count(*) FROM c_inbox), (SELECT count(*) FROM c_offer)
      FROM c_meta
      """
    ) { (row) throws(StoreError) in
      guard let account = Account(owner: row.text(0)) else {
        throw .corrupt(reason: "c_meta.owner is not tenant/user")
      }
      return AccountFile(
        account: account, directory: directory,
        unsettled: UnsettledWork(
          waiting: Int(row.int64(3)), refused: Int(row.int64(4)), offers: Int(row.int64(5))),
        lastSuccess: row.isNull(1) ? nil : row.int64(1), hasHeardServer: row.int64(2) != 0)
    }
  }
}
