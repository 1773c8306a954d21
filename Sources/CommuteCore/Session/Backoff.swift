/// How long to wait before the next attempt: exponential, capped, with jitter.
///
/// Full jitter (a uniform draw from zero to the whole delay) spreads devices best that were cut off
/// together; equal jitter (from half of it) keeps what failed once from coming back at once (Amazon
/// Architecture Blog, "Exponential Backoff and Jitter", 2015). A small floor keeps a draw of zero
/// from becoming a busy loop.
public struct Backoff: Hashable, Sendable {
  /// From where the delay is drawn.
  public enum Jitter: Hashable, Sendable {
    /// From zero to the upper end.
    case full
    /// From half of the upper end to all of it.
    case equal
  }

  /// The upper end of the first delay, in milliseconds.
  public var firstDelay: UInt64
  /// What the upper end is with each failure, in percent of the one before; 200 doubles it.
  ///
  /// Less than 100 counts as 100: it never falls.
  public var growthPercent: UInt64
  /// The greatest upper end, in milliseconds.
  public var delayLimit: UInt64
  /// The least delay, in milliseconds.
  public var leastDelay: UInt64
  /// From where the delay is drawn.
  public var jitter: Jitter

  /// Makes a policy; by default one second, doubled up to five minutes, with full jitter.
  public init(
    firstDelay: UInt64 = 1_000, growthPercent: UInt64 = 200, delayLimit: UInt64 = 300_000,
    leastDelay: UInt64 = 100, jitter: Jitter = .full
  ) {
    self.firstDelay = firstDelay
    self.growthPercent = growthPercent
    self.delayLimit = delayLimit
    self.leastDelay = leastDelay
    self.jitter = jitter
  }

  /// The upper end of the delay after a number of failures in a row; the first failure is 1.
  public func ceiling(afterFailures failures: UInt32) -> UInt64 {
    var ceiling = min(firstDelay, delayLimit)
    let growth = max(growthPercent, 100)
    for _ in 1..<min(max(failures, 1), 41) {
      let product = ceiling.multipliedFullWidth(by: growth)
      guard product.high < UInt64(100) else { return delayLimit }
      ceiling = min(UInt64(100).dividingFullWidth(product).quotient, delayLimit)
    }
    return ceiling
  }

  /// Draws a delay.
  ///
  /// - Parameters:
  ///   - failures: Failures in a row, the one just met included.
  ///   - draw: 64 random bits, handed in.
  ///   - atLeast: What the server asked for (`Retry-After`), in milliseconds; a lower bound.
  /// - Returns: The delay in milliseconds.
  public func delay(afterFailures failures: UInt32, draw: UInt64, atLeast: UInt64 = 0) -> UInt64 {
    let ceiling = ceiling(afterFailures: failures)
    let lowest = jitter == .full ? 0 : ceiling / 2
    // Of all 64-bit numbers each is as likely as any other.
    let (count, isWhole) = (ceiling - lowest).addingReportingOverflow(1)
    let drawn = isWhole ? draw : draw.multipliedFullWidth(by: count).high
    return max(max(lowest + drawn, leastDelay), atLeast)
  }
}
