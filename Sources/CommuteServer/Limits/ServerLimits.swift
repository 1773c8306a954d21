/// How much a server takes on at once; beyond it a device is asked to come back in a moment.
public struct ServerLimits: Hashable, Sendable {
  /// Rounds of sync that are answered at the same time.
  public var roundsAtOnce = 512
  /// Bytes of their requests together: 64 MiB.
  public var bytesAtOnce = 64 << 20
  /// How long a device that was sent away waits at least.
  public var retryAfter: Duration = .seconds(2)

  /// Makes the limits with their defaults.
  public init() {}
}
