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
  /// without a failure counted. One call of a queue runs at a time: a second one waits for its
  /// turn.
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
