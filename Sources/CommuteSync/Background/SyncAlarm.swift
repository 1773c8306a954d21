import CommuteStore
public import CommuteTasks

/// Wakes a driver after a while, even where its process dies in between.
///
/// Without one, a driver waits in memory, and goes on with the stored time when it is started.
public protocol SyncAlarm: Sendable {
  /// Has ``SyncDriver/wake()`` called after a time in milliseconds, once; an earlier wish is
  /// forgotten.
  func set(afterMilliseconds milliseconds: UInt64) async
  /// Forgets the wish.
  func clear() async
}

/// An alarm that is a task of the device's queue, in the same file as what is to be sent.
///
/// A local edit queues no task; only a time to wait for does. At most one such task waits, and one
/// more may run.
public struct QueueAlarm: SyncAlarm {
  let queue: TaskQueue
  /// Whether the tasks wait for the network, which then somebody must tell the queue of.
  let needsNetwork: Bool

  /// Makes an alarm.
  ///
  /// - Parameters:
  ///   - queue: The queue, with the handlers of ``BackgroundSync``.
  ///   - needsNetwork: Whether a monitor tells the queue when the server can be reached.
  public init(_ queue: TaskQueue, needsNetwork: Bool) {
    self.queue = queue
    self.needsNetwork = needsNetwork
  }

  /// Two names, since the task that runs now and asks for the next one keeps its own.
  static let keys = ["commute.sync", "commute.sync.next"]

  /// Queues the task, or moves the one that waits.
  public func set(afterMilliseconds milliseconds: UInt64) async {
    var options = EnqueueOptions()
    options.when = .after(milliseconds: milliseconds)
    options.duplicate = .supersedeIfWaiting
    options.serialKey = Self.keys[0]
    options.policy = SyncTask.policy
    if needsNetwork { options.policy?.requires = .network }
    for key in Self.keys {
      options.uniqueKey = key
      // What cannot be written now the driver still knows when it starts again.
      guard let queued = try? await queue.enqueue(SyncTask(), options) else { return }
      guard case .existing = queued else { return }
    }
  }

  /// Takes the task back that waits; one that runs ends by itself.
  public func clear() async {
    for key in Self.keys { _ = try? await queue.withdraw(uniqueKey: key) }
  }
}
