import Synchronization

/// Something that one side waits for until the other opens it, once.
final class Gate: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Mutex(State.closed([]))

  func open() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state = .open }
      guard case .closed(let waiters) = state else { return [] }
      return waiters
    }
    waiters.forEach { $0.resume() }
  }

  /// Waits until the gate is open, whether or not the task is cancelled.
  func wait() async {
    await withCheckedContinuation { waiter in
      let isOpen = state.withLock { state in
        guard case .closed(let waiters) = state else { return true }
        state = .closed(waiters + [waiter])
        return false
      }
      if isOpen { waiter.resume() }
    }
  }

  /// Waits until the gate is open or the task is cancelled; true if it was cancelled.
  func waitOrCancel() async -> Bool {
    await withTaskCancellationHandler {
      await wait()
    } onCancel: {
      open()
    }
    return Task.isCancelled
  }
}
