import CommuteCore
import Synchronization

/// Everybody who observes the store: which reads are observed, what they looked at, and what was
/// committed since they were last made.
///
/// The writer only keeps a log and signals; reads are made again on a thread of their own.
final class Observers: Sendable {
  /// One observed read.
  struct Observer: Sendable {
    /// What the last read looked at; nil before the first.
    var region: Region?
    /// Which changes can make a difference, where a list is kept; it is brought up to date by
    /// these alone.
    let scope: ListScope?
    /// Called before the state is begun in which the read may be made.
    let begin: (@Sendable () -> Void)?
    /// Brings the result up to date and delivers what is new.
    let serve: @Sendable (StoreConnection, Changes) -> Served
    /// Called when the store is closed, or cannot be read any more.
    let end: @Sendable (StoreError?) -> Void

    init(
      scope: ListScope? = nil, begin: (@Sendable () -> Void)? = nil,
      serve: @escaping @Sendable (StoreConnection, Changes) -> Served,
      end: @escaping @Sendable (StoreError?) -> Void
    ) {
      self.scope = scope
      self.begin = begin
      self.serve = serve
      self.end = end
    }
  }

  /// What became of an observed read.
  enum Served: Sendable {
    /// It was made and looked at this.
    case looked(at: Region)
    /// What it depends on is the same as before.
    case asBefore
    /// It could not be made, and is to be tried again.
    case failed
    /// The observation is over.
    case ended
  }

  /// What was committed since an observed read was last made.
  enum Changes: Sendable {
    /// Whatever: it is the first read, or others have written.
    case everything
    /// These rows.
    case rows([CommittedChange])
  }

  /// Someone who wants to hear that local changes wait.
  private struct QueueListener {
    let heard: @Sendable () -> Void
    let end: @Sendable () -> Void
  }

  private struct Registry {
    /// In the order in which they began to observe, with rising ids.
    var observers: [(id: Int, observer: Observer)] = []
    /// What is called before a state is begun.
    var begins: [Int: @Sendable () -> Void] = [:]
    var nextID = 0
    var queueListeners: [Int: QueueListener] = [:]
    var isClosed = false
    /// What was committed since the observed reads were last made.
    var log = ChangeLog()

    /// Where an observed read stands; nil where it was removed.
    func place(of id: Int) -> Int? {
      var low = 0
      var high = observers.count
      while low < high {
        let middle = (low + high) / 2
        if observers[middle].id < id { low = middle + 1 } else { high = middle }
      }
      return low < observers.count && observers[low].id == id ? low : nil
    }

    mutating func setRegion(_ region: Region?, of id: Int) {
      if let place = place(of: id) { observers[place].observer.region = region }
    }
  }

  /// The reads that may have another result, and whether the store must be read for them.
  private struct Due {
    var observers: [(id: Int, observer: Observer, changes: Changes)] = []
    var needsReading = false
  }

  private let registry = Locked(Registry())
  private let watched = Atomic<Int>(0)
  private let listening = Atomic<Int>(0)
  /// Whether the thread that reads was told that there is something to do.
  private let isDue = Atomic(false)
  /// Held from before a commit until it stands in the log, and while a reading thread begins to see
  /// one state: so that what it takes from the log is what that state has, no less and no more.
  private let publishing = Locked(())
  private let whenDue: Locked<(@Sendable () -> Void)?> = Locked(nil)
  private let whenWatched: Locked<(@Sendable (Bool) -> Void)?> = Locked(nil)

  /// Whether anybody observes.
  var isWatched: Bool { watched.load(ordering: .acquiring) > 0 }

  /// Tells who makes the reads.
  func connect(
    due: @escaping @Sendable () -> Void, watched: @escaping @Sendable (Bool) -> Void
  ) {
    whenDue.withLock { $0 = due }
    whenWatched.withLock { $0 = watched }
  }

  /// Adds an observed read and has it made for the first time; nil where the store is closed.
  func add(_ observer: Observer) -> Int? {
    let (id, isFirst) = registry.withLock { registry -> (Int?, Bool) in
      guard !registry.isClosed else { return (nil, false) }
      registry.nextID += 1
      registry.observers.append((registry.nextID, observer))
      registry.begins[registry.nextID] = observer.begin
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
      guard let place = registry.place(of: id) else { return false }
      registry.observers.remove(at: place)
      registry.begins[id] = nil
      watched.subtract(1, ordering: .releasing)
      if registry.observers.isEmpty { registry.log = ChangeLog() }
      return registry.observers.isEmpty
    }
    if isLast { whenWatched.withLock { $0 }?(false) }
  }

  /// Commits and notes what the commit changed, so that nobody sees one without the other.
  ///
  /// - Throws: What `commit` throws; nothing is noted then.
  func publish<Failure: Error>(
    _ changes: [CommittedChange], commit: () throws(Failure) -> Void
  ) throws(Failure) {
    try publishing.withLock { (_) throws(Failure) in
      try commit()
      registry.withLock { $0.log.add(changes) }
    }
    if !changes.isEmpty { due() }
  }

  /// Has all reads made again: somebody else has written.
  func noteEverything() {
    guard isWatched else { return }
    registry.withLock { $0.log.add(nil) }
    due()
  }

  /// Has the reads made that are due.
  func due() {
    // A thread that was told and has not begun yet finds this, too.
    guard !isDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
    whenDue.withLock { $0 }?()
  }

  /// Leaves what is due for later: nothing can be read now.
  func postpone() {
    isDue.store(false, ordering: .releasing)
  }

  /// Makes all reads again that may have another result, in one state of the store.
  ///
  /// - Throws: ``StoreError`` where the store cannot be read; nothing is lost of what is due.
  func serve(on session: StoreConnection) throws(StoreError) {
    isDue.store(false, ordering: .releasing)
    let begins = registry.withLock { registry -> [@Sendable () -> Void] in
      registry.begins.isEmpty ? [] : registry.begins.sorted { $0.key < $1.key }.map(\.value)
    }
    for begin in begins { begin() }
    let due = try publishing.withLock { (_) throws(StoreError) -> Due in
      // In one step: that others have written is noted without waiting for a commit.
      let (due, log) = registry.withLock { registry in
        defer { registry.log = ChangeLog() }
        return (Self.due(registry), registry.log)
      }
      guard due.needsReading else { return due }
      do throws(StoreError) {
        try session.beginSnapshot()
      } catch {
        registry.withLock { $0.log.putBack(log) }
        throw error
      }
      return due
    }
    defer { if due.needsReading { session.endSnapshot() } }
    for (id, observer, changes) in due.observers {
      switch observer.serve(session, changes) {
      case .looked(at: let region): registry.withLock { $0.setRegion(region, of: id) }
      case .asBefore: continue
      case .failed: registry.withLock { $0.setRegion(nil, of: id) }
      case .ended: remove(id)
      }
    }
  }

  /// The reads that may have another result, in the order in which they were begun.
  private static func due(_ registry: borrowing Registry) -> Due {
    let log = registry.log
    var due = Due()
    for index in registry.observers.indices {
      guard !log.isEverything, let region = registry.observers[index].observer.region else {
        due.observers.append(
          (registry.observers[index].id, registry.observers[index].observer, .everything))
        due.needsReading = true
        continue
      }
      let scope = registry.observers[index].observer.scope
      if let scope {
        guard scope.isConcerned(by: log.rows) else { continue }
        due.needsReading = due.needsReading || !log.tells(scope)
      } else {
        guard log.rows.contains(where: region.isTouched) else { continue }
        due.needsReading = true
      }
      due.observers.append(
        (registry.observers[index].id, registry.observers[index].observer, .rows(log.rows)))
    }
    return due
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
      defer {
        registry.observers = []
        registry.begins = [:]
      }
      return registry.observers.map(\.observer.end)
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
      listening.store(registry.queueListeners.count, ordering: .releasing)
      return registry.nextID
    }
  }

  /// Removes a listener.
  func removeQueueListener(_ id: Int) {
    registry.withLock { registry in
      registry.queueListeners[id] = nil
      listening.store(registry.queueListeners.count, ordering: .releasing)
    }
  }

  /// Tells that local changes wait to be sent.
  func noteQueued() {
    guard listening.load(ordering: .acquiring) > 0 else { return }
    for listener in registry.withLock({ Array($0.queueListeners.values) }) { listener.heard() }
  }
}

/// What was committed since the observed reads were last made.
struct ChangeLog: Sendable {
  /// How many rows are kept apart; after that it is cheaper to read everything again.
  static let most = 4_096
  /// How many of a list are taken one by one.
  static let few = 256

  private(set) var rows: [CommittedChange] = []
  private(set) var isEverything = false

  /// Adds what a commit changed; nil where that is not known.
  mutating func add(_ changes: [CommittedChange]?) {
    guard !isEverything else { return }
    guard let changes, rows.count + changes.count <= Self.most else {
      rows = []
      isEverything = true
      return
    }
    rows += changes
  }

  /// Puts back what was taken out and could not be served, before what came since.
  mutating func putBack(_ earlier: ChangeLog) {
    let since = self
    self = earlier
    add(since.isEverything ? nil : since.rows)
  }

  /// Whether what a kept list becomes can be told without reading the store.
  ///
  /// Of a list that is full only the store knows what comes up from behind.
  func tells(_ scope: ListScope) -> Bool {
    rows.count <= Self.few && !scope.isFull
      && rows.allSatisfy { !scope.isOf($0.table) || $0.row != nil }
  }
}
