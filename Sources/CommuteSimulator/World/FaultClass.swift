/// What can go wrong in a history; a run in which one never did proves nothing about it.
enum FaultClass: Int, CaseIterable {
  case loss, duplication, reordering, timeOut, offline
  case kill, killBetweenCommits, powerLoss, clockJump
  case serverRestart, serverTrouble, strangeAnswer, garbledMessage
  case rejection, restoredFile, restoredMachine, lostHostRecord, clonedFile
  case restoredServer, longAbsence, revocation, newGrant, tooOld

  /// The name in reports.
  var name: String { "\(self)" }
}

/// Situations that the checks are about; a run that reached none of one kind proves nothing,
/// either.
enum Mark: Int, CaseIterable {
  case restamped, duplicateVerdict, recordLeftOut, recordTold
  case renewedAtOpen, renewedByServer, sentByCopy, pageCut, seedTie, equivalentTexts, olderClaim
  case buried, withdrawn, creationRefused, changedBack, deferred, leftWaiting
  case resetBegun, resetRestarted, sweptRecord, sweptRows, keptCreation
  case newEpoch, offered, offerJoined, offerTaken, offerGone, offerLate
  case purged, expired, revokedRows, forgottenCounts, loweredClock, circle
  case raised, readOn, leftOld, leftDown
  case recounted, retried, retriedBehind, edited, discarded, conflictRestored, conflictDismissed

  /// The name in reports.
  var name: String { "\(self)" }
}

/// A promise that was broken.
struct Violation: Error {
  /// The number of the promise in the contract.
  var invariant: Int
  /// What was seen.
  var text: String
}
