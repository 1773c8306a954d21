import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteSync
import Foundation

/// A device that begins with nothing and syncs all books of a server.
struct ReaderChild {
  private let order: ReaderOrder
  private let reporter = Reporter()

  init(_ order: ReaderOrder) {
    self.order = order
  }

  /// Syncs, tells `books COUNT`, and waits until its parent ends it.
  ///
  /// - Returns: The exit code.
  func run() async -> Int32 {
    ParentLine.listen()
    do {
      var options = StoreOptions(
        schemaName: ReadingList.schemaName, schemaVersion: ReadingList.schemaVersion,
        deviceName: "reader")
      options.hostDirectory = order.directory + "-hosts"
      let store = try Store(order.directory, tables: ReadingList.tables, options: options)
      let driver = SyncDriver(
        store: store, client: CrashProgram.client(),
        settings: SyncSettings(server: order.server))
      let report = await driver.sync()
      if let failure = report.failure {
        reporter.tell("e \(failure.message)")
        return 1
      }
      let count = try await store.read { tx in try tx.count(Book.all) }
      reporter.tell("books \(count)")
      // The parent reads how much memory this took while the process lives.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return 0
    } catch {
      reporter.tell("e \(error)")
      return 1
    }
  }
}
