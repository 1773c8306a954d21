import Synchronization

/// Waits until a number of threads have ended.
final class Countdown: Sendable {
  private struct State {
    var left: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// Counts down from so many.
  init(_ count: Int) {
    state = Mutex(State(left: count))
  }

  /// One has ended.
  func countDown() {
    let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
      state.left -= 1
      guard state.left <= 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until all have.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.left > 0 { state.waiting.append(continuation) }
        return state.left <= 0
      }
      if isOver { continuation.resume() }
    }
  }
}
