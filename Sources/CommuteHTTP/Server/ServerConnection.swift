#if canImport(CMicroHTTPD)
  internal import CMicroHTTPD
  import Synchronization

  /// One connection of a server, from accepting to closing, with the request it carries now.
  ///
  /// ```
  /// waiting → receiving → running → ready → answering → waiting …
  /// ```
  /// The library calls from the connection's own thread; the handler's task and the sweep come
  /// from others. While a request is running, the library has the connection suspended and
  /// does not look at it; exactly one of `deliver` and `abandon` resumes it.
  ///
  /// `@unchecked Sendable`: the pointer and the socket never change, both are valid until the
  /// library says that the connection is closed. `deliver` uses them only while the connection is
  /// suspended, which nobody else can end then, and `abandon` and the cuts under the registry's
  /// lock, which keeps the library from closing it.
  final class ServerConnection: @unchecked Sendable {
    private enum Phase {
      /// No request line has come yet.
      case waiting
      /// Head or body are on their way.
      case receiving
      /// The handler works.
      case running
      /// The answer is there, or there is none and the connection has to end.
      case ready
      /// The answer is being sent.
      case answering
    }

    private struct State {
      var phase = Phase.waiting
      var deadline: ContinuousClock.Instant?
      var target = HeadLayout.Span(start: 0, count: 0)
      var request = HTTPRequest(url: "")
      var body: [UInt8] = []
      var received = 0
      /// When the body began, for the rate at which it comes.
      var bodyStart = ContinuousClock.now
      /// What the request is answered with once its body has been swallowed.
      var refusal: Refusal?
      var answer: PreparedAnswer?
      var task: Task<Void, Never>?
      var isAbandoned = false
    }

    let peer: HTTPPeer
    private let connection: OpaquePointer
    private let socket: Int32
    private let core: ServerCore
    private let state: Mutex<State>

    init(_ connection: OpaquePointer, core: ServerCore) {
      self.connection = connection
      self.core = core
      socket = commute_mhd_socket(connection)
      peer = HTTPPeer(commute_mhd_address(connection))
      var start = State()
      start.deadline = ContinuousClock.now + core.settings.headTimeLimit
      state = Mutex(start)
    }

    // MARK: - Called by the library, on the connection's thread

    /// Takes note of what a request asks for, as soon as its first line has come.
    func sawTarget(_ target: UnsafePointer<CChar>) {
      state.withLock { state in
        let text = String(cString: target)
        state.target = .init(start: UInt(bitPattern: target), count: UInt(text.utf8.count))
        state.request = HTTPRequest(url: text)
        state.phase = .receiving
        // The idle time is over and the time for the head begins; a first head had it from the
        // start.
        let limit = ContinuousClock.now + core.settings.headTimeLimit
        state.deadline = state.deadline.map { min($0, limit) } ?? limit
      }
    }

    /// Checks the head of a request once it is complete.
    func begin(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> MHD_Result {
      state.withLock { state in
        let head = RequestHead(
          connection, method: method, version: version, url: state.request.url, at: state.target)
        do throws(Refusal) {
          let (method, framing) = try core.check(head)
          state.request.method = method
          state.request.headers = head.headers
          try expectBody(framing, &state)
          return commute_mhd_yes
        } catch {
          return queue(PreparedAnswer(error.answer, packing: false, closing: true), &state)
        }
      }
    }

    /// Takes a piece of the body; `commute_mhd_no` ends the connection.
    func take(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
      state.withLock { state in
        let limit = core.settings.bodyLimit
        state.received += piece.count
        // Whoever sends at the slowest rate allowed is never late, and whoever stops soon is.
        let earned = Duration.seconds(state.received) / max(core.settings.slowestRate, 1)
        state.deadline = state.bodyStart + core.settings.bodyTimeLimit + earned
        if state.received > limit, state.refusal == nil {
          state.refusal = tooLarge
          state.body = []
        }
        guard state.received <= swallowLimit else { return commute_mhd_no }
        if state.refusal == nil { state.body.append(contentsOf: piece) }
        return commute_mhd_yes
      }
    }

    /// Starts the handler once the request is complete, or queues its answer once that is there.
    func proceed() -> MHD_Result {
      state.withLock { state in
        switch state.phase {
        case .receiving:
          if let refusal = state.refusal {
            return queue(PreparedAnswer(refusal.answer, packing: false, closing: true), &state)
          }
          guard !state.isAbandoned else { return commute_mhd_no }
          startHandler(&state)
          return commute_mhd_yes
        case .ready:
          return queue(state.answer, &state)
        case .waiting, .running, .answering:
          return commute_mhd_no
        }
      }
    }

    /// Makes ready for the next request, if there will be one.
    func completed() {
      state.withLock { state in
        let isAbandoned = state.isAbandoned
        state = State()
        state.isAbandoned = isAbandoned
        state.deadline = ContinuousClock.now + core.settings.idleTimeLimit
        if isAbandoned || core.isDraining.load(ordering: .relaxed) { cut() }
      }
    }

    // MARK: - Called from other threads

    /// Ends the connection if what it waits for is overdue; the caller holds the registry's lock.
    func cutIfLate(_ now: ContinuousClock.Instant) {
      state.withLock { state in
        guard let deadline = state.deadline, deadline < now else { return }
        state.deadline = nil
        cut()
      }
    }

    /// Ends the connection if it carries no request; the caller holds the registry's lock.
    func cutIfIdle() {
      state.withLock { state in
        guard state.phase == .waiting else { return }
        cut()
      }
    }

    /// Ends the connection as soon as the library looks at it, and the handler with it.
    func abandon() {
      state.withLock { state in
        state.isAbandoned = true
        guard state.phase == .running else { return }
        state.task?.cancel()
        state.phase = .ready
        MHD_resume_connection(connection)
      }
    }

    private func deliver(_ answer: PreparedAnswer?) {
      core.resumptions.add(1, ordering: .acquiringAndReleasing)
      let isWanted = state.withLock { state in
        // Abandoned meanwhile: the connection may be gone, the answer goes with it.
        guard state.phase == .running else { return false }
        state.answer = answer
        state.phase = .ready
        return true
      }
      // Behind the lock, or the connection's thread would wake only to wait for it. The connection
      // stays suspended, so valid, until this call, and the daemon is not stopped before it.
      if isWanted { MHD_resume_connection(connection) }
      core.resumptions.subtract(1, ordering: .acquiringAndReleasing)
    }

    // MARK: - Under the lock

    /// The most bytes that are read of a body too large, so that its sender gets to read why.
    private var swallowLimit: Int {
      let (limit, overflow) = core.settings.bodyLimit.multipliedReportingOverflow(by: 4)
      return overflow ? .max : limit
    }

    private var tooLarge: Refusal {
      Refusal(
        status: 413,
        line: "the body has more than \(core.settings.bodyLimit) bytes; send less at once")
    }

    private func expectBody(
      _ framing: RequestHead.Framing, _ state: inout State
    ) throws(Refusal) {
      if case .length(let length) = framing {
        let isAsking = state.request.headers["Expect"] != nil
        if length > core.settings.bodyLimit {
          guard !isAsking, length <= swallowLimit else { throw tooLarge }
          state.refusal = tooLarge
        } else {
          // Not all at once: a length is only a promise.
          state.body.reserveCapacity(min(length, 1 << 20))
        }
      }
      state.bodyStart = .now
      state.deadline = state.bodyStart + core.settings.bodyTimeLimit
    }

    private func startHandler(_ state: inout State) {
      var request = state.request
      swap(&request.body, &state.body)
      state.phase = .running
      state.deadline = nil
      MHD_suspend_connection(connection)
      state.task = Task { [self, request] in
        deliver(await core.answer(to: request, from: peer))
      }
    }

    private func queue(_ answer: PreparedAnswer?, _ state: inout State) -> MHD_Result {
      guard let answer else { return commute_mhd_no }
      state.phase = .answering
      state.task = nil
      state.answer = nil
      let allowed = Duration.seconds(answer.size) / max(core.settings.slowestRate, 1)
      state.deadline = .now + core.settings.answerTimeLimit + allowed
      return answer.queue(on: connection)
    }

    /// Wakes the library, which then finds the connection closed by the other side.
    private func cut() {
      shutdown(socket, Int32(SHUT_RDWR))
    }
  }
#endif
