import CommuteServerSQLite

/// Restores or purges a server's database in a process of its own, which may kill itself.
///
/// It tells `done`, or `e` and why it could not.
struct CareChild {
  private let order: CareOrder
  private let reporter = Reporter()

  init(_ order: CareOrder) {
    self.order = order
  }

  /// Does what it is told.
  ///
  /// - Returns: The exit code.
  func run() async -> Int32 {
    let fuse = Fuse(order.charge)
    var database = ServerDatabase(order.file)
    database.hook = { fuse.pass($0.rawValue) }
    do {
      if let backup = order.backup {
        try await database.restore(from: backup, time: order.time)
      } else {
        var options = PurgeOptions()
        options.rowsAtOnce = 7
        options.pause = .zero
        try await database.purge(options, time: order.time)
      }
      reporter.tell("done")
      return 0
    } catch {
      reporter.tell("e \(error)")
      return 1
    }
  }
}
