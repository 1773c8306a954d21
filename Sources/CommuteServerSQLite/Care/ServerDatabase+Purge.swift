public import CommuteServer
import CommuteSQLite
import Foundation

extension ServerDatabase {
  /// Forgets what is older than the retention time and known to every device seen within it.
  ///
  /// A deleted record leaves a stub, its id, for good; a device that comes back later than that
  /// reads the feed anew. Replicas unseen for the retention time are retired, and the memory of
  /// their operations goes. Everything is done in short transactions, beside whoever serves the
  /// file; one that ends in between leaves a whole database, and the next goes on.
  ///
  /// - Parameters:
  ///   - options: What goes, and how fast.
  ///   - time: The wall clock in milliseconds.
  ///   - progress: Told after each transaction of what is done so far, on the working thread.
  /// - Throws: ``ServerDatabaseError``; what was purged before is purged.
  /// - Returns: What went.
  @discardableResult
  public func purge(
    _ options: PurgeOptions = PurgeOptions(), time: Int64 = WallClock.milliseconds(),
    progress: (@Sendable (PurgeReport) -> Void)? = nil
  ) async throws(ServerDatabaseError) -> PurgeReport {
    try await Self.onThread("commute-purge") { () throws(ServerDatabaseError) in
      let lock: CheckpointLock
      do throws(ServerStoreError) {
        lock = try CheckpointLock(database: path)
      } catch {
        throw .failed(reason: error.description)
      }
      let connection = try writer(lock)
      defer { lock.holding { connection.close() } }
      var purging = Purging(
        connection: connection, options: options, horizon: time - max(0, options.retention),
        time: time)
      var isOver = false
      while !isOver {
        do throws(SQLiteError) {
          isOver = try lock.holding { () throws(SQLiteError) in
            try purging.step { pass(.purging) }
          }
        } catch {
          throw ServerDatabaseError(error, of: path)
        }
        pass(.purged)
        progress?(purging.report)
        if !isOver { Thread.sleep(forTimeInterval: options.pause.seconds) }
      }
      return purging.report
    }
  }

  /// Opens the database to write beside the one who serves it, and never to copy its log back.
  private func writer(_ lock: CheckpointLock) throws(ServerDatabaseError) -> Connection {
    do throws(SQLiteError) {
      try DatabaseCopy.open(path).close()
      var configuration = Configuration(.readWrite)
      configuration.synchronous = .full
      configuration.checkpointPages = 0
      configuration.busyMilliseconds = 30_000
      let connection = try Connection(.file(path), configuration)
      do throws(SQLiteError) {
        let isOlder = try !ServerSchema.plan.pending(on: connection).isEmpty
        if isOlder {
          _ = try lock.holding { () throws(SQLiteError) in
            try ServerSchema.plan.apply(to: connection)
          }
        }
        return connection
      } catch {
        connection.close()
        throw error
      }
    } catch {
      throw ServerDatabaseError(error, of: path)
    }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
