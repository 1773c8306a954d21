import CommuteCore
import CommuteSQLite
import CommuteStore
import Synchronization

/// What a drain did.
public struct DrainReport: Hashable, Sendable {
  /// How many attempts ended.
  public var ran = 0
  /// How many tasks succeeded.
  public var succeeded = 0
  /// How many failed for good.
  public var failed = 0
  /// How many wait to be run.
  public var left = 0
  /// When the next one is due, in milliseconds of the wall clock; nil where none is.
  public var nextDue: Int64?
}

extension TaskQueue {
  /// Runs tasks until the calling task is cancelled; every handler is a child of this call.
  ///
  /// When it returns, its handlers have returned, and what they had not finished is ready again
  /// without a failure counted. One call of a queue runs at a time: a second one waits for its turn.
  ///
  /// - Throws: ``QueueError`` where the queue cannot be read or written.
  /// - Returns: What it did.
  @discardableResult
  public func run() async throws(QueueError) -> DrainReport {
    try await work(until: nil)
  }

  /// Runs tasks until none is ready, or until a deadline: for a window that the system grants.
  ///
  /// It returns before the deadline, and nothing it started is still running. While another call of
  /// this queue runs, it starts nothing itself: it waits until that one has nothing left that is
  /// ready, and reports no attempts. Any number of such calls lead to one more drain at most.
  ///
  /// - Throws: ``QueueError`` where the queue cannot be read or written.
  @discardableResult
  public func drain(
    until deadline: ContinuousClock.Instant
  ) async throws(QueueError) -> DrainReport {
    try await work(until: deadline)
  }

  /// Stops running, gives what ran back, and closes the files: no lock is held when it returns.
  ///
  /// ``run()`` and ``drain(until:)`` end by it. The store is suspended: resume it before the queue
  /// is run again.
  ///
  /// - Parameter milliseconds: How long handlers are waited for. One that goes on longer is fenced:
  ///   whatever it says later counts for nothing.
  public func suspend(within milliseconds: Int64) async {
    flight.sendAway()
    let workers = state.withLock { state -> [Worker] in state.workers }
    for worker in workers { worker.stop() }
    await withTaskGroup { group in
      group.addTask { for worker in workers { await worker.ended.wait() } }
      group.addTask { [settings] in try? await settings.sleep(milliseconds) }
      await group.next()
      group.cancelAll()
    }
    for worker in workers { try? await worker.session.close(store) }
    await store.suspend()
    flight.forget()
  }

  private func work(
    until deadline: ContinuousClock.Instant?
  ) async throws(QueueError) -> DrainReport {
    var turn = flight.begin(wantsRest: deadline != nil)
    while case .others(let follower) = turn {
      bell.ring()
      switch await flight.wait(for: follower, limit: limit(deadline)) {
      case .free where !Task.isCancelled: turn = flight.begin(wantsRest: deadline != nil)
      case .free, .rested, .late: return try await summary(DrainReport())
      case .sentAway: return DrainReport()
      }
    }
    defer { if case .own(let number) = turn { flight.end(number) } }
    return try await workAlone(until: deadline)
  }

  /// Waits as long as a call with a deadline may.
  private func limit(_ deadline: ContinuousClock.Instant?) -> (@Sendable () async -> Void)? {
    guard let deadline else { return nil }
    return { [settings] in
      let left = deadline - ContinuousClock.now - .milliseconds(settings.margin)
      try? await settings.sleep(max(0, Int64(left / .milliseconds(1))))
    }
  }

  private func workAlone(
    until deadline: ContinuousClock.Instant?
  ) async throws(QueueError) -> DrainReport {
    let session: QueueSession
    do { session = try await QueueSession.open(store) } catch { throw .of(error) }
    let worker = Worker(self, session, deadline: deadline)
    state.withLock { $0.workers.append(worker) }
    defer { state.withLock { state in state.workers.removeAll { $0 === worker } } }
    let result: Result<DrainReport, QueueError>
    do throws(QueueError) {
      result = .success(try await worker.work())
    } catch {
      result = .failure(error)
    }
    // A task that is cancelled still has to give back what it claimed.
    await Task { [store] in try? await session.close(store) }.value
    worker.ended.ring()
    return try result.get()
  }
}

extension TaskQueue {
  /// What a call did, with what is left.
  func summary(_ counted: DrainReport) async throws(QueueError) -> DrainReport {
    try await writing { _, tx in
      var report = counted
      let engine = QueueEngine(tx)
      let left = try engine.connection.statement(
        "SELECT count(*) FROM q_task WHERE state < 10"
      ).firstInt64()
      report.left = Int(clamping: left ?? 0)
      report.nextDue = try engine.nextDue()
      return report
    }
  }
}

/// One call of `run` or `drain`.
final class Worker: Sendable {
  let queue: TaskQueue
  let session: QueueSession
  let deadline: ContinuousClock.Instant?
  /// Rung once its handlers have returned.
  let ended = Bell()
  private let isStopped = Atomic(false)
  private let report = Mutex(DrainReport())
  private let running = Mutex<[Int64: Attempt]>([:])
  private let lastReap: Mutex<Int64>

  /// An attempt whose handler has not returned.
  private struct Attempt: Sendable {
    var number: UInt64
    var stop: Bell
    /// Which edition of the signals it was claimed by.
    var signals: Int
    /// Whether a process has died in it before.
    var isSuspect: Bool
  }

  init(_ queue: TaskQueue, _ session: QueueSession, deadline: ContinuousClock.Instant?) {
    self.queue = queue
    self.session = session
    self.deadline = deadline
    lastReap = Mutex(queue.store.clock.monotonic())
  }

  private var settings: QueueSettings { queue.settings }

  /// The tasks whose handlers have not returned.
  var held: [Int64] { running.withLock { Array($0.keys) } }

  /// Whether one of them runs alone because a process has died in it before.
  var holdsSuspect: Bool { running.withLock { $0.values.contains { $0.isSuspect } } }

  /// Makes the work end soon: nothing is claimed any more, and handlers are cancelled.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    for task in running.withLock({ Array($0.values) }) { task.stop.ring() }
    queue.bell.ring()
  }

  /// Tells the handler of a task that it was taken back.
  func cancel(_ number: Int64) {
    running.withLock { $0[number]?.stop }?.ring()
  }

  private var isOver: Bool {
    if isStopped.load(ordering: .acquiring) || Task.isCancelled { return true }
    guard let deadline else { return false }
    return ContinuousClock.now >= deadline - .milliseconds(settings.margin)
  }

  func work() async throws(QueueError) -> DrainReport {
    let outcome = await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self, returning: Result<Void, QueueError>.self) { group in
        let outcome: Result<Void, QueueError>
        do throws(QueueError) {
          try await claimAndRun(in: &group)
          outcome = .success(())
        } catch {
          outcome = .failure(error)
        }
        stop()
        await group.waitForAll()
        return outcome
      }
    } onCancel: {
      self.stop()
    }
    try outcome.get()
    return try await queue.summary(report.withLock { $0 })
  }

  private func claimAndRun(in group: inout TaskGroup<Void>) async throws(QueueError) {
    while !isOver {
      let look = queue.flight.look()
      try await reap()
      let signals = queue.signals.withLock { $0 }
      let round = try await claim(signals.bits)
      for claimed in round.claimed {
        let attempt = Attempt(
          number: claimed.row.life.attempt, stop: Bell(), signals: signals.edition,
          isSuspect: claimed.row.life.crashes > 0)
        running.withLock { $0[claimed.row.number] = attempt }
        group.addTask { await self.execute(claimed, attempt) }
      }
      if !round.claimed.isEmpty { continue }
      let isIdle = running.withLock { $0.isEmpty }
      if isIdle { queue.flight.rest(look) }
      if deadline != nil, isIdle { return }
      await wait(until: round.nextDue)
    }
  }

  /// Looks for processes that have died since, as often as for work.
  private func reap() async throws(QueueError) {
    let now = queue.store.clock.monotonic()
    let isTime = lastReap.withLock { last in
      guard now - last >= settings.poll else { return false }
      last = now
      return true
    }
    guard isTime else { return }
    do { try await session.reap(queue.store) } catch { throw .of(error) }
  }

  /// Looks what there is to do and takes as much as may run.
  private func claim(_ signals: UInt64) async throws(QueueError) -> ClaimRound {
    let terms = ClaimTerms(
      session: session.number, signals: signals, lease: settings.lease,
      kinds: queue.handlers.kinds, busy: queue.busy,
      unreadable: queue.state.withLock { $0.unreadable })
    let running = running.withLock { $0.mapValues(\.number) }
    let isAsked = queue.state.withLock { $0.listener != nil }
    let runsSuspect = queue.runsSuspect
    let round = try await queue.writing { _, tx in
      try QueueEngine(tx).round(
        terms, running: running, runsSuspect: runsSuspect, asksWishes: isAsked)
    }
    for number in round.lost { cancel(number) }
    queue.noteWish(for: round.wanted)
    return round
  }

  /// Waits for the bell, but not beyond the time at which something is due.
  private func wait(until due: Int64?) async {
    var length = settings.poll
    if let due { length = min(length, max(1, due &- queue.store.clock.wall())) }
    if let deadline {
      let left = deadline - ContinuousClock.now - .milliseconds(settings.margin)
      length = min(length, max(1, Int64(left / .milliseconds(1))))
    }
    let bell = queue.bell
    await withTaskGroup { [settings, length] group in
      group.addTask { await bell.wait() }
      group.addTask { try? await settings.sleep(length) }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: - One attempt

  private enum Signal: Sendable {
    case ended(PlainOutcome)
    case stopped
    case timedOut
    case graceOver
    /// Waiting was cancelled.
    case nothing
  }

  private func execute(_ claimed: ClaimedTask, _ attempt: Attempt) async {
    let outcome = await outcome(of: claimed, attempt.stop)
    // Before anyone can claim it again.
    if case .wait(let missing) = outcome.ending {
      queue.clearSignals(missing, asOf: attempt.signals)
    }
    if outcome.isUnreadable {
      queue.state.withLock { _ = $0.unreadable.insert(claimed.row.number) }
    }
    let row = await end(claimed, outcome)
    running.withLock { $0[claimed.row.number] = nil }
    report.withLock { report in
      report.ran += 1
      if row?.life.state == .succeeded { report.succeeded += 1 }
      if row?.life.state == .failed { report.failed += 1 }
    }
    queue.bell.ring()
  }

  /// Runs the handler; it is cancelled when its time is up or somebody says so, and is waited for.
  private func outcome(of claimed: ClaimedTask, _ stop: Bell) async -> PlainOutcome {
    let row = claimed.row
    guard let handler = queue.handlers.entries[row.kind] else {
      return PlainOutcome(.park, because: "there is no handler", isUnreadable: true)
    }
    let context = TaskContext(
      id: row.id, attempt: Int(clamping: row.life.attempt), crashes: Int(row.life.crashes),
      row: row, store: queue.store, retention: settings.retention)
    let work = Task { await handler.run(claimed.payload, row.version, context) }
    return await withTaskGroup(of: Signal.self, returning: PlainOutcome.self) { [settings] group in
      group.addTask { .ended(await work.value) }
      group.addTask {
        await stop.wait()
        return .stopped
      }
      if let timeout = row.timeout {
        group.addTask {
          await Self.isOver(Int64(clamping: timeout), settings) ? .timedOut : .nothing
        }
      }
      var isTimedOut = false
      while let signal = await group.next() {
        switch signal {
        case .ended(var outcome):
          group.cancelAll()
          if isTimedOut, outcome.ending == .interrupted { outcome.ending = .timedOut }
          return outcome
        case .stopped, .timedOut:
          guard !work.isCancelled else { break }
          if case .timedOut = signal { isTimedOut = true }
          work.cancel()
          group.addTask { await Self.isOver(settings.grace, settings) ? .graceOver : .nothing }
        case .graceOver: await tellStuck(row)
        case .nothing: break
        }
      }
      return PlainOutcome(.interrupted)
    }
  }

  /// Waits; false where that was cancelled.
  private static func isOver(_ milliseconds: Int64, _ settings: QueueSettings) async -> Bool {
    do {
      try await settings.sleep(milliseconds)
      return true
    } catch {
      return false
    }
  }

  private func tellStuck(_ row: TaskRow) async {
    let number = row.number
    _ = try? await queue.writing { queue, tx in
      let engine = QueueEngine(tx)
      if let row = try engine.task(number: number), row.life.state == .running {
        // Its place in the lane is another's until it ends.
        try engine.connection.run("UPDATE q_task SET stuck = 1 WHERE id = \(number)")
        try engine.note(.stuck, row)
        let bell = queue.bell
        tx.afterCommit { bell.ring() }
      }
    }
  }

  /// Writes how an attempt ended; tries until it can be written or the work is over.
  private func end(_ claimed: ClaimedTask, _ outcome: PlainOutcome) async -> TaskRow? {
    var outcome = outcome
    while true {
      do {
        return try await Task { [queue, outcome] in
          try await queue.store.write { tx in
            let engine = QueueEngine(tx)
            guard try engine.owned(claimed.row) != nil else { return nil }
            do {
              if outcome.ending == .done { try outcome.effects?(tx) }
            } catch {
              throw EffectsFailure(error: error)
            }
            return try engine.end(claimed.row, outcome)
          }
        }.value
      } catch let failure as EffectsFailure {
        outcome = PlainOutcome(.retry(after: nil), because: "\(failure.error)")
      } catch StoreError.closed, StoreError.suspended {
        return nil
      } catch {
        if isStopped.load(ordering: .acquiring) { return nil }
        try? await settings.sleep(settings.poll)
      }
    }
  }
}

/// What the effects of a task threw; nothing of its end was written then.
private struct EffectsFailure: Error {
  var error: any Error
}
