/// What a queue takes from the world, and how it goes about its work.
public struct QueueSettings: Sendable {
  /// How long a claim stands without a sign of life, in milliseconds.
  public var lease: Int64 = 30_000
  /// How often the queue looks whether another process has queued something, in milliseconds.
  public var poll: Int64 = 1_000
  /// How long a cancelled handler may go on before it is called stuck, in milliseconds.
  public var grace: Int64 = 5_000
  /// How long before its deadline a drain stops, in milliseconds.
  public var margin: Int64 = 100
  /// How long what is over is kept, in milliseconds; a week.
  public var retention: Int64 = 604_800_000
  /// Waits; by the system's monotonic clock unless told otherwise.
  public var sleep: @Sendable (_ milliseconds: Int64) async throws -> Void = { milliseconds in
    try await Task.sleep(for: .milliseconds(milliseconds))
  }

  /// Makes the usual settings.
  public init() {}
}
