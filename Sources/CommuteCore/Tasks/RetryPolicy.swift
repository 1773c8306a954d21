/// How often a task is tried again, and how long it waits in between.
///
/// The delay is drawn from the upper half of an exponential ceiling ("equal jitter": Amazon
/// Architecture Blog, "Exponential Backoff and Jitter", 2015): tasks that failed together part, and
/// none comes back at once.
public struct RetryPolicy: Hashable, Sendable {
  /// The ceiling of the first delay, in milliseconds.
  public var firstDelay: UInt64
  /// What the ceiling grows by with each failure, in percent; 200 doubles it.
  public var growthPercent: UInt64
  /// The greatest ceiling, in milliseconds.
  public var delayLimit: UInt64
  /// How many failures there may be; the one that reaches it is the last.
  public var failureLimit: UInt32

  /// Makes a policy; by default two seconds, doubled up to fifteen minutes, eight failures.
  public init(
    firstDelay: UInt64 = 2_000, growthPercent: UInt64 = 200, delayLimit: UInt64 = 900_000,
    failureLimit: UInt32 = 8
  ) {
    self.firstDelay = firstDelay
    self.growthPercent = growthPercent
    self.delayLimit = delayLimit
    self.failureLimit = failureLimit
  }

  /// The ceiling of the delay after a number of failures; the first failure is 1.
  public func ceiling(afterFailures failures: UInt32) -> UInt64 {
    var ceiling = min(firstDelay, delayLimit)
    var rest = max(failures, 1) - 1
    while rest > 0, ceiling < delayLimit, growthPercent > 100 {
      let (product, overflow) = ceiling.multipliedReportingOverflow(by: growthPercent)
      // A ceiling that rounding keeps where it is would never end.
      ceiling = overflow ? delayLimit : min(max(product / 100, ceiling + 1), delayLimit)
      rest -= 1
    }
    return ceiling
  }

  /// Draws a delay, from half of the ceiling to all of it.
  ///
  /// - Parameters:
  ///   - failures: Failures so far, the one just met included.
  ///   - draw: 64 random bits, handed in.
  ///   - atLeast: What a server asked for (`Retry-After`), in milliseconds; a lower bound.
  /// - Returns: The delay in milliseconds.
  public func delay(afterFailures failures: UInt32, draw: UInt64, atLeast: UInt64 = 0) -> UInt64 {
    let ceiling = ceiling(afterFailures: failures)
    let half = ceiling / 2
    let width = (ceiling - half).addingReportingOverflow(1)
    let drawn = width.overflow ? draw : draw.multipliedFullWidth(by: width.partialValue).high
    return max(half + min(drawn, ceiling - half), atLeast)
  }
}
