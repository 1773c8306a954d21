public import CommuteCore
public import CommuteServer
import CommuteSQLite

extension ServerDatabase {
  /// Gives a user a right to a feed by name, or takes it away, beside whoever serves the file.
  ///
  /// - Parameters:
  ///   - access: What the user may do from the next request on.
  ///   - account: The tenant and the user.
  ///   - feed: The feed.
  ///   - rules: What is in force where nothing was named before.
  /// - Throws: ``ServerDatabaseError``; the right is as it was.
  /// - Returns: The right with the number of its grant.
  @discardableResult
  public func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key, rules: ServerRules = ServerRules()
  ) async throws(ServerDatabaseError) -> FeedRight {
    try await Self.onThread("commute-grant") { () throws(ServerDatabaseError) in
      try writing { (connection, lock) throws(SQLiteError) in
        try lock.holding { () throws(SQLiteError) in
          try connection.transaction(.immediate) { () throws(SQLiteError) in
            let named = try connection.loadRight(feed, of: account)
            let right = FeedRight(
              access, after: named ?? rules.right(of: account, to: feed))
            try connection.saveRight(right, of: account, to: feed)
            return right
          }
        }
      }
    }
  }
}
