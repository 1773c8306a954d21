import CommuteSQLite

/// A copy of a server's database in one file of its own, while it is made.
struct DatabaseCopy {
  /// Where it is.
  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Removes it, and what an earlier try left beside it.
  func remove() {
    FileSystem.remove([path, path + "-journal", path + "-wal", path + "-shm"])
  }

  /// Copies a database as it is at this moment, brings it to the schema of this program, and looks
  /// it through for damage.
  func make(from source: String) throws(ServerDatabaseError) {
    do throws(SQLiteError) {
      let connection = try Self.open(source)
      defer { connection.close() }
      try connection.backup(toFile: path)
    } catch {
      throw ServerDatabaseError(error, of: source)
    }
    try withConnection { (copy) throws(ServerDatabaseError) in
      do throws(SQLiteError) {
        if let problem = try copy.integrityCheck().first { throw .corrupt(reason: problem) }
        try ServerSchema.plan.apply(to: copy)
        guard try copy.loadMeta() != nil else {
          throw .corrupt(reason: "it does not say which server it is of")
        }
      } catch {
        throw ServerDatabaseError(error, of: source)
      }
    }
  }

  /// Opens a database to be read, after a look at whether it is one of a server.
  static func open(_ path: String) throws(SQLiteError) -> Connection {
    var configuration = Configuration(.readOnly)
    configuration.journal = .unchanged
    let connection = try Connection(.file(path), configuration)
    do throws(SQLiteError) {
      let kind = try connection.prepare("PRAGMA application_id").firstInt64() ?? 0
      guard kind == ServerSchema.applicationID else {
        throw .cannotOpen(path: path, reason: "it is of something else")
      }
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  /// Runs the body with a connection that leaves one file behind.
  func withConnection<Value>(
    _ body: (Connection) throws(ServerDatabaseError) -> Value
  ) throws(ServerDatabaseError) -> Value {
    var configuration = Configuration(.readWrite)
    configuration.journal = .rollback
    configuration.synchronous = .full
    let connection: Connection
    do throws(SQLiteError) {
      connection = try Connection(.file(path), configuration)
    } catch {
      throw ServerDatabaseError(error, of: path)
    }
    defer { connection.close() }
    return try body(connection)
  }
}
