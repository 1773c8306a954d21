import Foundation

/// A thread of the store's own: it runs the work it is given, all that waits at once.
///
/// Swift's cooperative threads are never blocked: they leave work here and are resumed from here.
final class StoreThread<Work: Sendable>: Sendable {
  private struct Queue {
    var work: [Work] = []
    var isStopped = false
    var isServing = false
    var wakesAfter: TimeInterval?
  }

  /// Who waits for the end; nil once it has come.
  private let waiters: Locked<[CheckedContinuation<Void, Never>]?> = Locked([])
  private let queue = Locked(Queue())
  private let wake = NSCondition()

  /// Starts the thread.
  ///
  /// It calls `serve` with everything that waits, and with nothing where time has passed; `end`
  /// when it was stopped and nothing waits any more.
  init(
    _ name: String, serve: @escaping @Sendable ([Work]) -> Void,
    end: @escaping @Sendable () -> Void
  ) {
    let thread = Thread { [self] in
      while let work = next() { serve(work) }
      end()
      let waiting = waiters.withLock { waiters in
        defer { waiters = nil }
        return waiters ?? []
      }
      for waiter in waiting { waiter.resume() }
    }
    thread.name = name
    thread.start()
  }

  /// Leaves work for the thread; false where it was stopped.
  func add(_ work: Work) -> Bool {
    let isTaken = queue.withLock { queue in
      if !queue.isStopped { queue.work.append(work) }
      return !queue.isStopped
    }
    if isTaken { signal() }
    return isTaken
  }

  /// Whether nothing waits.
  var isIdle: Bool { queue.withLock { $0.work.isEmpty } }

  /// Whether nothing waits and nothing is being done.
  var isFree: Bool { queue.withLock { $0.work.isEmpty && !$0.isServing } }

  /// Makes the thread serve nothing now and then; nil for never.
  func wakes(after seconds: TimeInterval?) {
    queue.withLock { $0.wakesAfter = seconds }
    signal()
  }

  /// Lets the thread finish what waits and end.
  func stop() {
    queue.withLock { $0.isStopped = true }
    signal()
  }

  /// Stops the thread and waits until it has ended, without blocking anybody.
  func end() async {
    stop()
    await withCheckedContinuation { continuation in
      let hasEnded = waiters.withLock { waiters in
        waiters?.append(continuation)
        return waiters == nil
      }
      if hasEnded { continuation.resume() }
    }
  }

  private func signal() {
    wake.lock()
    wake.signal()
    wake.unlock()
  }

  /// What waits; nothing after the time to wake, nil when the thread is to end.
  private func next() -> [Work]? {
    wake.lock()
    defer { wake.unlock() }
    while true {
      let (work, isStopped, pause) = queue.withLock { queue in
        let work = queue.work
        queue.work = []
        queue.isServing = !work.isEmpty
        return (work, queue.isStopped, queue.wakesAfter)
      }
      if !work.isEmpty { return work }
      if isStopped { return nil }
      guard let pause else {
        wake.wait()
        continue
      }
      if !wake.wait(until: Date(timeIntervalSinceNow: pause)) { return [] }
    }
  }
}
