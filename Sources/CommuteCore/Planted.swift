#if PLANTED
  /// The bugs that the simulator plants to see that its checks catch them.
  ///
  /// None of this exists in a shipped build: it is compiled only with `-D PLANTED`.
  public enum Planted: String, CaseIterable, Sendable {
    // Clock and merge.
    case wallClockOnly, clockIgnoresOthers, textOrderInTies, rowLevelMerge, tieKeepsMine
    // The device's side of one record.
    case seedsOverwrite, operationIDKept, overNotInherited, pageDropsPending
    case tombstoneIgnored, verdictsNotObserved, acknowledgeByRecord, baseMergedNotReplaced
    case rejectionBlocksLine, rejectionDropped, rowsNotCollapsed
    case clockRefusesWrites, laterDropsRow, dueTimeBelieved
    // The device's side of a round.
    case nonceNotChecked, replicaNotRenewed, cursorNotMoved, epochIgnored
    case shorterHistoryTaken
    // The device's side of long absences.
    case resetNotRestarted, sweepForgetsPending, sweepTakesAll, sentCreationKept, revokeLosesRows
    case heldIgnored, cursorKeptOverEpochs, offersForgotten
    case loweredBelowPending, loweredUnderOneID
    // The server's side of them.
    case fenceIgnored, fenceNotRaised, grantIgnored, retiredAccepted, everybodyRetired
    case stubForgotten, progressIgnored, fixedIDsPurged, circlesWait, circlesHalfSettled
    case lateOffersTaken, offerAsEdit, memoryNotRegained
    // The server's settling.
    case noDedupe, futureTrusted, seenIgnored
    case hardDelete, recordLeftOut, headAsCursor, pageBudgetIgnored
    case revisionNotRaised, serverIgnoresFloor, editsRevive
    // The rules of fields and records.
    case countersAdded, totalsFromBase, refusedShareStays, growOnlyFalls
    case removalsForgotten, elementsUntagged, extremesByStamp, siblingDropped
    case serverWinsAlways, serverWinsNever, clientWinsAlways, textLastWriter
    case conflictNotRecorded, everyEditRevives
    // References and unique keys.
    case childrenForgotten, oneLevel, lateChildrenKept, nullifiedNow
    case secondTaken, keysNotFreed, anyIDTaken, declarationsIgnored
    // Which rows go together, and how pages are asked for.
    case needsLeftBehind, heldRowsSent
    // Counts that were moved to another id.
    case recountSkipped, recountUntold, totalsBelieved
    // What people decide about refused changes and lost values.
    case retryLosesDeletion, retryJoinsRows, retriedSeedsDecided, retriedTotalsKept, editIgnored
    case conflictRestoresKept, conflictMisaddressed
    // The world around them: what commits together, and when.
    case splitTransaction, cursorBeforeRows, markNotDurable, clockNotSaved
    case raisedLeftOut, updateDropsLine

    // Safe: written once before a history or a server starts, only read while one runs.
    /// The bug in force; set by the simulator before a history, never while one runs.
    nonisolated(unsafe) public static var active: Planted?

    /// Whether a bug is in force.
    @inline(__always)
    public static func isActive(_ bug: Planted) -> Bool { unsafe active == bug }
  }
#endif
