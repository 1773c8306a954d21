import CommuteCore
import CommuteSQLite
import CommuteStore
import Synchronization

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
