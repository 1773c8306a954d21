import CommuteCore
public import CommuteServer
import CommuteSQLite

extension ServerDatabase {
  /// Puts a backup in the place of the database and begins a new history with it.
  ///
  /// Devices that are ahead of the backup notice the new epoch and offer again what they hold
  /// beyond it. What was there before is kept beside it under another name; rights that were taken
  /// away since the backup stay away. A process that is killed in between leaves either the one or
  /// the other whole.
  ///
  /// - Parameters:
  ///   - backup: What ``backup(to:time:)`` made, or the file of a server that does not run.
  ///   - options: What may be lost.
  ///   - time: The wall clock in milliseconds.
  ///   - generator: Where the new ids come from.
  /// - Throws: ``ServerDatabaseError``; the database is as it was.
  /// - Returns: What stands there now.
  @discardableResult
  public func restore(
    from backup: String, options: RestoreOptions = RestoreOptions(),
    time: Int64 = WallClock.milliseconds(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ServerDatabaseError) -> RestoreReport {
    try await Self.onThread("commute-restore") { () throws(ServerDatabaseError) in
      var generator = generator
      let lock = try lockFile()
      defer { lock.release() }
      return try putBack(backup, options: options, time: time, generator: &generator)
    }
  }

  /// Keeps servers away.
  private func lockFile() throws(ServerDatabaseError) -> ServerFileLock {
    do throws(ServerStoreError) {
      return try ServerFileLock(database: path)
    } catch {
      throw FileSystem.exists(path + ".lock")
        ? .served(path: path) : .failed(reason: error.description)
    }
  }

  private func putBack(
    _ backup: String, options: RestoreOptions, time: Int64,
    generator: inout some RandomNumberGenerator
  ) throws(ServerDatabaseError) -> RestoreReport {
    let copy = DatabaseCopy(path + ".restoring")
    copy.remove()
    do throws(ServerDatabaseError) {
      try copy.make(from: backup)
      pass(.copied)
      let earlier = EarlierHistory(path)
      var report = try copy.withConnection { (connection) throws(ServerDatabaseError) in
        let history = NewHistory(
          epoch: Epoch(rawValue: generator.next()), replica: .random(using: &generator),
          time: time)
        let age = try judge(connection, earlier: earlier, options: options, time: time)
        return try history.begin(on: connection, after: earlier, age: age)
      }
      pass(.prepared)
      report.replaced = try replace(by: copy.path, epoch: earlier?.meta.epoch)
      return report
    } catch {
      copy.remove()
      throw error
    }
  }

  /// Refuses a backup that is too old or of another server.
  ///
  /// - Returns: Its age in milliseconds.
  private func judge(
    _ copy: Connection, earlier: EarlierHistory?, options: RestoreOptions, time: Int64
  ) throws(ServerDatabaseError) -> Int64 {
    let (meta, last) = try Self.wrap { () throws(SQLiteError) in
      (try copy.loadMeta(), try copy.lastSign())
    }
    if let earlier, let meta, earlier.meta.server != meta.server {
      throw .otherServer(path: path)
    }
    let age = max(0, time - (meta?.backup ?? last))
    guard age <= options.retention || options.acceptsResurrection else {
      let day: Int64 = 86_400_000
      throw .tooOld(days: age / day, retentionDays: options.retention / day)
    }
    return age
  }

  /// Gives the copy the name of the database.
  ///
  /// - Returns: Where the one that was there went.
  private func replace(
    by copy: String, epoch: Epoch?
  ) throws(ServerDatabaseError) -> String? {
    guard FileSystem.exists(path) else {
      // Side files without their database belong to none.
      FileSystem.remove([path + "-wal", path + "-shm"])
      try FileSystem.rename(copy, to: path)
      try FileSystem.flushFolder(of: path)
      pass(.replaced)
      return nil
    }
    let kept = try nameForKept(epoch: epoch)
    try settle()
    pass(.settled)
    try FileSystem.link(path, to: kept)
    pass(.kept)
    try FileSystem.rename(copy, to: path)
    try FileSystem.flushFolder(of: path)
    pass(.replaced)
    return kept
  }

  /// A name that tells which history it is, and that nothing has yet.
  private func nameForKept(epoch: Epoch?) throws(ServerDatabaseError) -> String {
    let stem = "\(path).replaced-\(epoch?.text ?? "damaged")"
    for count in 1...1_000 {
      let name = count == 1 ? stem : "\(stem)-\(count)"
      if !FileSystem.exists(name) { return name }
    }
    throw .exists(path: stem)
  }

  /// Copies the log into the database that is to go, and takes its side files away: a log must not
  /// be found beside a database that it is not of.
  private func settle() throws(ServerDatabaseError) {
    do throws(SQLiteError) {
      let connection = try Connection(.file(path), Configuration(.readWrite))
      defer { connection.close() }
      guard try !connection.checkpoint(.truncate).isBlocked else { throw .busy(code: 0) }
    } catch {
      switch error {
      case .corrupt, .notADatabase: break  // No log of it can be copied back.
      default: throw ServerDatabaseError(error, of: path)
      }
    }
    FileSystem.remove([path + "-wal", path + "-shm"])
  }
}

extension Connection {
  /// The latest moment that the database knows of, in milliseconds.
  fileprivate func lastSign() throws(SQLiteError) -> Int64 {
    let select = try prepare(
      """
      SELECT max(
        (SELECT began FROM meta), (SELECT (clock >> 16) & 0xFFFFFFFFFFFF FROM meta),
        ifnull((SELECT max(seen_at) FROM device), 0), ifnull((SELECT max(at) FROM operation), 0),
        ifnull((SELECT max(ended) FROM epoch_head), 0))
      """)
    return try select.firstInt64() ?? 0
  }
}
