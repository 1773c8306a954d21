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
      return event(of: applied, sent: outgoing)
    } catch {
      return failed(.storage(error.message))
    }
  }

  private func event(of applied: AppliedRound, sent: OutgoingRound) -> Conversation.Event {
    switch applied.reading {
    case .ignored: return failed(.notAnAnswer("it answers another request"))
    case .renewed: return .answered(more: true)
    case .stop(let stop): return .stopped(stop)
    case .apply: break
    }
    suspects.clear(sent.request.operations.map(\.operation.id))
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
      for operation in suspects.acquit() { try await store.postpone(operation, until: 0) }
    }
    guard operations.count == 1 else { return failed(failure) }
    switch suspects.judge(failure, of: operations[0]) {
    case .keep: return failed(failure)
    case .refuse:
      try await store.refuse(
        operations[0], code: .tooLarge, message: "the server takes no operation of this size")
      totals.rejected += 1
      // It is out of the way, and the others need not wait for anything.
      return .answered(more: true)
    case .postpone(let milliseconds):
      try await store.postpone(
        operations[0], until: clock.wall() &+ Int64(clamping: milliseconds))
      return failed(failure)
    }
  }

  private func failed(_ failure: RoundFailure) -> Conversation.Event {
    totals.failure = failure
    return .failed(failure, wall: clock.wall(), draw: settings.draw())
  }
}
