/// A clock that was led astray, and how it comes back.
///
/// A device whose wall clock once stood ten years ahead would stamp everything in ten years for
/// ever: the server settles such stamps anew, but the clock never falls behind what it gave.
extension Device {
  /// Sets a clock that was led astray back, and takes a new replica id with it.
  ///
  /// The new stamps are below some that the earlier id gave, so they must not be of that id. The
  /// caller does this in the transaction that applied an answer, commits durably and then writes
  /// the host record. Where even then the clock would be astray it stays: half the way is of no
  /// use, and each step costs a replica id.
  ///
  /// - Parameters:
  ///   - held: The greatest stamp in base, offers, rows (in flight, too) and inbox
  ///     (``DeviceRecord/greatestStamp``, ``Rejection/greatestStamp``). What a server has settled
  ///     is at most ``Limits/skewMilliseconds`` ahead of its time, so that for base that bound may
  ///     stand in.
  ///   - wall: The device's wall clock in milliseconds.
  ///   - newReplica: The replica id to take.
  /// - Returns: Whether the clock was set back.
  public mutating func lowerClock(
    to held: Stamp, wall: Int64, newReplica: ReplicaID
  ) -> Bool {
    guard clock.isAstray(wall: wall), !clock.isAstray(held, wall: wall) else { return false }
    clock.lower(to: held)
    #if PLANTED
      if Planted.isActive(.loweredUnderOneID) { return true }
    #endif
    renewReplica(to: newReplica)
    return true
  }
}

extension DeviceRecord {
  /// The greatest stamp that the device holds of the record, pending changes and offer included.
  public var greatestStamp: Stamp {
    var greatest = max(
      base?.greatestStamp ?? .floor, offer?.state.greatestStamp ?? .floor)
    #if PLANTED
      if Planted.isActive(.loweredBelowPending) { return greatest }
    #endif
    for row in rows { greatest = max(greatest, row.operation.greatestStamp) }
    return greatest
  }
}

extension Rejection {
  /// The greatest stamp that an entry of the inbox holds.
  public var greatestStamp: Stamp {
    max(row.operation.greatestStamp, record?.greatestStamp ?? .floor)
  }
}

extension Operation {
  /// The greatest stamp of its fields and its deletion; the floor if it has none.
  public var greatestStamp: Stamp {
    var greatest = deleted ?? .floor
    for entry in fields.entries { greatest = max(greatest, entry.value.stamp) }
    return greatest
  }
}
