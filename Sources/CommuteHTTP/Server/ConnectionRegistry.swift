#if canImport(CMicroHTTPD)
  import Synchronization

  /// All open connections of a server, to count them by address, to sweep them, and to end them.
  ///
  /// A connection is taken out before its socket is closed, so whoever walks over them under this
  /// lock never meets a socket that belongs to someone else by now.
  final class ConnectionRegistry: Sendable {
    private struct State {
      var connections: [ObjectIdentifier: ServerConnection] = [:]
      var countByAddress: [UInt64: Int] = [:]
      var isStopping = false
      var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many connections are open.
    var count: Int { state.withLock { $0.connections.count } }

    /// How many connections this address has open.
    func count(of peer: HTTPPeer) -> Int {
      state.withLock { $0.countByAddress[peer.countedAs] ?? 0 }
    }

    /// Takes a new connection in; one that comes while the server stops is given up at once.
    func add(_ connection: ServerConnection) {
      let isTooLate = state.withLock { state in
        state.connections[ObjectIdentifier(connection)] = connection
        state.countByAddress[connection.peer.countedAs, default: 0] += 1
        return state.isStopping
      }
      if isTooLate { connection.abandon() }
    }

    /// Takes a connection out, before its socket is closed.
    func remove(_ connection: ServerConnection) {
      let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.connections[ObjectIdentifier(connection)] = nil
        let address = connection.peer.countedAs
        let left = (state.countByAddress[address] ?? 1) - 1
        state.countByAddress[address] = left > 0 ? left : nil
        guard state.connections.isEmpty else { return [] }
        defer { state.waiters = [] }
        return state.waiters
      }
      waiters.forEach { $0.resume() }
    }

    /// Does something to every connection while none of them can close its socket.
    func forEach(_ body: (ServerConnection) -> Void) {
      state.withLock { $0.connections.values.forEach(body) }
    }

    /// Gives every connection up, also those to come.
    func abandonAll() {
      state.withLock { state in
        state.isStopping = true
        state.connections.values.forEach { $0.abandon() }
      }
    }

    /// Returns once no connection is open, or the time is up.
    func waitUntilEmpty(limit: Duration) async {
      let timer = Task {
        try? await Task.sleep(for: limit)
        stopWaiting()
      }
      await withCheckedContinuation { waiter in
        let isEmpty = state.withLock { state in
          guard !state.connections.isEmpty else { return true }
          state.waiters.append(waiter)
          return false
        }
        if isEmpty { waiter.resume() }
      }
      timer.cancel()
    }

    private func stopWaiting() {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        return state.waiters
      }
      waiters.forEach { $0.resume() }
    }
  }
#endif
