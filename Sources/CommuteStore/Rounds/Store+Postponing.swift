public import CommuteCore
import CommuteSQLite

/// Operations that have to wait, and those that the server fails at.
extension Store {
  /// Lets an operation in line wait until a time of the wall clock, in milliseconds.
  public func postpone(_ operation: OperationID, until wall: Int64) async throws(StoreError) {
    try await perform { core throws(StoreError) in try core.postpone(operation, until: wall) }
  }

  /// When the next operation that was put off may be sent, in milliseconds of the wall clock.
  ///
  /// - Returns: Nil where none waits for its time.
  public func nextDue() async throws -> Int64? {
    let wall = options.clock.wall()
    let longest = wall &+ OutboxRow.longestDelay
    return try await read { tx in
      try tx.rows(
        """
        SELECT min(not_before) FROM (
          SELECT not_before FROM c_outbox UNION ALL SELECT not_before FROM c_offer)
        WHERE not_before > \(wall) AND not_before <= \(longest)
        """
      ) { (row) throws(StoreError) in row.isNull(0) ? nil : row.int64(0) }.first ?? nil
    }
  }

  /// Takes note, for good, that the server failed at an operation that was sent alone.
  ///
  /// An answer to the operation takes the count back, whatever it says.
  ///
  /// - Returns: How often in a row it failed, over all processes; 0 where it is not in flight.
  public func countFailure(of operation: OperationID) async throws(StoreError) -> UInt32 {
    try await perform { core throws(StoreError) in try core.countFailure(of: operation) }
  }

  /// Takes back all failures: it was the server and no operation.
  ///
  /// Operations that had failed at least so often were put off; they may be sent at once now.
  public func acquitAll(failedAtLeast limit: UInt32) async throws(StoreError) {
    try await perform { core throws(StoreError) in try core.acquitAll(failedAtLeast: limit) }
  }
}

extension WriterCore {
  /// Lets an operation in line wait until a time.
  func postpone(_ id: OperationID, until wall: Int64) throws(StoreError) {
    for row in try rows(where: "operation = \(id.bytes)") {
      var later = row
      later.notBefore = wall
      try save([later], was: [row])
    }
    guard hasOffers else { return }
    try speaking { () throws(SQLiteError) in
      _ = try connection.run(
        "UPDATE c_offer SET not_before = \(wall) WHERE operation = \(id.bytes)")
    }
  }

  /// Counts a failure of an operation in flight; gives the number of failures in a row.
  fileprivate func countFailure(of operation: OperationID) throws(StoreError) -> UInt32 {
    let counts: [SQL] = [
      """
      UPDATE c_outbox SET failures = failures + 1
      WHERE in_flight = 1 AND operation = \(operation.bytes) RETURNING failures
      """,
      """
      UPDATE c_offer SET failures = failures + 1
      WHERE operation = \(operation.bytes) RETURNING failures
      """,
    ]
    for sql in counts {
      let count = try connection.first(sql) { (row) throws(StoreError) in
        UInt32(clamping: row.int64(0))
      }
      if let count { return count }
    }
    return 0
  }

  fileprivate func acquitAll(failedAtLeast limit: UInt32) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        UPDATE c_outbox SET not_before = CASE WHEN failures >= \(Int(limit)) THEN 0
          ELSE not_before END, failures = 0
        WHERE in_flight = 1 AND failures > 0
        """)
      try connection.run(
        """
        UPDATE c_offer SET not_before = CASE WHEN failures >= \(Int(limit)) THEN 0
          ELSE not_before END, failures = 0
        WHERE failures > 0
        """)
    }
    note(engine: "c_outbox")
  }

  /// Takes back the failures of operations that the server has answered.
  func forgetFailures(ofRound round: Set<OperationID>) throws(StoreError) {
    guard !round.isEmpty else { return }
    let failed = try connection.all(
      "SELECT position, operation FROM c_outbox WHERE in_flight = 1 AND failures > 0"
    ) { (row) throws(StoreError) in (position: row.int64(0), operation: try row.operationID(1)) }
    for row in failed where round.contains(row.operation) {
      try speaking { () throws(SQLiteError) in
        try connection.run("UPDATE c_outbox SET failures = 0 WHERE position = \(row.position)")
      }
    }
  }
}

extension Row {
  /// A column that holds the 16 bytes of an operation's id.
  func operationID(_ column: Int) throws(StoreError) -> OperationID {
    guard let pair = pair(column) else { throw Unpacker.damage }
    return OperationID(high: pair.high, low: pair.low)
  }
}
