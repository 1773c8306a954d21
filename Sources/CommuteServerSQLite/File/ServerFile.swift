import CommuteServer
import CommuteSQLite

/// A server's database file: how its connections are opened.
struct ServerFile: Sendable {
  /// Where it is.
  let path: String
  /// Called with the writer's connection right after it was opened.
  var whenOpened: (@Sendable (Connection) throws(SQLiteError) -> Void)?

  /// Opens the one connection that writes, and makes the database where there is none.
  func openWriter(
    time: Int64, generator: inout some RandomNumberGenerator
  ) throws(ServerStoreError) -> Connection {
    do throws(SQLiteError) {
      try refuseOthers()
      var configuration = Configuration(.create)
      configuration.synchronous = .full
      // The writer copies the log back itself, after its answers.
      configuration.checkpointPages = 0
      configuration.cacheKibibytes = 16 << 10
      configuration.whenOpened = whenOpened
      let connection = try Connection(.file(path), configuration)
      do throws(SQLiteError) {
        try ServerSchema.plan.apply(to: connection)
        if let meta = try connection.loadMeta() {
          try refuseBackup(meta)
        } else {
          let meta = ServerMeta.new(using: &generator)
          try connection.transaction { () throws(SQLiteError) in
            try connection.insertMeta(meta, time: time)
          }
        }
      } catch {
        connection.close()
        throw error
      }
      return connection
    } catch {
      throw .cannotOpen(reason: error.description)
    }
  }

  /// Opens a connection that reads.
  func openReader() throws(ServerStoreError) -> Connection {
    var configuration = Configuration(.readOnly)
    configuration.journal = .unchanged
    configuration.cacheKibibytes = 4 << 10
    do throws(SQLiteError) {
      return try Connection(.file(path), configuration)
    } catch {
      throw .cannotOpen(reason: error.description)
    }
  }

  /// Refuses a copy: serving it would write the history of the file it was copied from anew.
  private func refuseBackup(_ meta: ServerMeta) throws(SQLiteError) {
    guard meta.backup != nil else { return }
    throw .cannotOpen(
      path: path, reason: "it is a backup; put it back with restore, which begins a new history")
  }

  /// Refuses a database of another kind before anything in it is changed.
  private func refuseOthers() throws(SQLiteError) {
    var configuration = Configuration(.readOnly)
    configuration.journal = .unchanged
    let connection: Connection
    do throws(SQLiteError) {
      connection = try Connection(.file(path), configuration)
    } catch .cannotOpen {
      // There is none, or opening it for writing says why not.
      return
    }
    defer { connection.close() }
    let kind = try connection.prepare("PRAGMA application_id").firstInt64() ?? 0
    let tables = try connection.prepare("SELECT count(*) FROM sqlite_schema").firstInt64() ?? 0
    guard tables == 0 || kind == ServerSchema.applicationID else {
      throw .cannotOpen(path: path, reason: "it is no database of a Commute server; name another")
    }
  }
}
