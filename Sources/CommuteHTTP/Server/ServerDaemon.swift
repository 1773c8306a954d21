#if canImport(CMicroHTTPD)
  internal import CMicroHTTPD
  import Synchronization
  #if canImport(Darwin)
    import Darwin
  #else
    import Glibc
  #endif

  /// The running library: its threads, its listening socket, and the calls it makes to us.
  ///
  /// `@unchecked Sendable`: the pointers never change, and `stop` is called once, by the one who
  /// took the daemon out of its server.
  struct ServerDaemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    private let context: Unmanaged<ServerCore>
    /// The port it listens at.
    let port: UInt16

    /// Opens the socket and starts the threads.
    init(_ core: ServerCore) throws(HTTPServerError) {
      let listener = try Listener(host: core.settings.host, port: core.settings.port)
      // The library takes a copy of its own: after some faults it has closed it, after others not.
      let copy = dup(listener.socket)
      defer { close(listener.socket) }
      context = Unmanaged.passRetained(core)
      var settings = commute_mhd_settings(
        listening_socket: copy, threads: UInt32(clamping: max(core.settings.threadCount, 1)),
        connection_limit: UInt32(clamping: core.settings.connectionLimit),
        // Room for a head, for what the library notes about each field, and for pieces of bodies.
        connection_memory: core.settings.headLimit + (16 << 10),
        context: context.toOpaque(), admits: Self.admits, handles: Self.handles,
        completed: Self.completed, connection_changed: Self.connectionChanged,
        saw_target: Self.sawTarget)
      guard copy >= 0, let daemon = commute_mhd_start(&settings) else {
        shutdown(listener.socket, Int32(SHUT_RDWR))
        context.release()
        throw .outOfResources(reason: "no thread or file handle is left")
      }
      self.daemon = daemon
      port = listener.port
    }

    /// Ends the threads and closes everything; blocks until that is done.
    ///
    /// Every connection has to be abandoned before: the library ends the process if it
    /// finds one suspended.
    func stop() {
      let core = context.takeUnretainedValue()
      // Whoever has an answer to hand over resumes its connection within a few instructions.
      while core.resumptions.load(ordering: .acquiring) > 0 { sched_yield() }
      MHD_stop_daemon(daemon)
      context.release()
    }

    private static func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
      context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func connection(_ context: UnsafeMutableRawPointer?) -> ServerConnection? {
      context.map { Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let admits: MHD_AcceptPolicyCallback = { context, address, _ in
      guard let core = Self.core(context) else { return commute_mhd_no }
      return core.admits(HTTPPeer(address)) ? commute_mhd_yes : commute_mhd_no
    }

    private static let connectionChanged: MHD_NotifyConnectionCallback = {
      context, connection, kept, event in
      guard let core = Self.core(context), let connection, let kept else { return }
      if event == commute_mhd_started {
        let new = ServerConnection(connection, core: core)
        kept.pointee = Unmanaged.passRetained(new).toOpaque()
        core.registry.add(new)
      } else if let old = kept.pointee {
        kept.pointee = nil
        core.registry.remove(Unmanaged<ServerConnection>.fromOpaque(old).takeRetainedValue())
      }
    }

    private static let sawTarget:
      @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
        UnsafeMutableRawPointer? = { _, target, connection in
          if let target { Self.connection(commute_mhd_context(connection))?.sawTarget(target) }
          return nil
        }

    private static let handles: MHD_AccessHandlerCallback = {
      _, connection, _, method, version, piece, size, kept in
      let context = commute_mhd_context(connection)
      guard let own = Self.connection(context), let method, let version, let size, let kept else {
        return commute_mhd_no
      }
      // The library empties what is kept before each request: the first call is for the head.
      if kept.pointee == nil {
        kept.pointee = context
        return own.begin(method: method, version: version)
      }
      guard size.pointee > 0 else { return own.proceed() }
      let count = size.pointee
      size.pointee = 0
      return own.take(UnsafeRawBufferPointer(start: piece, count: count))
    }

    private static let completed: MHD_RequestCompletedCallback = { _, connection, kept, _ in
      kept?.pointee = nil
      Self.connection(commute_mhd_context(connection))?.completed()
    }
  }
#endif
