import CommuteCore
public import CommuteHTTP
public import CommuteStore

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
  let store: Store
  let transport: SyncTransport
  let settings: SyncSettings
  let clock: StoreClock
  private let board = StatusBoard()
  var conversation = Conversation()
  var totals = SyncReport(status: .idle(lastSuccess: nil))
  var lastSuccess: Int64?
  private var round: Task<Void, Never>?
  private var retry: Task<Void, Never>?
  private var waking: Task<Void, Never>?
  private var resuming: Task<Void, Never>?
  private var listening: Task<Void, Never>?
  /// Rounds in a row that brought nothing and asked for another.
  var fruitless = 0
  /// How many of them are taken before the server counts as out of order.
  static let fruitlessLimit = 20
  private var waiters: [CheckedContinuation<Void, Never>] = []

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
      await self?.resume()
      for await _ in changes { await self?.report(.changed) }
    }
    await resume()
    if case .idle = conversation.state { await report(.requested) }
  }

  /// Ends: gives up the round under way, which is no failure, and keeps everything that waits.
  public func stop() async {
    listening?.cancel()
    listening = nil
    // A change that came up meanwhile may have begun another round.
    while let round {
      round.cancel()
      await round.value
    }
    retry?.cancel()
    retry = nil
    waking?.cancel()
    waking = nil
    board.finish()
  }

  /// Syncs now, whatever was waited for, until everything known is exchanged or something failed.
  ///
  /// Several callers share the rounds; each gets the account of all that ran meanwhile.
  public func sync() async -> SyncReport {
    if waiters.isEmpty, round == nil { totals = SyncReport(status: board.latest) }
    // A stored retry that is due begins here, and counts as part of the call.
    await resume()
    await report(.requested)
    if round != nil { await withCheckedContinuation { waiters.append($0) } }
    var report = totals
    report.status = board.latest
    return report
  }

  /// Goes on, for a time that was waited for has come, and waits until nothing is under way.
  public func wake() async {
    await resume()
    switch conversation.state {
    case .waiting: await report(.retryDue)
    case .idle:
      // Something that was put off, perhaps; where nothing waits, nothing is to be sent.
      let waiting = (try? await store.counts())?.waiting ?? 0
      if waiting > 0 { await report(.changed) }
    case .exchanging, .blocked: break
    }
    if round != nil { _ = await withCheckedContinuation { waiters.append($0) } }
  }

  /// Tells that the network is there again.
  public func noteOnline() async {
    await resume()
    await report(.cameOnline)
  }

  /// Tells that a person has done what was asked: signed in, updated, or said to try again.
  public func unblock() async {
    await resume()
    await report(.unblocked)
  }

  /// The status now and whenever it changes; a slow reader sees only the newest.
  public nonisolated func statuses() -> AsyncStream<SyncStatus> {
    board.stream()
  }

  /// The status now.
  public nonisolated var status: SyncStatus { board.latest }

  /// How many calls of ``sync()`` wait for the rounds under way.
  var waiterCount: Int { waiters.count }
  /// Whether a round is under way.
  var isRunning: Bool { round != nil }

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
        await settings.alarm?.clear()
        try? await store.clearRetry()
      }
    }
    await publish()
  }

  /// Goes on with what the store remembers of the last attempt, once; all callers wait for it.
  private func resume() async {
    let task = resuming ?? Task { await takeUp() }
    resuming = task
    await task.value
  }

  private func takeUp() async {
    lastSuccess = (try? await store.lastSuccess()) ?? nil
    let batch = (try? await store.batch()) ?? nil
    if let stored = (try? await store.retry()) ?? nil {
      conversation = Conversation(
        waiting: (failure: stored.failure, due: stored.due), failures: stored.failures,
        batch: batch)
      await wait(milliseconds: UInt64(clamping: stored.remaining))
    } else {
      conversation = Conversation(batch: batch)
    }
    await publish()
  }

  private func scheduleRetry(after milliseconds: UInt64) async {
    // What is remembered is the business of the process that syncs.
    if case .waiting(let failure, _) = conversation.state, !failure.isAnothersRound {
      try? await store.saveRetry(
        after: failure, failures: conversation.failures, batch: conversation.batch,
        milliseconds: milliseconds)
    }
    await wait(milliseconds: milliseconds)
  }

  private func wait(milliseconds: UInt64) async {
    if let alarm = settings.alarm {
      await alarm.set(afterMilliseconds: milliseconds)
      return
    }
    retry?.cancel()
    retry = report(.retryDue, after: milliseconds)
  }

  /// Wakes for operations that were put off: nobody writes anything when their time comes.
  private func wakeWhenDue() async {
    waking?.cancel()
    waking = nil
    guard case .idle = conversation.state, let due = (try? await store.nextDue()) ?? nil else {
      return
    }
    let milliseconds = UInt64(clamping: due &- clock.wall())
    if let alarm = settings.alarm {
      await alarm.set(afterMilliseconds: milliseconds)
    } else {
      waking = report(.changed, after: milliseconds)
    }
  }

  private func report(
    _ event: Conversation.Event, after milliseconds: UInt64
  ) -> Task<Void, Never> {
    let sleep = settings.sleep
    return Task { [weak self] in
      // Cancelled means that it is no longer wanted.
      guard (try? await sleep(.milliseconds(milliseconds))) != nil, !Task.isCancelled else {
        return
      }
      await self?.report(event)
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
    await wakeWhenDue()
  }

  /// Tells the status, with what waits.
  private func publish() async {
    let found = try? await store.read { tx in
      (waiting: try tx.counts().unsettled, revoked: try tx.revokedFeeds().names.map(\.text))
    }
    board.show(
      SyncStatus(
        state: conversation.state, waiting: found?.waiting ?? board.latest.waiting,
        lastSuccess: lastSuccess, revoked: found?.revoked ?? []))
  }
}
