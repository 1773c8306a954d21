#if PLANTED
  /// The bugs that the simulator with real stores plants to see that its checks catch them.
  ///
  /// None of this exists in a shipped build: it is compiled only with `-D PLANTED`.
  public enum PlantedStore: String, CaseIterable, Sendable {
    // What reaches the disk, and when.
    case markNotDurable, fullWritesNormal, commitFailureHidden, logThrownAway
    // What an answer is about.
    case acknowledgeByRecord
    // As who a file writes.
    case bootIgnored, hostIgnored, hostNotWritten

    // Written before a history begins, when no store is open; only read while one is.
    /// The bug in force; set by the simulator before a history, never while one runs.
    nonisolated(unsafe) public static var active: PlantedStore?

    /// Whether a bug is in force.
    @inline(__always)
    static func isActive(_ bug: PlantedStore) -> Bool { active == bug }
  }
#endif
