import CSQLite

extension Connection {
  /// Copies the database, as it is at this moment, over what the other connection has open.
  ///
  /// Writers are not held up. Neither connection may be in a transaction that writes.
  public func backup(to destination: Connection) throws(SQLiteError) {
    let source = try unsafe database.opened()
    let target = try unsafe destination.database.opened()
    guard let backup = unsafe sqlite3_backup_init(target, "main", source, "main") else {
      let code = unsafe sqlite3_extended_errcode(target)
      throw destination.database.failure(code, whileRunning: false)
    }
    let stepped = unsafe sqlite3_backup_step(backup, -1)
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
