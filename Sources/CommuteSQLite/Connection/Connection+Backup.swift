import CSQLite

/// How far a copy has come.
public struct BackupProgress: Hashable, Sendable {
  /// How many pages are copied.
  public let copied: Int
  /// How many there are.
  public let total: Int
}

extension Connection {
  /// Copies the database, as it is at this moment, over what the other connection has open.
  ///
  /// Writers are not held up. Neither connection may be in a transaction that writes.
  public func backup(to destination: Connection) throws(SQLiteError) {
    try backup(to: destination, pagesPerStep: -1) { (progress) throws(SQLiteError) in }
  }

  /// Copies the database, as it is when the call begins, some pages at a time.
  ///
  /// What others write meanwhile is not in the copy and does not make it begin anew. `progress` is
  /// told after every step; where it throws, nothing was copied.
  public func backup(
    to destination: Connection, pagesPerStep pages: Int32,
    progress: (BackupProgress) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    // A transaction that reads holds the state; without it each step would read a later one.
    guard !isInTransaction, pages > 0 else {
      return try backupSteps(to: destination, pages, progress)
    }
    try begin(.deferred)
    defer { rollback() }
    _ = try prepare("SELECT count(*) FROM sqlite_schema").firstInt64()
    try backupSteps(to: destination, pages, progress)
  }

  private func backupSteps(
    to destination: Connection, _ pages: Int32,
    _ progress: (BackupProgress) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let source = try unsafe database.opened()
    let target = try unsafe destination.database.opened()
    guard let backup = unsafe sqlite3_backup_init(target, "main", source, "main") else {
      let code = unsafe sqlite3_extended_errcode(target)
      throw destination.database.failure(code, whileRunning: false)
    }
    var stepped = SQLITE_OK
    while stepped == SQLITE_OK {
      stepped = unsafe sqlite3_backup_step(backup, pages)
      let total = unsafe Int(sqlite3_backup_pagecount(backup))
      let left = unsafe Int(sqlite3_backup_remaining(backup))
      do throws(SQLiteError) {
        try progress(BackupProgress(copied: total - left, total: total))
      } catch {
        unsafe sqlite3_backup_finish(backup)
        throw error
      }
    }
    let finished = unsafe sqlite3_backup_finish(backup)
    guard stepped != SQLITE_DONE else { return }
    let code = finished == SQLITE_OK ? stepped : finished
    throw destination.database.failure(code, whileRunning: false)
  }

  /// Copies the database, as it is at this moment, into a new file that its owner can read.
  ///
  /// - Throws: ``SQLiteError/cannotOpen(path:reason:)`` where there is a file of this name already;
  ///   after any other error no file is left.
  public func backup(toFile path: String) throws(SQLiteError) {
    try makingFile(path) { () throws(SQLiteError) in
      var configuration = Configuration(.readWrite)
      configuration.journal = .unchanged
      configuration.synchronous = .full
      let copy = try Connection(.file(path), configuration)
      defer { copy.close() }
      try backup(to: copy)
    }
  }

  /// Writes a compact copy of the database into a new file that its owner can read.
  ///
  /// - Throws: ``SQLiteError/cannotOpen(path:reason:)`` where there is a file of this name already;
  ///   after any other error no file is left.
  public func vacuum(into path: String) throws(SQLiteError) {
    try makingFile(path) { () throws(SQLiteError) in
      let statement = try prepare("VACUUM INTO ?1")
      statement.bind(try Location.file(path).fileName(), at: 1)
      try statement.run()
    }
  }

  private func makingFile(
    _ path: String, _ body: () throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let name = try Location.file(path).fileName()
    guard try PrivateFile.createIfMissing(name) else {
      throw .cannotOpen(path: path, reason: "there is a file of this name already")
    }
    do {
      try body()
    } catch {
      PrivateFile.remove(name)
      throw error
    }
  }
}
