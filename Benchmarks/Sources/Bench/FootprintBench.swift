import CFloor
import Commute
import Foundation

/// What the sync state takes on the disk.
enum FootprintBench {
  static func run() async throws -> [Measurement] {
    let workshop = try Workshop()
    let count = 100_000
    let server = try await BenchServer(workshop)
    let stores = try ["first", "second", "third"].map { try workshop.store($0) }
    try await stores[0].write { tx in
      for number in 0..<count { _ = try tx.insert(Todo.numbered(number)) }
    }
    try await server.sync(stores[0])
    _ = try Workshop.floor("plain") { time in
      floor_insert_many(
        workshop.path("plain.sqlite"), floor_shape(0), Int32(count), Workshop.cache, &time)
    }
    let plain = Double(floor_bytes(workshop.path("plain.sqlite"), floor_shape(0)))
    let inserted = try await bytes(stores[0], workshop)
    for (index, store) in stores.enumerated() where index > 0 {
      try await store.subscribe(to: "todos")
      try await server.sync(store)
      try await store.write { tx in
        for number in 0..<count {
          _ = try tx.update(Todo.self, Todo.id(of: number)) { todo in
            if index == 1 { todo.version += 1 } else { todo.completed.toggle() }
          }
        }
      }
      try await server.sync(store)
    }
    try await server.sync(stores[0])
    let edited = try await bytes(stores[0], workshop)
    for store in stores { await store.close() }
    await server.end()
    func note(_ ours: Double) -> String {
      "\(short(ours / Double(count))) bytes a record after VACUUM, plain table"
        + " \(short(plain / Double(count)))"
    }
    return [
      Measurement(
        name: "store-bytes-inserted", ratio: inserted / plain, goal: .atMost(1.25),
        note: note(inserted)),
      Measurement(
        name: "store-bytes-edited", ratio: edited / plain, goal: .atMost(1.45),
        note: note(edited) + "; two fields edited by two other devices"),
    ]
  }

  /// The size of a copy of the file after VACUUM, with nothing waiting to be sent.
  private static func bytes(_ store: Store, _ workshop: Workshop) async throws -> Double {
    try await store.expect(0, "outbox rows", "SELECT count(*) FROM c_outbox")
    let copy = workshop.path("copy-\(UUID()).sqlite")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-readonly", store.databasePath, "VACUUM INTO '\(copy)'"]
    try process.run()
    process.waitUntilExit()
    let size = try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int ?? 0
    guard process.terminationStatus == 0, size > 0 else {
      throw BenchFailure(description: "sqlite3 made no copy")
    }
    return Double(size)
  }
}
