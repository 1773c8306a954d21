import CommuteCore
import CommuteStore
import Foundation

/// One round: claimed, marked, sent, applied, and told as an event.
extension SyncDriver {
  /// Runs a round of at most `batch` operations.
  func outcome(ofRoundWith batch: Int) async -> Conversation.Event {
    do throws(StoreError) {
      let claim = try store.claimSync(as: "process \(ProcessInfo.processInfo.processIdentifier)")
      defer { claim.release() }
      let outgoing = try await store.beginRound(batch: batch)
      let started = clock.monotonic()
      let answer: SyncAnswer
      do throws(SyncTransport.NoAnswer) {
        answer = try await transport.exchange(outgoing.bytes)
      } catch {
        return try await event(of: error, to: outgoing)
      }
      let applied = try await store.apply(answer, roundTrip: clock.monotonic() &- started)
      return event(of: applied)
    } catch .syncedElsewhere(let holder) {
      return failed(.syncedElsewhere(by: holder))
    } catch {
      return failed(.storage(error.message))
    }
  }

  private func event(of applied: AppliedRound) -> Conversation.Event {
    switch applied.reading {
    case .ignored: return failed(.notAnAnswer("it answers another request"))
    case .renewed:
      guard isFruitless(true) else { return .answered(more: true) }
      return failed(.notAnAnswer("it asks for a new identity again and again"))
    case .stop(let stop): return .stopped(stop)
    case .apply: break
    }
    let done = applied.settled + applied.rejected + applied.records + applied.quarantined
    if isFruitless(applied.more && done == 0) {
      return failed(.notAnAnswer("it says that there is more, and nothing comes"))
    }
    totals.rounds += 1
    totals.settled += applied.settled
    totals.rejected += applied.rejected
    totals.received += applied.records
    totals.quarantined += applied.quarantined
    totals.failure = nil
    lastSuccess = clock.wall()
    return .answered(more: applied.more)
  }

  /// Keeps what was sent in line, and finds out whether one operation is to blame.
  private func event(
    of noAnswer: SyncTransport.NoAnswer, to outgoing: OutgoingRound
  ) async throws(StoreError) -> Conversation.Event {
    let failure = noAnswer.failure
    try await store.abandonRound(settledNothing: noAnswer.settledNothing)
    let operations = outgoing.request.operations.map(\.operation.id)
    if failure.blamesBatch { conversation.noteSent(operations.count) }
    if operations.isEmpty, failure.blamesBatch {
      // The server fails without any operation, too: none is to blame.
      try await store.acquitAll(failedAtLeast: SuspectOperations.failureLimit)
    }
    guard operations.count == 1 else { return failed(failure) }
    switch SuspectOperations.suspicion(of: failure) {
    case .none: return failed(failure)
    case .tooLarge:
      try await store.refuse(
        operations[0], code: .tooLarge, message: "the server takes no operation of this size")
      totals.rejected += 1
      // It is out of the way, and the others need not wait for anything.
      return .answered(more: true)
    case .failure:
      let failures = try await store.countFailure(of: operations[0])
      if let delay = SuspectOperations.delay(afterFailures: failures) {
        try await store.postpone(operations[0], until: clock.wall() &+ Int64(clamping: delay))
      }
      return failed(failure)
    }
  }

  /// Counts rounds that brought nothing and asked for another; too many of them are a failure.
  private func isFruitless(_ round: Bool) -> Bool {
    fruitless = round ? fruitless + 1 : 0
    guard fruitless > Self.fruitlessLimit else { return false }
    fruitless = 0
    return true
  }

  private func failed(_ failure: RoundFailure) -> Conversation.Event {
    totals.failure = failure
    return .failed(failure, wall: clock.wall(), draw: settings.draw())
  }
}
