import Synchronization

/// Counts the rounds of sync under way, and sends away what would be too much.
final class RoundGate: Sendable {
  private struct State {
    var rounds = 0
    var bytes = 0
  }

  private let limits: ServerLimits
  private let state = Mutex(State())

  init(_ limits: ServerLimits) {
    self.limits = limits
  }

  /// Lets a round of so many bytes in, if there is room; it must leave by ``leave(bytes:)``.
  func enter(bytes: Int) -> Bool {
    state.withLock { state in
      guard state.rounds < limits.roundsAtOnce else { return false }
      // One alone is always let in.
      guard state.rounds == 0 || state.bytes + bytes <= limits.bytesAtOnce else { return false }
      state.rounds += 1
      state.bytes += bytes
      return true
    }
  }

  /// Ends a round that was let in.
  func leave(bytes: Int) {
    state.withLock { state in
      state.rounds -= 1
      state.bytes -= bytes
    }
  }
}
