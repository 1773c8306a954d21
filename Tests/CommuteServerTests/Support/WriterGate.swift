import CommuteServerSQLite
import Dispatch
import Synchronization

/// Holds the writer's thread at a point until the test lets it go, and counts the points.
///
/// It blocks a thread of the store's own, never one of Swift's.
final class WriterGate: Sendable {
  private struct State {
    var counts: [StorePoint: Int] = [:]
    var holdsAt: StorePoint?
    var isHeld = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>
  private let signal = DispatchSemaphore(value: 0)

  /// Holds the first transaction that comes to the point; nil only counts.
  init(holdingAt point: StorePoint? = nil) {
    state = Mutex(State(holdsAt: point))
  }

  /// The settings of a store that this gate holds.
  var settings: ServerSQLiteSettings {
    var settings = ServerSQLiteSettings()
    settings.hook = { self.pass($0) }
    return settings
  }

  /// How often a point was passed.
  func count(_ point: StorePoint) -> Int { state.withLock { $0.counts[point] ?? 0 } }

  private func pass(_ point: StorePoint) {
    let (holds, waiting) = state.withLock { state in
      state.counts[point, default: 0] += 1
      guard state.holdsAt == point else { return (false, nil as CheckedContinuation<Void, Never>?) }
      state.holdsAt = nil
      state.isHeld = true
      defer { state.waiting = nil }
      return (true, state.waiting)
    }
    waiting?.resume()
    if holds { signal.wait() }
  }

  /// Waits until the writer is held.
  func waitUntilHeld() async {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if !state.isHeld { state.waiting = continuation }
        return state.isHeld
      }
      if isHeld { continuation.resume() }
    }
  }

  /// Lets the writer go.
  func open() { signal.signal() }
}

extension ServerSQLiteStore {
  /// Waits until so many requests are in line.
  func waitUntil(waiting count: Int) async {
    while waitingCount < count { await Task.yield() }
  }
}
