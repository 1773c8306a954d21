/// How long to wait before the next attempt: exponential, capped, with full jitter.
///
/// Full jitter (a uniform draw from zero to the whole delay) spreads devices best that were cut off
/// together (Amazon Architecture Blog, "Exponential Backoff and Jitter", 2015). A small floor keeps
/// a draw of zero from becoming a busy loop.
public struct Backoff: Hashable, Sendable {
  /// The upper end of the first delay, in milliseconds.
  public var firstDelay: UInt64
  /// The greatest upper end, in milliseconds.
  public var delayLimit: UInt64
  /// The least delay, in milliseconds.
  public var leastDelay: UInt64

  /// Makes a policy; by default one second, rising to five minutes.
  public init(
    firstDelay: UInt64 = 1_000, delayLimit: UInt64 = 300_000, leastDelay: UInt64 = 100
  ) {
    self.firstDelay = firstDelay
    self.delayLimit = delayLimit
    self.leastDelay = leastDelay
  }

  /// The upper end of the delay after a number of failures in a row; the first failure is 1.
  public func ceiling(afterFailures failures: UInt32) -> UInt64 {
    let doublings = UInt64(min(max(failures, 1) - 1, 40))
    let (product, overflow) = firstDelay.multipliedReportingOverflow(by: 1 << doublings)
    return overflow ? delayLimit : min(product, delayLimit)
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
    let scaled = draw.multipliedFullWidth(by: ceiling &+ 1).high
    return max(max(scaled, leastDelay), atLeast)
  }
}
