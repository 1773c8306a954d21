import CommuteCore
import CommuteSQLite

/// A clock that was led astray comes back once nothing from the future is held here any more.
extension WriterCore {
  /// How long a search through all records is not repeated, in milliseconds: where the server's own
  /// clock once ran ahead, every answer would bring one about.
  private static let searchPause: Int64 = 600_000

  /// Sets the clock back to the greatest stamp that the file holds, under a new replica id.
  ///
  /// - Returns: Whether it was set back; the record outside the database is then to be written.
  func lowerClock() throws(StoreError) -> Bool {
    let wall = options.clock.wall()
    let clock = state.device.clock
    guard clock.isAstray(wall: wall) else { return false }
    var held = try greatestOwnStamp()
    guard !clock.isAstray(held, wall: wall), isSearchDue else { return false }
    held = max(held, try greatestToldStamp(wall: wall))
    guard
      state.device.lowerClock(
        to: held, wall: wall, newReplica: ReplicaID.random(using: &random))
    else {
      searchedAt = options.clock.monotonic()
      return false
    }
    try lowerClockOfRows()
    return true
  }

  private var isSearchDue: Bool {
    guard let searchedAt else { return true }
    return options.clock.monotonic() &- searchedAt >= Self.searchPause
  }

  /// Each row keeps the clock as it was when the row was last changed, and a file that is opened
  /// goes on from the last row's.
  private func lowerClockOfRows() throws(StoreError) {
    let last = state.device.clock.last.stored
    try speaking { () throws(SQLiteError) in
      _ = try connection.run("UPDATE c_outbox SET clock = \(last) WHERE clock > \(last)")
    }
    state.clockInOutbox = min(state.clockInOutbox, state.device.clock.last)
  }

  /// The greatest stamp in line, in flight, and in the inbox.
  private func greatestOwnStamp() throws(StoreError) -> Stamp {
    var greatest = Stamp.floor
    for row in try rows(where: "1") { greatest = max(greatest, row.operation.greatestStamp) }
    for entry in try InboxEntry.all(where: "1", on: connection, names: names) {
      greatest = max(
        greatest, entry.refused.greatestStamp, entry.record?.greatestStamp ?? .floor)
    }
    return greatest
  }

  /// The greatest stamp of what the server told or is offered again; one that is astray ends the
  /// search.
  private func greatestToldStamp(wall: Int64) throws(StoreError) -> Stamp {
    var greatest = Stamp.floor
    for packed: SQL in [
      "SELECT told FROM c_outbox WHERE told IS NOT NULL", "SELECT state FROM c_offer",
      "SELECT state FROM c_base", "SELECT state FROM c_tombstone", "SELECT state FROM c_unknown",
    ] {
      let statement = try speaking { () throws(SQLiteError) in try connection.statement(packed) }
      try statement.forEach { (row) throws(StoreError) in
        let told = try row.unpacked(0) { (bytes) throws(StoreError) in
          try PackedState.unpack(bytes, names: names)
        }
        greatest = max(greatest, told.greatestStamp)
      }
    }
    let user = state.device.account.user
    for shape in shapes.synced where !state.device.clock.isAstray(greatest, wall: wall) {
      let statement = try speaking { () throws(SQLiteError) in
        try connection.prepare("SELECT \(shape.selection) FROM \(SQL.quoted(shape.name))")
      }
      try statement.forEach { (row) throws(StoreError) in
        let shown = try HiddenState.unpack(row, shape: shape, names: names, user: user)
        greatest = max(greatest, shown.greatestStamp)
      }
    }
    return greatest
  }
}
