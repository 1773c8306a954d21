import CommuteCore
import CommuteSQLite

/// Opening a file for reading only: no lock is taken, nobody is waited for, nothing is written.
extension StoreOpening {
  /// Opens the file; every write is then answered with `refusal`.
  ///
  /// - Throws: `refusal` where a newer app's file cannot even be read by this one,
  ///   ``StoreError/unprepared(path:reason:)`` where an older one's cannot.
  func openForReading(_ refusal: StoreError) throws(StoreError) -> sending WriterCore {
    try folder.requireDatabase(startsAnew: false)
    guard (PrivateFolder.size(of: folder.database) ?? 0) > 0 else {
      throw .unprepared(path: folder.database, reason: "there is no database yet")
    }
    let connection = try folder.place(options).connectForReading()
    do throws(StoreError) {
      return try connection.transaction(.deferred) { () throws(StoreError) -> WriterCore in
        let columns = try readableColumns(on: connection, refusal)
        let core = try makeCore(on: connection, columns: columns)
        core.refusal = refusal
        do throws(StoreError) {
          try core.loadKnownState()
        } catch {
          // The engine of a newer app may keep its own state in another way.
          guard case .newerSchema = refusal else { throw error }
          throw refusal
        }
        return core
      }
    } catch {
      connection.close(copyingLog: false)
      throw error
    }
  }

  /// The columns of the declared tables; all of them must be there.
  private func readableColumns(
    on connection: Connection, _ refusal: StoreError
  ) throws(StoreError) -> [String: [String]] {
    let found = try speaking { () throws(SQLiteError) in
      try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'c_meta'")
    }
    guard found == .integer(1) else {
      throw .unprepared(path: folder.database, reason: "it was never opened for writing")
    }
    _ = try isOwned(connection)
    let columns = try columns(on: connection)
    for table in tables {
      let known = columns[table.name] ?? []
      for field in table.layout.fields where !known.contains(field.name.text) {
        if case .newerSchema = refusal { throw refusal }
        throw .unprepared(
          path: folder.database, reason: "\(table.name).\(field.name.text) is not there")
      }
    }
    return columns
  }
}
