public import CommuteCore
public import CommuteStore
import Synchronization

/// Finds out whether the server can be reached, by what the system says, by what the app's own
/// requests meet, and by asking the server where somebody waits for it.
///
/// It decides nothing: ``Connectivity`` does. A stored verdict never keeps a person's own "sync
/// now" from being tried.
public final class ConnectivityMonitor: Sendable {
  private struct State {
    var known = Connectivity()
    /// Where events go while it runs.
    var mouth: AsyncStream<Connectivity.Event>.Continuation?
    /// What was told before.
    var early: [Connectivity.Event] = []
    var listeners: [Int: AsyncStream<Connectivity>.Continuation] = [:]
    var lastListener = 0
  }

  private let source: any PathSource
  private let prober: any Prober
  private let clock: StoreClock
  private let draw: @Sendable () -> UInt64
  private let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void
  private let state = Mutex(State())

  /// Makes a monitor that knows nothing until it is run.
  ///
  /// - Parameters:
  ///   - source: What the system says.
  ///   - prober: How the server is asked.
  ///   - clock: Where time comes from.
  ///   - draw: 64 random bits for the delays between probes.
  ///   - sleep: Waits; handed in so that tests need not.
  public init(
    source: any PathSource, prober: any Prober, clock: StoreClock,
    draw: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
    sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void = QueueSettings().sleep
  ) {
    self.source = source
    self.prober = prober
    self.clock = clock
    self.draw = draw
    self.sleep = sleep
  }

  /// What is known.
  public var connectivity: Connectivity { state.withLock { $0.known } }

  /// Tells what a request of the app's own has met, or whether anybody waits for the network.
  public func note(_ event: Connectivity.Event) {
    state.withLock { state in
      if let mouth = state.mouth { mouth.yield(event) } else { state.early.append(event) }
    }
  }

  /// What is known now and whenever it changes; a slow reader sees only the newest.
  public func states() -> AsyncStream<Connectivity> {
    let (stream, listener) = AsyncStream.makeStream(
      of: Connectivity.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = listener
      listener.yield(state.known)
      return state.lastListener
    }
    listener.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// Listens until the calling task is cancelled; a second call returns at once.
  public func run() async {
    let (events, mouth) = AsyncStream.makeStream(of: Connectivity.Event.self)
    let isFirst = state.withLock { state in
      guard state.mouth == nil else { return false }
      state.mouth = mouth
      for event in state.early { mouth.yield(event) }
      state.early = []
      return true
    }
    guard isFirst else { return }
    defer { state.withLock { $0.mouth = nil } }
    await withTaskGroup { group in
      group.addTask { [source] in
        for await path in source.paths() { mouth.yield(.path(path)) }
      }
      for await event in events { carryOut(hear(event), mouth, in: &group) }
      group.cancelAll()
    }
  }

  private func hear(_ event: Connectivity.Event) -> [Connectivity.Effect] {
    state.withLock { state in
      let effects = state.known.hear(event, now: clock.monotonic(), draw: draw())
      if effects.contains(.changed) {
        for listener in state.listeners.values { listener.yield(state.known) }
      }
      return effects
    }
  }

  private func carryOut(
    _ effects: [Connectivity.Effect], _ mouth: AsyncStream<Connectivity.Event>.Continuation,
    in group: inout TaskGroup<Void>
  ) {
    for effect in effects {
      switch effect {
      case .changed: break  // Told with the change.
      case .probe:
        group.addTask { [prober] in
          mouth.yield(
            .probed(await prober.probe(limit: .milliseconds(Connectivity.probeLimit))))
        }
      case .wake(let time):
        let length = max(0, time &- clock.monotonic())
        group.addTask { [sleep] in
          // Of several that were asked for, each only makes it look once more.
          if (try? await sleep(length)) != nil { mouth.yield(.timer) }
        }
      }
    }
  }
}

extension TaskQueue {
  /// Goes by a monitor until the calling task is cancelled: tasks that need the network start when
  /// the server can be reached, and it is only asked while some of them wait.
  public func follow(_ monitor: ConnectivityMonitor) async {
    listen { monitor.note($0) }
    await withTaskGroup { group in
      group.addTask { await monitor.run() }
      for await known in monitor.states() {
        let isOnline = known.isOnline
        set(.network, isOnline)
        set(.unmetered, isOnline && known.path?.isMetered == false)
        set(.unconstrained, isOnline && known.path?.isConstrained == false)
      }
      group.cancelAll()
    }
    listen(nil)
  }
}
