import CommuteCore

extension Store {
  /// When the next operation that was put off may be sent, in milliseconds of the wall clock.
  ///
  /// - Returns: Nil where none waits for its time.
  public func nextDue() async throws -> Int64? {
    let wall = options.clock.wall()
    let longest = wall &+ OutboxRow.longestDelay
    return try await read { tx in
      try tx.rows(
        """
        SELECT min(not_before) FROM c_outbox WHERE not_before > \(wall) AND not_before <= \(longest)
        """
      ) { (row) throws(StoreError) in row.isNull(0) ? nil : row.int64(0) }.first ?? nil
    }
  }
}
