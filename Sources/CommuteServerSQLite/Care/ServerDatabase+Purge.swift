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
      try writing { (connection, lock) throws(SQLiteError) in
        var purging = Purging(
          connection: connection, options: options, horizon: time - max(0, options.retention),
          time: time)
        var isOver = false
        while !isOver {
          isOver = try lock.holding { () throws(SQLiteError) in
            try purging.step { pass(.purging) }
          }
          pass(.purged)
          progress?(purging.report)
          if !isOver { Thread.sleep(forTimeInterval: options.pause.seconds) }
        }
        return purging.report
      }
    }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
