#if PLANTED
  /// The bugs that the queue's simulator plants to see that its checks catch them.
  ///
  /// None of this exists in a shipped build: it is compiled only with `-D PLANTED`.
  public enum PlantedTask: String, CaseIterable, Sendable {
    // What becomes of one task.
    case crashesAreFailures, interruptionsCharged, waitsCharged, timeoutsFree, poisonNever
    case limitIgnored, retryAfterIgnored, retriedAtOnce, cancelIgnored, budgetKept, takeUpForgets
    case slackIgnored, shiftForgotten, clampForgotten, expiryForgotten, expiryKept
    // Claiming.
    case serialIgnored, besideIgnored, widthIgnored, signalsIgnored, oldestFirst
    case unknownKindsRun, busyIgnored, suspectsTogether, attemptKept
    // Processes that come and go.
    case fenceIgnored, reapForgets, leaseIgnored, beatForgotten, closingCharged, lossUntold
    // Graphs.
    case parentsCountedTwice, skipStops, failFastSpares, descendantsStay, graphStaysOpen
    case cancelUntold, anyStartsAgain
    // Queueing, events and what is forgotten.
    case mergeKeepsPayload, replacedGoesOn, endUntold, openGraphsPruned, eventsPrunedByDate

    // Safe: written once before a history begins, only read while one runs.
    /// The bug in force; set by the simulator before a history, never while one runs.
    nonisolated(unsafe) public static var active: PlantedTask?

    /// Whether a bug is in force.
    @inline(__always)
    public static func isActive(_ bug: PlantedTask) -> Bool { unsafe active == bug }
  }
#endif
