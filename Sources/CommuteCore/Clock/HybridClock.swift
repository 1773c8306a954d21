/// Issues stamps that grow even where the device's wall clock stands still or runs backwards.
///
/// The clock is a value: the wall time is handed in with every call. It is never behind a stamp it
/// has observed, so an answer is always later than what it answers, however slow the device's clock
/// is.
public struct HybridClock: Hashable, Sendable {
  /// Whose stamps these are.
  public var replica: ReplicaID
  /// The packed time of the latest stamp issued or observed.
  public private(set) var last: UInt64
  /// How far the server's time is ahead of the wall clock, in milliseconds, smoothed.
  public private(set) var offset: Int64
  private var hasOffset: Bool

  /// Starts a clock, or goes on with a stored one.
  ///
  /// - Parameters:
  ///   - replica: Whose stamps to issue.
  ///   - last: The stored packed time; clamped to the range of stamps.
  ///   - offset: The stored offset; nil when no server was heard yet.
  public init(replica: ReplicaID, last: UInt64 = 0, offset: Int64? = nil) {
    self.replica = replica
    self.last = min(last, Stamp.latestReadMillisecond << 16)
    self.offset = Self.clamped(offset ?? 0)
    hasOffset = offset != nil
  }

  /// The offset to store; nil while no server was heard.
  public var measuredOffset: Int64? { hasOffset ? offset : nil }

  /// Issues a stamp later than every one issued or observed.
  ///
  /// - Parameter wall: The device's wall clock in milliseconds; any value is taken.
  /// - Returns: The stamp; it is also the clock's new `last`.
  public mutating func now(wall: Int64) -> Stamp {
    #if PLANTED
      if Planted.isActive(.wallClockOnly) {
        last = Self.corrected(wall, by: offset) << 16
        return Stamp(time: last, replica: replica)
      }
    #endif
    let physical = Self.corrected(wall, by: offset) << 16
    // A full counter spills into the next millisecond because the time is one packed number.
    last = physical > last ? physical : last + 1
    return Stamp(time: last, replica: replica)
  }

  /// Takes note of a stamp made elsewhere; later stamps are greater.
  public mutating func observe(_ stamp: Stamp) {
    #if PLANTED
      if Planted.isActive(.clockIgnoresOthers) { return }
    #endif
    last = max(last, min(stamp.time, Stamp.latestReadMillisecond << 16))
  }

  /// Whether the clock was led astray: it is further ahead of the corrected wall clock than a
  /// server takes stamps.
  public func isAstray(wall: Int64) -> Bool { isAstray(last, wall: wall) }

  /// Whether a stamp is further ahead of the corrected wall clock than a server takes stamps.
  public func isAstray(_ stamp: Stamp, wall: Int64) -> Bool { isAstray(stamp.time, wall: wall) }

  private func isAstray(_ time: UInt64, wall: Int64) -> Bool {
    let limit = Self.corrected(wall, by: offset) + Limits.skewMilliseconds
    return time >> 16 > limit
  }

  /// Sets the clock back to a stamp; a clock that is not ahead of it stays.
  mutating func lower(to stamp: Stamp) {
    last = min(last, stamp.time)
  }

  /// Measures the offset to the server from one answered request.
  ///
  /// The server's time is taken to be that of the middle of the round trip. The first measure is
  /// taken whole, later ones with a quarter of their weight; a jump of more than a minute is a
  /// changed wall clock and is taken whole again.
  ///
  /// - Parameters:
  ///   - serverTime: The time in the answer, in milliseconds.
  ///   - wall: The device's wall clock when the answer came.
  ///   - roundTrip: How long the request took, in milliseconds of the monotonic clock.
  public mutating func measure(serverTime: Int64, wall: Int64, roundTrip: Int64) {
    let half = max(0, min(roundTrip / 2, 300_000))
    let server = max(1, min(serverTime, Int64(Stamp.latestMillisecond)))
    let measured = Self.clamped(server - Self.clamped(wall) + half)
    let distance = measured - offset
    if !hasOffset || distance.magnitude > 60_000 {
      offset = measured
    } else {
      offset += distance / 4
    }
    hasOffset = true
  }

  /// The corrected wall clock, clamped to 1 … 2^47 milliseconds.
  private static func corrected(_ wall: Int64, by offset: Int64) -> UInt64 {
    UInt64(max(1, min(clamped(wall) + offset, Int64(Stamp.latestMillisecond))))
  }

  /// Times and offsets stay far from the ends of the range, so that sums of some never overflow.
  private static func clamped(_ time: Int64) -> Int64 {
    max(-(1 << 60), min(time, 1 << 60))
  }
}
