import CommuteCore
import CommuteHTTP
import CommuteStore
import CommuteSync
import CommuteTasks
import Foundation

/// The work that this program can do in the background.
enum ProgramTasks {
  /// The handlers for the queue of a device.
  static func handlers(on device: OpenDevice, _ sync: BackgroundSync = BackgroundSync()) -> Handlers
  {
    var handlers = Handlers()
    sync.add(to: &handlers)
    DemoWork(device.options.directory).add(to: &handlers)
    return handlers
  }
}

/// A device's queue, its driver, and the eye they keep on the network.
struct BackgroundWork: Sendable {
  let sync: BackgroundSync
  let queue: TaskQueue
  let driver: SyncDriver
  let monitor: ConnectivityMonitor

  /// Makes them for a device that knows its server.
  init(_ way: ServerWay, on device: OpenDevice) async throws(Failure) {
    let sync = BackgroundSync()
    do throws(QueueError) {
      queue = try await TaskQueue(device.store, ProgramTasks.handlers(on: device, sync))
    } catch {
      throw Failure(queue: error)
    }
    self.sync = sync
    let client = CurlClient(Round.client(way))
    let host = URL(string: way.server)?.host() ?? ""
    monitor = ConnectivityMonitor(
      source: Self.source(isHere: ["localhost", "127.0.0.1", "::1"].contains(host)),
      prober: ServerProber(server: way.server, client: client), clock: device.store.options.clock)
    var settings = try Round.settings(way)
    sync.prepare(&settings, queue: queue, monitor: monitor)
    driver = SyncDriver(store: device.store, client: client, settings: settings)
  }

  /// What the system says of the network; a server on this machine needs none.
  private static func source(isHere: Bool) -> any PathSource {
    #if os(Linux)
      NetlinkPathSource(countsLoopback: isHere)
    #elseif canImport(Network)
      ApplePathSource()
    #else
      GivenPathSource(Connectivity.Path(isSatisfied: true))
    #endif
  }

  /// Runs them until the calling task is cancelled.
  func run() async throws(QueueError) {
    try await sync.run(driver, queue: queue, monitor: monitor)
  }
}
