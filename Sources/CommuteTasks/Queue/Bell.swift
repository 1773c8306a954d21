import Synchronization

/// Wakes all who wait; a ring that nobody heard is kept for the next who listens.
final class Bell: Sendable {
  private struct State {
    var hasRung = false
    var lastWaiter = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Those who were cancelled before they waited.
    var gone: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Wakes, now or as soon as somebody waits.
  func ring() {
    let waiting = state.withLock { state in
      state.hasRung = state.waiting.isEmpty
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for the next ring, one that was not heard included, or until it is cancelled.
  ///
  /// Who is cancelled takes no ring away from others.
  func wait() async {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = state.withLock { state -> Bool in
          if state.gone.contains(number) { return true }
          if state.hasRung {
            state.hasRung = false
            return true
          }
          state.waiting[number] = continuation
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: number)
        if continuation == nil { state.gone.insert(number) }
        return continuation
      }
      continuation?.resume()
    }
    state.withLock { _ = $0.gone.remove(number) }
  }
}
