public import CommuteServer
import CommuteSQLite

/// What a backup holds.
public struct BackupReport: Hashable, Sendable {
  /// Where it is.
  public var path: String
  /// Its bytes.
  public var bytes: Int64
  /// The server and the stretch of history it was taken of.
  public var identity: ServerIdentity
  /// How many records it holds that are not deleted.
  public var records: Int64
  /// How many deleted ones it remembers.
  public var tombstones: Int64
}

extension ServerDatabase {
  /// Copies the database, as it is at one moment, into a new file; whoever serves it goes on.
  ///
  /// The copy is checked, marked as a backup, and gets its name only when it is whole. A server
  /// does not open it: ``restore(from:options:time:generator:)`` puts it back.
  ///
  /// - Parameters:
  ///   - backup: Where the copy goes; there must be no file of this name.
  ///   - time: The wall clock in milliseconds.
  /// - Throws: ``ServerDatabaseError``; no file is left then.
  /// - Returns: What the copy holds.
  @discardableResult
  public func backup(
    to backup: String, time: Int64 = WallClock.milliseconds()
  ) async throws(ServerDatabaseError) -> BackupReport {
    try await Self.onThread("commute-backup") { () throws(ServerDatabaseError) in
      try copy(to: backup, time: time)
    }
  }

  private func copy(
    to backup: String, time: Int64
  ) throws(ServerDatabaseError) -> BackupReport {
    guard !FileSystem.exists(backup) else { throw .exists(path: backup) }
    let part = DatabaseCopy(backup + ".part")
    part.remove()
    do throws(ServerDatabaseError) {
      try part.make(from: path)
      let report = try part.withConnection { (copy) throws(ServerDatabaseError) in
        try Self.wrap { () throws(SQLiteError) in try copy.markAsBackup(time: time) }
        return try Self.report(on: copy, path: backup)
      }
      try FileSystem.link(part.path, to: backup)
      part.remove()
      try FileSystem.flushFolder(of: backup)
      var whole = report
      whole.bytes = FileSystem.size(of: backup)
      return whole
    } catch {
      part.remove()
      throw error
    }
  }

  private static func report(
    on copy: Connection, path: String
  ) throws(ServerDatabaseError) -> BackupReport {
    try wrap { () throws(SQLiteError) in
      guard let meta = try copy.loadMeta() else {
        throw .corrupt(reason: "it does not say which server it is of")
      }
      let counts = try copy.prepare(
        "SELECT count(*) - count(deleted), count(deleted) FROM record"
      ).first { (row) throws(SQLiteError) in (row.int64(0), row.int64(1)) }
      return BackupReport(
        path: path, bytes: 0, identity: meta.identity, records: counts?.0 ?? 0,
        tombstones: counts?.1 ?? 0)
    }
  }
}
