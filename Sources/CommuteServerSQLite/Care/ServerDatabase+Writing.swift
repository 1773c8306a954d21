import CommuteServer
import CommuteSQLite

extension ServerDatabase {
  /// Opens the database to write beside whoever serves it, never to copy its log back.
  ///
  /// The body holds the lock while it writes.
  func writing<Value>(
    _ body: (Connection, CheckpointLock) throws(SQLiteError) -> Value
  ) throws(ServerDatabaseError) -> Value {
    let lock: CheckpointLock
    do throws(ServerStoreError) {
      lock = try CheckpointLock(database: path)
    } catch {
      throw .failed(reason: error.description)
    }
    do throws(SQLiteError) {
      try DatabaseCopy.open(path).close()
      var configuration = Configuration(.readWrite)
      configuration.synchronous = .full
      configuration.checkpointPages = 0
      configuration.busyMilliseconds = 30_000
      let connection = try Connection(.file(path), configuration)
      // The last one to close copies the log back.
      defer { lock.holding { connection.close() } }
      let isOlder = try !ServerSchema.plan.pending(on: connection).isEmpty
      if isOlder {
        _ = try lock.holding { () throws(SQLiteError) in
          try ServerSchema.plan.apply(to: connection)
        }
      }
      return try body(connection, lock)
    } catch {
      throw ServerDatabaseError(error, of: path)
    }
  }
}
