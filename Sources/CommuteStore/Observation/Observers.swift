import Foundation
import Synchronization

/// Who observes what: wakes exactly those whose result a commit may have changed.
///
/// The writer only marks and signals; queries are run again on a thread of their own.
final class Observers: Sendable {
  /// One observed read.
  struct Observer: Sendable {
    /// What the last read looked at; nil before the first.
    var region: Region?
    var isDue = true
    /// Reads again, hands over what it looked at, then delivers; false ends the observation.
    let read: @Sendable (StoreConnection, (Region) -> Void) -> Bool
    /// Called when the store is closed, or cannot be read any more.
    let end: @Sendable (StoreError?) -> Void

    init(
      read: @escaping @Sendable (StoreConnection, (Region) -> Void) -> Bool,
      end: @escaping @Sendable (StoreError?) -> Void
    ) {
      self.read = read
      self.end = end
    }
  }

  /// Someone who wants to hear that local changes wait.
  private struct QueueListener {
    let heard: @Sendable () -> Void
    let end: @Sendable () -> Void
  }

  private struct Registry {
    var observers: [Int: Observer] = [:]
    var nextID = 0
    var queueListeners: [Int: QueueListener] = [:]
    var isClosed = false
  }

  private let registry = Locked(Registry())
  private let watched = Atomic<Int>(0)
  private let whenDue: Locked<(@Sendable () -> Void)?> = Locked(nil)
  private let whenWatched: Locked<(@Sendable (Bool) -> Void)?> = Locked(nil)

  /// Whether anybody observes.
  var isWatched: Bool { watched.load(ordering: .acquiring) > 0 }

  /// Tells who runs the queries.
  func connect(
    due: @escaping @Sendable () -> Void, watched: @escaping @Sendable (Bool) -> Void
  ) {
    whenDue.withLock { $0 = due }
    whenWatched.withLock { $0 = watched }
  }

  /// Adds an observed read and has it read for the first time; nil where the store is closed.
  func add(_ observer: Observer) -> Int? {
    let (id, isFirst) = registry.withLock { registry -> (Int?, Bool) in
      guard !registry.isClosed else { return (nil, false) }
      registry.nextID += 1
      registry.observers[registry.nextID] = observer
      watched.add(1, ordering: .releasing)
      return (registry.nextID, registry.observers.count == 1)
    }
    guard id != nil else { return nil }
    if isFirst { whenWatched.withLock { $0 }?(true) }
    due()
    return id
  }

  /// Removes an observed read.
  func remove(_ id: Int) {
    let isLast = registry.withLock { registry in
      guard registry.observers.removeValue(forKey: id) != nil else { return false }
      watched.subtract(1, ordering: .releasing)
      return registry.observers.isEmpty
    }
    if isLast { whenWatched.withLock { $0 }?(false) }
  }

  /// Marks the reads that a commit may have changed.
  func note(_ changes: [CommittedChange]) {
    guard !changes.isEmpty, isWatched else { return }
    let isAnyDue = registry.withLock { registry in
      var isAnyDue = false
      for (id, observer) in registry.observers where !observer.isDue {
        guard let region = observer.region, changes.contains(where: region.isTouched) else {
          continue
        }
        registry.observers[id]?.isDue = true
        isAnyDue = true
      }
      return isAnyDue
    }
    if isAnyDue { due() }
  }

  /// Marks all reads: somebody else has written.
  func noteEverything() {
    guard isWatched else { return }
    registry.withLock { registry in
      for id in registry.observers.keys { registry.observers[id]?.isDue = true }
    }
    due()
  }

  private func due() {
    whenDue.withLock { $0 }?()
  }

  /// Reads again all that is due.
  func serve(on session: StoreConnection) {
    let due = registry.withLock { registry in
      var due: [(id: Int, observer: Observer)] = []
      for (id, observer) in registry.observers where observer.isDue {
        due.append((id, observer))
        // A commit from here on makes it due once more.
        registry.observers[id]?.isDue = false
        registry.observers[id]?.region = .everything
      }
      return due.sorted { $0.id < $1.id }
    }
    for (id, observer) in due {
      // The region is known before the result is: whoever writes next, having seen the result,
      // wakes only those whom it concerns.
      let goesOn = observer.read(session) { region in
        registry.withLock { $0.observers[id]?.region = region }
      }
      if !goesOn { remove(id) }
    }
  }

  /// Ends all observations: the store is closed.
  func close() {
    let listeners = registry.withLock { registry in
      registry.isClosed = true
      defer { registry.queueListeners = [:] }
      return registry.queueListeners.values.map(\.end)
    }
    for end in listeners { end() }
    endAll(nil)
  }

  /// Ends all observations: the store cannot be read.
  func fail(_ error: StoreError) {
    endAll(error)
  }

  private func endAll(_ error: StoreError?) {
    let ends = registry.withLock { registry in
      defer { registry.observers = [:] }
      return registry.observers.values.map(\.end)
    }
    watched.subtract(ends.count, ordering: .releasing)
    for end in ends { end(error) }
  }

  /// Adds someone who wants to hear that local changes wait to be sent.
  func addQueueListener(
    _ heard: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void
  ) -> Int {
    registry.withLock { registry in
      registry.nextID += 1
      registry.queueListeners[registry.nextID] = QueueListener(heard: heard, end: end)
      return registry.nextID
    }
  }

  /// Removes a listener.
  func removeQueueListener(_ id: Int) {
    _ = registry.withLock { $0.queueListeners.removeValue(forKey: id) }
  }

  /// Tells that local changes wait to be sent.
  func noteQueued() {
    for listener in registry.withLock({ Array($0.queueListeners.values) }) { listener.heard() }
  }
}
