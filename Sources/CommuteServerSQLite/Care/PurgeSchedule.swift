/// When a server that runs for long purges by itself, as a value that reads no clock.
public struct PurgeSchedule: Hashable, Sendable {
  /// The time between two purges, in milliseconds: a day.
  public static let usualPeriod: Int64 = 86_400_000
  /// How long after its start a server purges first, in milliseconds: an hour.
  ///
  /// A machine may come up with a wrong clock, and one that purged ten years ahead would retire
  /// every device; and who was waited for comes back first.
  public static let usualDelay: Int64 = 3_600_000

  private let period: Int64
  /// The wall clock of the next purge, in milliseconds.
  public private(set) var next: Int64

  /// Begins a schedule.
  ///
  /// - Parameters:
  ///   - wall: The wall clock in milliseconds.
  ///   - delay: The time until the first purge, at most a period.
  ///   - period: The time between two purges.
  public init(
    from wall: Int64, delay: Int64 = PurgeSchedule.usualDelay,
    period: Int64 = PurgeSchedule.usualPeriod
  ) {
    self.period = max(1, period)
    next = Self.sum(wall, max(0, min(delay, self.period)))
  }

  /// Whether a purge is due; where it is, its turn is taken and the next one is a period away.
  ///
  /// A turn that is further away than a period was noted under another wall clock and counts as
  /// due: a clock that stood ten years ahead for a minute must not end the purges for ten years.
  ///
  /// - Parameter wall: The wall clock in milliseconds.
  /// - Returns: Whether to purge now.
  public mutating func takeTurn(wall: Int64) -> Bool {
    if wall < next, next <= Self.sum(wall, period) { return false }
    next = Self.sum(wall, period)
    return true
  }

  private static func sum(_ wall: Int64, _ time: Int64) -> Int64 {
    let (sum, overflow) = wall.addingReportingOverflow(time)
    return overflow ? .max : sum
  }
}
