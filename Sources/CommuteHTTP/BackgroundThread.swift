#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of the system, for the few calls that block for as long as they like.
///
/// Swift's own threads must never be blocked: there are only as many as cores.
enum BackgroundThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the work on a new thread that ends with it; false where the system gives no thread.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, { Self.run($0) }, work.toOpaque())
      if code == 0, let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { $0.flatMap { Self.run($0) } }, work.toOpaque())
      if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { work.release() }
    return code == 0
  }

  private static func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    // Writing to a connection that the other side has closed must not end the process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    return nil
  }
}
