import CFloor
import Commute
import CommuteServer
import CommuteServerSQLite
import Foundation

/// A first pull over loopback beside a C program that stores the same rows.
enum PullBench {
  struct Failure: Error { var message: String }

  static func run(records: Int, rounds: Int) async throws -> Measurement {
    let folder = NSTemporaryDirectory() + "commute-bench-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let shelf = try await ServerSQLiteStore.open(folder + "/server.sqlite")
    let server = try Server(store: shelf, settings: ServerSettings())
    let address = try await server.start()
    try await fill(address.url, folder: folder, records: records)
    var ratios: [Double] = []
    var ours: [Double] = []
    var floors: [Double] = []
    for round in 0..<rounds {
      let (seconds, database, pages, store) = try await pull(
        address.url, folder: folder + "/device-\(round)", records: records)
      var wall = 0.0
      var cpu = 0.0
      var count: Int64 = 0
      let code = floor_store_rows(
        database, "book", folder + "/floor-\(round).sqlite", Int32((records + pages - 1) / pages),
        &wall, &cpu, &count)
      await store.close()
      guard code == 0, count == Int64(records) else {
        throw Failure(message: "the floor stored \(count) rows (SQLite \(code))")
      }
      ratios.append(seconds / wall)
      ours.append(seconds)
      floors.append(wall)
    }
    await server.drain()
    await shelf.close()
    return Measurement(
      name: "first-pull-\(records)", ratio: median(ratios), goal: .atMost(2.5),
      note: "best \(short(ours.min() ?? 0)) s, median \(short(median(ours))) s (goal 0.1 to 0.2 s);"
        + " floor best \(short(floors.min() ?? 0)) s, median \(short(median(floors))) s (wall;"
        + " \(rounds) rounds, each pull beside its floor; best by best"
        + " \(short((ours.min() ?? 0) / (floors.min() ?? 1))))")
  }

  private static func fill(_ url: String, folder: String, records: Int) async throws {
    let store = try open(folder + "/writer", hosts: folder + "/hosts")
    try await store.write { tx in
      for number in 0..<records { _ = try tx.insert(Book.numbered(number)) }
    }
    let driver = SyncDriver(store: store, settings: SyncSettings(server: url))
    let report = await driver.sync()
    guard report.settled == records else {
      throw Failure(message: "the writer settled \(report.settled): \(report.status.text)")
    }
    await store.close()
  }

  private static func pull(
    _ url: String, folder: String, records: Int
  ) async throws -> (seconds: Double, database: String, pages: Int, store: Store) {
    let store = try open(folder, hosts: folder + "-hosts")
    try await store.subscribe(to: "books")
    let driver = SyncDriver(store: store, settings: SyncSettings(server: url))
    let start = ContinuousClock.now
    let report = await driver.sync()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let rows = try await store.read { tx in try tx.count(Book.order(by: \.title)) }
    guard rows == records else {
      throw Failure(message: "\(rows) rows arrived: \(report.status.text)")
    }
    return (seconds, store.databasePath, max(1, report.rounds), store)
  }

  private static func open(_ folder: String, hosts: String) throws -> Store {
    var options = StoreOptions(schemaName: "bench")
    options.hostDirectory = hosts
    return try Store(folder, tables: [Book.table], options: options)
  }
}
