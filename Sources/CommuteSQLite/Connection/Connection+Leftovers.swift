import CSQLite

/// What a commit that failed has left in the write-ahead log.
///
/// SQLite writes a transaction into the log and then syncs it. Where the sync fails the call fails
/// and nobody sees the transaction, but its frames stay. Whoever opens the file next after all
/// connections are gone reads the log up to the last whole commit, and finds what was said not to
/// be there.
extension Connection {
  /// Whether the commit that just failed may lie whole in the log.
  ///
  /// A full disk cut it off, and so did a broken rule; after anything that went wrong below SQLite
  /// nobody knows.
  var mayLieInLog: Bool {
    guard let pointer = unsafe database.pointer else { return false }
    let code = unsafe sqlite3_extended_errcode(pointer) & 0xff
    return code == SQLITE_IOERR || code == SQLITE_NOMEM
  }

  /// Writes a commit that changes nothing over what a failed one has left, durably.
  ///
  /// - Throws: ``SQLiteError/undecided(reason:)`` where that cannot be written either.
  func makeVoid(after error: SQLiteError) throws(SQLiteError) {
    do throws(SQLiteError) {
      // A rollback journal undoes what was not finished, whoever opens next.
      guard try value("PRAGMA journal_mode") == .text("wal") else { return }
      try setSynchronous(.full)
      try execute("BEGIN IMMEDIATE")
      // It writes the header's page also where the number stays.
      try setUserVersion(try userVersion())
      try execute("COMMIT")
    } catch {
      rollback()
      throw .undecided(reason: "\(error)")
    }
  }
}
