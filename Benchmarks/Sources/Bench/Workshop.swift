import CFloor
import Commute
import CommuteServer
import CommuteServerSQLite
import Foundation

/// What went wrong in a bench; there is no figure then.
struct BenchFailure: Error, CustomStringConvertible {
  var description: String
}

/// A folder for the files of a bench, and the stores and floors in it.
final class Workshop: Sendable {
  let folder: String
  /// The page cache of every connection of ours, in KiB; the floors get the same.
  static let cache: Int32 = 2_048

  init() throws {
    folder = NSTemporaryDirectory() + "commute-bench-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { folder + "/" + name }

  /// Opens a store; one that is fresh replaces what was there.
  func store(_ name: String, fresh: Bool = true) throws -> Store {
    if fresh {
      for part in [name, name + "-hosts"] {
        try? FileManager.default.removeItem(atPath: path(part))
      }
    }
    var options = StoreOptions(schemaName: "bench")
    options.hostDirectory = path(name + "-hosts")
    return try Store(path(name), tables: [Todo.table, Volume.table], options: options)
  }

  /// Calls a floor.
  static func floor(_ name: String, _ call: (inout floor_time) -> Int32) throws -> floor_time {
    var time = floor_time()
    let code = call(&time)
    guard code == 0 else { throw BenchFailure(description: "\(name): SQLite \(code)") }
    return time
  }
}

/// A server in this process.
struct BenchServer {
  let address: String
  private let shelf: ServerSQLiteStore
  private let server: Server

  init(_ workshop: Workshop, _ name: String = "server") async throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: workshop.path("\(name).sqlite\(suffix)"))
    }
    shelf = try await ServerSQLiteStore.open(workshop.path("\(name).sqlite"))
    server = try Server(store: shelf, settings: ServerSettings())
    address = try await server.start().url
  }

  /// Syncs until all is exchanged.
  func sync(_ store: Store) async throws {
    let report = await SyncDriver(store: store, settings: SyncSettings(server: address)).sync()
    if let failure = report.failure { throw BenchFailure(description: "no sync: \(failure)") }
  }

  func end() async {
    await server.drain()
    await shelf.close()
  }
}

/// Seconds of CPU that this process has used, on all its threads.
func processSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Seconds of the clock that only goes forward.
func wallSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

extension Store {
  /// A number that SQL gives.
  func number(_ sql: SQL) async throws -> Int {
    guard case .integer(let number) = try await read({ tx in try tx.value(sql) }) else {
      throw BenchFailure(description: "no number: \(sql)")
    }
    return Int(number)
  }

  /// Checks that SQL gives a number.
  func expect(_ wanted: Int, _ what: String, _ sql: SQL) async throws {
    let found = try await number(sql)
    guard found == wanted else {
      throw BenchFailure(description: "\(found) \(what), not \(wanted)")
    }
  }
}

/// The ratios of one row over its rounds, beside both floors.
struct Ratios {
  var own: [Double] = []
  var text: [Double] = []

  mutating func add(_ ours: Double, own: Double, text: Double? = nil) {
    self.own.append(ours / own)
    if let text { self.text.append(ours / text) }
  }

  /// The line of the row: the median ratio to the floor, and to the floor with text keys.
  func measurement(_ name: String, atMost limit: Double, _ note: String) -> Measurement {
    let spread = "[\(short(own.min() ?? 0))–\(short(own.max() ?? 0))]"
    let other = text.isEmpty ? "" : "; text keys and rowid \(short(median(text)))"
    return Measurement(
      name: name, ratio: median(own), goal: .atMost(limit), note: "\(spread)\(other); \(note)")
  }
}
