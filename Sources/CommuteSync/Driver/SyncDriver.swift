import CommuteCore
public import CommuteHTTP
public import CommuteStore
import Foundation

/// Keeps a store and a server in step: it carries out what the conversation decides.
///
/// ```swift
/// let driver = SyncDriver(store: store, client: CurlClient(), settings: SyncSettings(server: url))
/// await driver.start()
/// for await status in driver.statuses() { show(status.text) }
/// ```
/// It is the only place where conversation, network and clock meet, and it decides nothing. One
/// round runs at a time, over all processes that have the database open.
public actor SyncDriver {
  private let store: Store
  private let transport: SyncTransport
  private let settings: SyncSettings
  private let clock: StoreClock
  private let board = StatusBoard()
  private var conversation = Conversation()
  private var totals = SyncReport(status: .idle(lastSuccess: nil))
  private var lastSuccess: Int64?
  private var round: Task<Void, Never>?
  private var retry: Task<Void, Never>?
  private var listening: Task<Void, Never>?
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var lone = LoneOperation()
  private var isResumed = false

  /// Makes a driver that does nothing until it is started or asked to sync.
  ///
  /// - Parameters:
  ///   - store: The local database.
  ///   - client: The way to the server.
  ///   - settings: Its address, the token, and time.
  public init(store: Store, client: any HTTPClient, settings: SyncSettings) {
    self.store = store
    self.settings = settings
    clock = settings.clock ?? store.options.clock
    transport = SyncTransport(
      client: client, server: settings.server, token: settings.token,
      timeLimit: settings.timeLimit)
  }

  /// Makes a driver that reaches the server in the way of this system.
  public init(store: Store, settings: SyncSettings) {
    #if canImport(Darwin)
      self.init(store: store, client: URLSessionClient(), settings: settings)
    #else
      self.init(store: store, client: CurlClient(), settings: settings)
    #endif
  }

  /// Begins: goes on with a stored retry, or syncs at once, and then after each local write.
  public func start() async {
    guard listening == nil else { return }
    let changes = store.queuedChanges()
    listening = Task { [weak self] in
      for await _ in changes { await self?.report(.changed) }
    }
    await resume()
    if case .idle = conversation.state { await report(.requested) }
  }

  /// Ends: gives up the round under way, which is no failure, and keeps everything that waits.
  public func stop() async {
    listening?.cancel()
    listening = nil
    retry?.cancel()
    retry = nil
    round?.cancel()
    await round?.value
    board.finish()
  }

  /// Syncs now, whatever was waited for, until everything known is exchanged or something failed.
  ///
  /// Several callers share the rounds; each gets the account of all that ran meanwhile.
  public func sync() async -> SyncReport {
    await resume()
    if waiters.isEmpty, round == nil { totals = SyncReport(status: board.latest) }
    await report(.requested)
    if round != nil { await withCheckedContinuation { waiters.append($0) } }
    var report = totals
    report.status = board.latest
    return report
  }

  /// Tells that the network is there again.
  public func noteOnline() async {
    await report(.cameOnline)
  }

  /// Tells that a person has done what was asked: signed in, updated, or said to try again.
  public func unblock() async {
    await report(.unblocked)
  }

  /// The status now and whenever it changes; a slow reader sees only the newest.
  public nonisolated func statuses() -> AsyncStream<SyncStatus> {
    board.stream()
  }

  /// The status now.
  public nonisolated var status: SyncStatus { board.latest }

  // MARK: - Carrying out

  /// Hands an event to the conversation and carries out what comes back.
  private func report(_ event: Conversation.Event) async {
    for effect in conversation.handle(event) {
      switch effect {
      case .exchange(let batch):
        retry?.cancel()
        retry = nil
        round = Task { await self.exchange(batch: batch) }
      case .scheduleRetry(_, let milliseconds): await scheduleRetry(after: milliseconds)
      case .cancelRetry:
        retry?.cancel()
        retry = nil
        try? await store.clearRetry()
      }
    }
    await publish()
  }

  /// Goes on with what the store remembers of the last attempt, once.
  private func resume() async {
    guard !isResumed else { return }
    isResumed = true
    lastSuccess = (try? await store.lastSuccess()) ?? nil
    guard let stored = (try? await store.retry()) ?? nil else { return await publish() }
    conversation = Conversation(
      waiting: (failure: stored.failure, due: stored.due), failures: stored.failures)
    wait(milliseconds: UInt64(clamping: stored.remaining))
    await publish()
  }

  private func scheduleRetry(after milliseconds: UInt64) async {
    if case .waiting(let failure, _) = conversation.state {
      try? await store.saveRetry(
        after: failure, failures: conversation.failures, milliseconds: milliseconds)
    }
    wait(milliseconds: milliseconds)
  }

  private func wait(milliseconds: UInt64) {
    retry?.cancel()
    let sleep = settings.sleep
    retry = Task { [weak self] in
      // Cancelled means that the retry is no longer wanted.
      guard (try? await sleep(.milliseconds(milliseconds))) != nil else { return }
      await self?.report(.retryDue)
    }
  }

  /// Runs one round and reports how it ended.
  private func exchange(batch: Int) async {
    let event = await outcome(ofRoundWith: batch)
    round = nil
    await report(event)
    guard round == nil else { return }
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume() }
  }

  private func outcome(ofRoundWith batch: Int) async -> Conversation.Event {
    do throws(StoreError) {
      let claim = try store.claimSync(as: "process \(ProcessInfo.processInfo.processIdentifier)")
      defer { claim.release() }
      let outgoing = try await store.beginRound(batch: batch)
      let started = clock.monotonic()
      let answer: SyncAnswer
      do throws(RoundFailure) {
        answer = try await transport.exchange(outgoing.bytes)
      } catch {
        try await store.abandonRound()
        try await judge(error, of: outgoing)
        return failed(error)
      }
      let applied = try await store.apply(answer, roundTrip: clock.monotonic() &- started)
      return event(of: applied)
    } catch {
      return failed(.storage(error.message))
    }
  }

  private func event(of applied: AppliedRound) -> Conversation.Event {
    switch applied.reading {
    case .ignored: return failed(.notAnAnswer("it answers another request"))
    case .renewed: return .answered(more: true)
    case .stop(let stop): return .stopped(stop)
    case .apply: break
    }
    lone = LoneOperation()
    totals.rounds += 1
    totals.settled += applied.settled
    totals.rejected += applied.rejected
    totals.received += applied.records
    totals.quarantined += applied.quarantined
    totals.failure = nil
    lastSuccess = clock.wall()
    return .answered(more: applied.more)
  }

  private func failed(_ failure: RoundFailure) -> Conversation.Event {
    totals.failure = failure
    return .failed(failure, wall: clock.wall(), draw: settings.draw())
  }

  /// Takes an operation out of the way that the server cannot take even alone.
  private func judge(_ failure: RoundFailure, of outgoing: OutgoingRound) async throws(StoreError) {
    guard outgoing.operationCount == 1, let sent = outgoing.request.operations.first else { return }
    switch lone.judge(failure, of: sent.operation.id) {
    case .keep: break
    case .refuse:
      try await store.refuse(
        sent.operation.id, code: .tooLarge, message: "the server takes no operation of this size")
    case .postpone(let milliseconds):
      try await store.postpone(
        sent.operation.id, until: clock.wall() &+ Int64(clamping: milliseconds))
    }
  }

  /// Tells the status, with what waits.
  private func publish() async {
    let waiting = (try? await store.counts().waiting) ?? board.latest.waiting
    board.show(
      SyncStatus(
        state: conversation.state, waiting: waiting, lastSuccess: lastSuccess))
  }
}
