import CommuteCore
import CommuteStore
public import CommuteTasks
import Synchronization

/// Sync as work of a device's queue: what the driver waits for survives its process, and starts
/// when the server can be reached.
///
/// ```swift
/// let background = BackgroundSync()
/// background.add(to: &handlers)
/// let queue = try await TaskQueue(store, handlers)
/// let monitor = ConnectivityMonitor(source: source, prober: prober, clock: store.options.clock)
/// var settings = SyncSettings(server: url)
/// background.prepare(&settings, queue: queue, monitor: monitor)
/// let driver = SyncDriver(store: store, settings: settings)
/// try await background.run(driver, queue: queue, monitor: monitor)
/// ```
public final class BackgroundSync: Sendable {
  private let driver = Mutex<SyncDriver?>(nil)

  /// Makes it; the driver comes with ``run(_:queue:monitor:)``.
  public init() {}

  /// Adds the handlers of sync's own tasks.
  public func add(to handlers: inout Handlers) {
    handlers.on(SyncTask.self) { [self] _, _ in
      guard let driver = driver.withLock({ $0 }) else {
        // Nobody syncs in this process; another one may.
        return .wait(for: Self.hasDriver, because: "no driver runs in this process")
      }
      await driver.wake()
      return .done
    }
    handlers.onPrune()
  }

  /// Has a driver's waiting kept by the queue, and its requests tell the monitor what they meet.
  public func prepare(
    _ settings: inout SyncSettings, queue: TaskQueue, monitor: ConnectivityMonitor?
  ) {
    settings.alarm = QueueAlarm(queue, needsNetwork: monitor != nil)
    if let monitor { settings.evidence = { monitor.note($0) } }
  }

  /// Lets the tasks of a queue use a driver, as long as it is not detached.
  ///
  /// - Throws: What the queue throws.
  public func attach(_ driver: SyncDriver, to queue: TaskQueue) async throws(QueueError) {
    try await queue.schedule(
      PruneTask.kind, PruneTask(), .every(milliseconds: 86_400_000, anchor: 0))
    self.driver.withLock { $0 = driver }
    queue.set(Self.hasDriver, true)
  }

  /// Takes the driver away; tasks that need it wait for another one.
  public func detach(from queue: TaskQueue) {
    queue.set(Self.hasDriver, false)
    driver.withLock { $0 = nil }
  }

  /// Runs queue, monitor and driver until the calling task is cancelled.
  ///
  /// Coming online starts one round, and one look for tasks.
  ///
  /// - Throws: What the queue throws.
  public func run(
    _ driver: SyncDriver, queue: TaskQueue, monitor: ConnectivityMonitor?
  ) async throws(QueueError) {
    try await attach(driver, to: queue)
    defer { detach(from: queue) }
    await driver.start()
    let result = await withTaskGroup(of: Result<Void, QueueError>?.self) { group in
      if let monitor {
        group.addTask {
          await queue.follow(monitor)
          return nil
        }
        group.addTask {
          await Self.sync(driver, whenOnline: monitor)
          return nil
        }
      }
      group.addTask {
        do throws(QueueError) {
          try await queue.run()
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      var result: Result<Void, QueueError> = .success(())
      for await ended in group {
        guard let ended else { continue }
        result = ended
        group.cancelAll()
      }
      return result
    }
    await driver.stop()
    try result.get()
  }

  /// A signal of this process: it can sync.
  private static let hasDriver = Requirements(rawValue: 1 << 61)

  private static func sync(
    _ driver: SyncDriver, whenOnline monitor: ConnectivityMonitor
  ) async {
    var wasOnline = true
    for await known in monitor.states() {
      // The task that waited may have begun it already.
      if known.isOnline, !wasOnline, await !driver.isRunning { await driver.noteOnline() }
      wasOnline = known.isOnline
    }
  }
}

extension Handlers {
  /// Adds the handler of the queue's own housekeeping.
  fileprivate mutating func onPrune() {
    on(PruneTask.self) { _, context in
      _ = try await context.prune()
      return .done
    }
  }
}
