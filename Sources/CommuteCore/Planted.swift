#if PLANTED
  /// The bugs that the simulator plants to see that its checks catch them.
  ///
  /// None of this exists in a shipped build: it is compiled only with `-D PLANTED`.
  public enum Planted: String, CaseIterable, Sendable {
    case wallClockOnly, clockIgnoresOthers, textOrderInTies

    /// The bug in force; set by the simulator before a history, never while one runs.
    nonisolated(unsafe) public static var active: Planted?

    /// Whether a bug is in force.
    @inline(__always)
    public static func isActive(_ bug: Planted) -> Bool { unsafe active == bug }
  }
#endif
