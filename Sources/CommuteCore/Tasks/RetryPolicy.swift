/// How often a task is tried again, and how long it waits in between.
public struct RetryPolicy: Hashable, Sendable {
  /// How long it waits.
  public var backoff: Backoff
  /// How many failures there may be; the one that reaches it is the last.
  public var failureLimit: UInt32

  /// Makes a policy; by default eight failures, and two seconds, doubled up to fifteen minutes, of
  /// which at least half is waited: tasks that failed together part, and none comes back at once.
  public init(
    backoff: Backoff = Backoff(
      firstDelay: 2_000, delayLimit: 900_000, leastDelay: 0, jitter: .equal),
    failureLimit: UInt32 = 8
  ) {
    self.backoff = backoff
    self.failureLimit = failureLimit
  }
}
