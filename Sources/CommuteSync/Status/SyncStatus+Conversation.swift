import CommuteCore

extension SyncStatus {
  /// What a screen says about a state of the conversation.
  ///
  /// - Parameters:
  ///   - state: What the conversation is doing.
  ///   - waiting: How many changes wait here.
  ///   - lastSuccess: When the last round succeeded, in milliseconds since 1970.
  ///   - revoked: The feeds that were taken away and not asked for since.
  init(
    state: Conversation.State, waiting: Int, lastSuccess: Int64?, revoked: [String] = []
  ) {
    switch state {
    case .idle where !revoked.isEmpty: self = .notGranted(waiting: waiting, feeds: revoked)
    case .idle:
      self = waiting == 0 ? .idle(lastSuccess: lastSuccess) : .pending(waiting: waiting)
    case .exchanging: self = .syncing(waiting: waiting)
    case .waiting(let failure, let due):
      self =
        failure.isUnreachable
        ? .offline(waiting: waiting, retryAt: due)
        : .retryPending(waiting: waiting, retryAt: due, reason: failure.message)
    case .blocked(let block): self = Self.blocked(block, waiting: waiting)
    }
  }

  private static func blocked(_ block: Conversation.Block, waiting: Int) -> SyncStatus {
    switch block {
    case .signIn:
      .needsSignIn(waiting: waiting, reason: "Sign-in needed: give a valid token")
    case .otherAccount:
      .needsSignIn(
        waiting: waiting, reason: "Sign-in needed: this file belongs to another account")
    case .update: .needsUpdate(waiting: waiting)
    case .refused(let status):
      .stopped(waiting: waiting, reason: RoundFailure.refused(status: status).message)
    case .stopped(let stop): .stopped(waiting: waiting, reason: stop.message)
    @unknown default: .stopped(waiting: waiting, reason: "Sync has stopped")
    }
  }
}
