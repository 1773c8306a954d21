public import CommuteCore
import Synchronization

/// Tells what the system knows of the ways out of this device: now, and whenever it changes.
///
/// It is a hint: only an answer of the server makes a device online.
public protocol PathSource: Sendable {
  /// The path now and every later one; a slow reader sees only the newest.
  func paths() -> AsyncStream<Connectivity.Path>
}

/// Asks the server whether it is there.
public protocol Prober: Sendable {
  /// Sends a fresh nonce, and says what came back within the time limit.
  func probe(limit: Duration) async -> Connectivity.Verdict
}

/// A source that says what it is told to: for tests, and for systems that have another one.
public final class GivenPathSource: PathSource {
  private struct State {
    var path: Connectivity.Path?
    var listeners: [AsyncStream<Connectivity.Path>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Begins with a path; nil for nothing known.
  public init(_ path: Connectivity.Path? = nil) {
    state.withLock { $0.path = path }
  }

  /// Says that the path has changed.
  public func tell(_ path: Connectivity.Path) {
    state.withLock { state in
      state.path = path
      for listener in state.listeners { listener.yield(path) }
    }
  }

  /// The path now and every later one.
  public func paths() -> AsyncStream<Connectivity.Path> {
    let (stream, listener) = AsyncStream.makeStream(
      of: Connectivity.Path.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.listeners.append(listener)
      if let path = state.path { listener.yield(path) }
    }
    return stream
  }
}
