public import CommuteCore

/// The id of a task: a UUID whose order is that of making (RFC 9562, version 7).
///
/// Every attempt carries the same one, so that a remote service can tell a repeated call.
public struct TaskID: Identifier, Codable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes an id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The UUID in 36 lower-case characters.
  public var description: String { text }
}
