/// When to talk to the server: one device's rounds of sync as a state machine.
///
/// It touches no socket, disk or clock. The driver reports what happened with ``handle(_:)`` and
/// carries out the effects that come back, in order.
///
/// ```
///          changed, requested                answered, nothing left
///   idle ─────────────────────▶ exchanging ─────────────────────────▶ idle
///    ▲                            │   ▲
///    │         answered, all told │   │ retryDue, requested, cameOnline
///    │                     failed ▼   │
///    │                          waiting
///    └── signedIn, updated ── blocked ◀── needs sign-in, needs update, stopped
/// ```
public struct Conversation: Hashable, Sendable {
  /// What the conversation is doing.
  public enum State: Hashable, Sendable {
    /// Everything known is exchanged.
    case idle
    /// A request is on its way; `again` says whether something came up since it left.
    case exchanging(again: Bool)
    /// The last attempt failed; nothing is sent before `due` unless a person asks.
    case waiting(failure: RoundFailure, due: Int64)
    /// Nothing is sent until a person has done something.
    case blocked(Block)
  }

  /// What a person has to do before sync goes on.
  public enum Block: Hashable, Sendable {
    /// Sign in.
    case signIn
    /// Update the app.
    case update
    /// Sign in as the owner of the file.
    case otherAccount
    /// The server refused the request as such.
    case refused(status: Int)
    /// The round was stopped by something this build cannot handle.
    case stopped(RoundStop)
  }

  /// What happened.
  public enum Event: Hashable, Sendable {
    /// A local write was queued.
    case changed
    /// A person, a schedule or a hint asked for a round.
    case requested
    /// The network came back.
    case cameOnline
    /// The server answered and the answer is applied; `more` says whether a round must follow at
    /// once.
    case answered(more: Bool)
    /// The round failed; the time and 64 random bits are handed in for the delay.
    case failed(RoundFailure, wall: Int64, draw: UInt64)
    /// The answer could not be applied by this build.
    case stopped(RoundStop)
    /// The time that ``Effect/scheduleRetry(at:afterMilliseconds:)`` asked for has come.
    case retryDue
    /// A token was given, the app updated, or a person said to try again.
    case unblocked
  }

  /// What to do about it.
  public enum Effect: Hashable, Sendable {
    /// Send a round of at most `batch` operations.
    case exchange(batch: Int)
    /// Report ``Event/retryDue`` then; store the time, it counts after a restart, too.
    case scheduleRetry(at: Int64, afterMilliseconds: UInt64)
    /// The stored retry is no longer wanted.
    case cancelRetry
  }

  /// What it is doing now.
  public private(set) var state: State
  /// Failures in a row.
  public private(set) var failures: UInt32
  /// How many operations the next round carries at most.
  public private(set) var batch: Int
  /// How many operations the round under way carries; the whole batch where nobody said.
  private var sent: Int?
  /// The delays between attempts.
  public var backoff: Backoff

  /// The most operations in one request.
  public static let greatestBatch = 500

  /// Starts a conversation, or goes on with a stored retry.
  ///
  /// - Parameters:
  ///   - backoff: The delays between attempts.
  ///   - waiting: The failure and the time of a retry that was stored.
  ///   - failures: Failures in a row, as stored.
  ///   - batch: How many operations the next round carries at most, as stored: what was halved
  ///     before a restart stays halved.
  public init(
    backoff: Backoff = Backoff(), waiting: (failure: RoundFailure, due: Int64)? = nil,
    failures: UInt32 = 0, batch: Int? = nil
  ) {
    self.backoff = backoff
    self.failures = failures
    self.batch = max(1, min(batch ?? Self.greatestBatch, Self.greatestBatch))
    state = .idle
    if let waiting { state = .waiting(failure: waiting.failure, due: waiting.due) }
  }

  /// Goes on from a state that was written down whole.
  init(state: State, failures: UInt32, batch: Int?) {
    self.init(failures: failures, batch: batch)
    self.state = state
  }

  /// Takes note of how many operations the round under way really carries, so that a failure halves
  /// those and not what might have been sent.
  public mutating func noteSent(_ count: Int) {
    if count > 0 { sent = count }
  }

  /// Whether the next page may be asked for while one is stored: nothing of the device's own waits
  /// for a round with operations in it.
  public var mayReadOn: Bool { state == .exchanging(again: false) }

  /// Takes note that a page was stored while the round goes on: what failed before is over.
  public mutating func noteProgress() { failures = 0 }

  /// Takes note of an event.
  ///
  /// - Returns: What to do about it, in order.
  public mutating func handle(_ event: Event) -> [Effect] {
    switch state {
    case .idle: handleWhileIdle(event)
    case .exchanging(let again): handleWhileExchanging(event, again: again)
    case .waiting: handleWhileWaiting(event)
    case .blocked: handleWhileBlocked(event)
    }
  }

  private mutating func handleWhileIdle(_ event: Event) -> [Effect] {
    switch event {
    case .changed, .requested, .cameOnline, .unblocked: exchange()
    case .answered, .failed, .stopped, .retryDue: []  // Late news of a round that is over.
    }
  }

  private mutating func handleWhileExchanging(_ event: Event, again: Bool) -> [Effect] {
    switch event {
    case .changed, .requested, .cameOnline, .unblocked:
      state = .exchanging(again: true)
      return []
    case .answered(let more):
      failures = 0
      batch = min(batch * 2, Self.greatestBatch)
      if again || more { return exchange() }
      state = .idle
      return [.cancelRetry]
    case .failed(let failure, let wall, let draw):
      return fail(failure, wall: wall, draw: draw, again: again)
    case .stopped(let stop):
      state = .blocked(.stopped(stop))
      return [.cancelRetry]
    case .retryDue:
      return []  // The round that it asked for is under way.
    }
  }

  private mutating func handleWhileWaiting(_ event: Event) -> [Effect] {
    switch event {
    case .requested, .cameOnline, .retryDue, .unblocked: exchange()
    case .changed: []  // It goes with the retry: a new write is no news about the network.
    case .answered, .failed, .stopped: []  // Late news.
    }
  }

  private mutating func handleWhileBlocked(_ event: Event) -> [Effect] {
    switch event {
    case .requested, .unblocked: exchange()
    case .changed, .cameOnline, .answered, .failed, .stopped, .retryDue: []
    }
  }

  private mutating func exchange() -> [Effect] {
    state = .exchanging(again: false)
    sent = nil
    return [.exchange(batch: batch)]
  }

  private mutating func fail(
    _ failure: RoundFailure, wall: Int64, draw: UInt64, again: Bool
  ) -> [Effect] {
    switch failure {
    case .needsSignIn: return block(.signIn)
    case .needsUpdate: return block(.update)
    case .wrongOwner: return block(.otherAccount)
    case .refused(let status): return block(.refused(status: status))
    case .cancelled:
      // Giving up is no failure: the next reason to talk starts a round as if nothing had been.
      if again { return exchange() }
      state = .idle
      return []
    case .unreachable, .timedOut, .notAnAnswer, .unavailable, .tooLarge, .badCertificate, .storage,
      .syncedElsewhere:
      break
    }
    if failures < UInt32.max { failures += 1 }
    if failure.blamesBatch {
      let carried = min(batch, sent ?? batch)
      let alone = carried == 1
      batch = max(1, carried / 2)
      // A smaller batch is worth trying at once; only a lone operation has to wait.
      if case .tooLarge = failure, !alone { return exchange() }
    }
    var least: UInt64 = 0
    if case .unavailable(_, let retryAfter) = failure { least = min(retryAfter, 86_400_000) }
    let delay = backoff.delay(afterFailures: failures, draw: draw, atLeast: least)
    let due = wall.adding(milliseconds: delay)
    state = .waiting(failure: failure, due: due)
    return [.scheduleRetry(at: due, afterMilliseconds: delay)]
  }

  private mutating func block(_ block: Block) -> [Effect] {
    state = .blocked(block)
    return [.cancelRetry]
  }
}
