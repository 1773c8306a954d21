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
      let outgoing = try await store.beginRound(
        batch: batch, limit: SyncRequest.Limit(bytes: PageSize.least))
      return try await outcome(of: outgoing)
    } catch .syncedElsewhere(let holder) {
      return failed(.syncedElsewhere(by: holder))
    } catch {
      return failed(.storage(error.message))
    }
  }

  /// Sends a round, applies what comes, and reads on as long as there is more.
  ///
  /// Three pages are under way at once: the server makes one, one is read or waits, one is stored.
  private func outcome(of first: OutgoingRound) async throws(StoreError) -> Conversation.Event {
    var page = PageSize()
    var outgoing = first
    var reply = await reply(to: outgoing.bytes)
    tell(reply.result)
    var storing: Storing?
    while true {
      let next = following(outgoing, reply: reply, limit: page.bytes)
      async let ahead = replyIfAny(to: next?.bytes)
      if let storing {
        let stored = try await storing.end()
        page.note(waited: storing.waited, stored: stored.milliseconds)
        let event = event(of: stored.round)
        guard case .answered = event, stored.round.reading == .apply else { return event }
        conversation.noteProgress()
      }
      let answer: SyncAnswer
      switch reply.result {
      case .success(let read): answer = read
      case .failure(let reason): return try await event(of: reason, to: outgoing)
      }
      let work = store(answer, waited: reply.milliseconds, next: next)
      guard let next, let following = await ahead else {
        return event(of: try await work.end().round)
      }
      storing = work
      outgoing = next
      reply = following
    }
  }

  /// The round that may follow before what came is stored.
  private func following(
    _ round: OutgoingRound, reply: Reply, limit bytes: UInt64
  ) -> OutgoingRound? {
    guard round.isAsking, conversation.mayReadOn,
      case .success(let answer) = reply.result
    else { return nil }
    return round.following(
      answer, wall: clock.wall(), limit: SyncRequest.Limit(bytes: bytes))
  }

  /// What came back, and how long it took by the monotonic clock.
  private struct Reply: Sendable {
    var result: Result<SyncAnswer, SyncTransport.NoAnswer>
    var milliseconds: Int64
  }

  /// Sends and reads apart from this actor, which goes on meanwhile.
  @concurrent nonisolated private func reply(to bytes: [UInt8]) async -> Reply {
    let started = clock.monotonic()
    let result: Result<SyncAnswer, SyncTransport.NoAnswer>
    do throws(SyncTransport.NoAnswer) {
      result = .success(try await transport.exchange(bytes))
    } catch {
      result = .failure(error)
    }
    return Reply(result: result, milliseconds: clock.monotonic() &- started)
  }

  @concurrent nonisolated private func replyIfAny(to bytes: [UInt8]?) async -> Reply? {
    guard let bytes else { return nil }
    return await reply(to: bytes)
  }

  /// A page that is being stored.
  private struct Storing: Sendable {
    /// How long it took to come, in milliseconds.
    let waited: Int64
    let task: Task<(result: Result<AppliedRound, StoreError>, milliseconds: Int64), Never>

    /// Waits until it is stored.
    func end() async throws(StoreError) -> (round: AppliedRound, milliseconds: Int64) {
      let ended = await task.value
      return (try ended.result.get(), ended.milliseconds)
    }
  }

  /// Begins to store a page; what was begun goes on to its end.
  private func store(
    _ answer: SyncAnswer, waited: Int64, next: OutgoingRound?
  ) -> Storing {
    let task = Task { [store, clock] in
      let started = clock.monotonic()
      let result: Result<AppliedRound, StoreError>
      do throws(StoreError) {
        result = .success(
          try await store.apply(answer, roundTrip: waited, next: next?.request.nonce))
      } catch {
        result = .failure(error)
      }
      return (result: result, milliseconds: clock.monotonic() &- started)
    }
    return Storing(waited: waited, task: task)
  }

  private func event(of applied: AppliedRound) -> Conversation.Event {
    switch applied.reading {
    case .ignored: return failed(.notAnAnswer("it answers another request"))
    case .renewed:
      guard isFruitless(true) else { return .answered(more: true) }
      return failed(.notAnAnswer("it asks for a new identity again and again"))
    case .newEpoch:
      guard isFruitless(true) else { return .answered(more: true) }
      return failed(.notAnAnswer("it tells of another history again and again"))
    case .stop(let stop): return .stopped(stop)
    case .apply: break
    }
    let done =
      applied.settled + applied.offers + applied.rejected + applied.records + applied.quarantined
    if isFruitless(applied.more && done == 0) {
      return failed(.notAnAnswer("it says that there is more, and nothing comes"))
    }
    totals.rounds += 1
    totals.settled += applied.settled
    totals.rejected += applied.rejected
    totals.received += applied.records
    totals.quarantined += applied.quarantined
    for feed in applied.revoked.entries { totals.revoked[feed.name] = feed.value }
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
    let request = outgoing.request
    let operations = request.offers.map(\.id) + request.operations.map(\.operation.id)
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

  /// Tells whoever keeps an eye on the network what a request has met.
  private func tell(_ result: Result<SyncAnswer, SyncTransport.NoAnswer>) {
    guard let evidence = settings.evidence else { return }
    switch result {
    case .success: evidence(.requestSucceeded)
    case .failure(let noAnswer):
      switch noAnswer.failure {
      case .unreachable, .notAnAnswer: evidence(.connectFailed)
      case .timedOut: evidence(.timedOut)
      // The server itself has answered.
      case .unavailable, .tooLarge, .needsSignIn, .needsUpdate, .wrongOwner, .refused:
        evidence(.requestSucceeded)
      case .badCertificate, .storage, .syncedElsewhere, .cancelled: break
      }
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
