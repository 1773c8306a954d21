#if os(Linux)
  internal import CCurl
  import Synchronization

  /// The thread that drives all transfers of one client.
  ///
  /// `@unchecked Sendable`: what other threads touch is `inbox`, which is locked, and
  /// `curl_multi_wakeup`, which libcurl allows from any thread; the rest belongs to the thread.
  /// It frees `multi` only once the inbox is closed, and the client closes it only when it is
  /// released, so when none of its requests is running.
  final class CurlLoop: @unchecked Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPClientError>
    typealias Waiter = CheckedContinuation<Outcome, Never>

    private struct Inbox {
      var arrivals: [(CurlTransfer, Waiter)] = []
      var cancelled: [CurlTransfer] = []
      var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    private let multi: UnsafeMutableRawPointer?
    private var running: [UnsafeMutableRawPointer: (transfer: CurlTransfer, waiter: Waiter)] = [:]
    private var spareHandles: [UnsafeMutableRawPointer] = []

    /// libcurl wants this once in a process, before anything else.
    private static let isPrepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(connectionsPerHost: Int) {
      multi = Self.isPrepared ? curl_multi_init() : nil
      guard let multi else { return }
      _ = commute_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    }

    /// Starts the thread; it keeps the loop alive until `stop`.
    func start() {
      if !BackgroundThread.start({ [self] in run() }) { stop() }
    }

    /// Cancels what is running and lets the thread end.
    func stop() {
      let abandoned = inbox.withLock { inbox in
        inbox.isClosed = true
        // Before the lock is given back: the thread frees the handle once it sees the inbox closed.
        if let multi { curl_multi_wakeup(multi) }
        defer { inbox.arrivals = [] }
        return inbox.arrivals
      }
      for (_, waiter) in abandoned { waiter.resume(returning: .failure(.cancelled)) }
    }

    /// Takes a transfer on and resumes the waiter when it is over.
    func run(_ transfer: CurlTransfer, _ waiter: Waiter) {
      let isTaken = inbox.withLock { inbox in
        guard !inbox.isClosed, multi != nil else { return false }
        inbox.arrivals.append((transfer, waiter))
        return true
      }
      guard isTaken, let multi else {
        return waiter.resume(returning: .failure(.noNetwork(.outOfResources)))
      }
      // Behind the lock, or the thread would wake only to wait for it.
      curl_multi_wakeup(multi)
    }

    /// Ends a transfer early, also one that arrives only after this call.
    func cancel(_ transfer: CurlTransfer) {
      transfer.isCancelled.store(true, ordering: .releasing)
      inbox.withLock { inbox in
        guard !inbox.isClosed, let multi else { return }
        inbox.cancelled.append(transfer)
        curl_multi_wakeup(multi)
      }
    }

    private func run() {
      guard let multi else { return }
      var count: Int32 = 0
      while takeOrders(multi) {
        curl_multi_perform(multi, &count)
        finishDone(multi)
        // Woken by an order, a socket or a time-out of libcurl's own; the minute is only a bound.
        curl_multi_poll(multi, nil, 0, 60_000, nil)
      }
      for (handle, entry) in running {
        curl_multi_remove_handle(multi, handle)
        curl_easy_cleanup(handle)
        entry.waiter.resume(returning: .failure(.cancelled))
      }
      running = [:]
      spareHandles.forEach { curl_easy_cleanup($0) }
      curl_multi_cleanup(multi)
    }

    /// Starts and cancels what was asked for; false once the loop has to end.
    private func takeOrders(_ multi: UnsafeMutableRawPointer) -> Bool {
      let orders = inbox.withLock { inbox in
        defer { (inbox.arrivals, inbox.cancelled) = ([], []) }
        return inbox
      }
      guard !orders.isClosed else { return false }
      for (transfer, waiter) in orders.arrivals { begin(transfer, waiter, multi) }
      for transfer in orders.cancelled {
        guard let handle = transfer.handle else { continue }
        finish(handle, multi) { _ in .failure(.cancelled) }
      }
      return true
    }

    private func begin(
      _ transfer: CurlTransfer, _ waiter: Waiter, _ multi: UnsafeMutableRawPointer
    ) {
      guard !transfer.isCancelled.load(ordering: .acquiring) else {
        return waiter.resume(returning: .failure(.cancelled))
      }
      guard let handle = spareHandles.popLast() ?? curl_easy_init() else {
        return waiter.resume(returning: .failure(.noNetwork(.outOfResources)))
      }
      running[handle] = (transfer, waiter)
      guard transfer.prepare(handle), curl_multi_add_handle(multi, handle) == CURLM_OK else {
        return finish(handle, multi) { _ in .failure(.noNetwork(.outOfResources)) }
      }
    }

    private func finishDone(_ multi: UnsafeMutableRawPointer) {
      var left: Int32 = 0
      while let message = curl_multi_info_read(multi, &left) {
        guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else {
          continue
        }
        let code = commute_multi_result(message)
        finish(handle, multi) { $0.outcome(of: handle, code) }
      }
    }

    private func finish(
      _ handle: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer,
      _ outcome: (CurlTransfer) -> Outcome
    ) {
      guard let (transfer, waiter) = running.removeValue(forKey: handle) else { return }
      let result = outcome(transfer)
      curl_multi_remove_handle(multi, handle)
      transfer.release()
      curl_easy_reset(handle)
      spareHandles.append(handle)
      waiter.resume(returning: result)
    }
  }
#endif
