import Foundation

/// Starts the store's own threads: SQLite blocks, and Swift's threads must not.
enum DatabaseThread {
  /// Runs the work on a new thread that ends with it.
  static func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let thread = Thread { work() }
    thread.name = name
    thread.stackSize = 2 << 20
    thread.start()
  }
}
