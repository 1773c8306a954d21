import CommuteCore
import CommuteHTTP
import CommuteStore
import CommuteSync
import CommuteTestKit
import Foundation

/// A device in a process of its own: it writes and syncs until it is killed or has done enough.
///
/// It tells its parent, a line each: `i` what it is about to write, `w` that the write returned,
/// `x` that it was refused, `k` what the server acknowledged, `e` what must not happen, `done`.
struct DeviceChild {
  private let order: DeviceOrder
  private let fuse: Fuse
  private let reporter = Reporter()

  init(_ order: DeviceOrder) {
    self.order = order
    fuse = Fuse(order.charge)
  }

  /// Lives.
  ///
  /// - Returns: The exit code.
  func run() async -> Int32 {
    ParentLine.listen()
    do {
      fuse.pass("opening")
      let store = try Store(order.directory, tables: [Sheet.table], options: options)
      let driver = SyncDriver(store: store, client: client, settings: settings)
      switch order.manner {
      case .settling: try await settle(store, driver)
      case .inTurn, .atOnce: try await work(store, driver)
      }
      await driver.stop()
      fuse.pass("closing")
      await store.close()
      reporter.tell("done")
      return 0
    } catch {
      reporter.tell("e \(error)")
      return 1
    }
  }

  private var options: StoreOptions {
    var options = StoreOptions(
      schemaName: Sheet.schemaName, deviceName: "device-\(SheetValue.name(order.slot))")
    options.hostDirectory = order.hosts
    let (system, skew) = (StoreClock.system, order.skew)
    options.clock.wall = { system.wall() + skew }
    options.onPoint = { [fuse] in fuse.pass($0.rawValue) }
    return options
  }

  private var client: any HTTPClient {
    WitnessClient(
      slot: order.slot, inner: CrashProgram.client(), reporter: reporter, fuse: fuse)
  }

  private var settings: SyncSettings {
    var settings = SyncSettings(server: order.server)
    settings.timeLimit = .seconds(10)
    return settings
  }

  private func work(_ store: Store, _ driver: SyncDriver) async throws {
    var author = SheetAuthor(order, store: store, fuse: fuse, reporter: reporter)
    if order.manner == .atOnce { await driver.start() }
    try await author.begin()
    var generator = SeededGenerator(seed: order.seed &+ 1)
    let syncShare = order.manner == .atOnce ? 4 : 30
    var step = 0
    while step < order.steps ?? .max {
      step += 1
      if generator.draw(100) < syncShare {
        _ = await driver.sync()
        try await author.look()
      } else {
        try await author.write()
      }
    }
  }

  private func settle(_ store: Store, _ driver: SyncDriver) async throws {
    for _ in 0..<200 {
      let report = await driver.sync()
      let counts = try await store.counts()
      if report.failure == nil, counts.waiting == 0 { return }
    }
    reporter.tell("e it does not come to rest: \(driver.status.text)")
  }
}
