import CFloor
import Commute
import Foundation

/// Writing beside floors that write the same tables, and the usual ones.
enum WriteBench {
  static func runMany(rounds: Int) async throws -> [Measurement] {
    [try await many(Workshop(), rounds: rounds, count: 100_000)]
  }

  static func runEach(rounds: Int) async throws -> [Measurement] {
    try await each(Workshop(), rounds: rounds, count: 10_000)
  }

  static func runUpdates(rounds: Int) async throws -> [Measurement] {
    try await updates(Workshop(), rounds: rounds, count: 10_000)
  }

  /// All in one transaction.
  private static func many(
    _ workshop: Workshop, rounds: Int, count: Int
  ) async throws -> Measurement {
    var ratios = Ratios()
    var micros: [Double] = []
    let todos = (0..<count).map(Todo.numbered)
    for round in 0..<rounds {
      let own = try floor(workshop, "many", .init(0), count, floor_insert_many)
      let text = try floor(workshop, "many", .init(1), count, floor_insert_many)
      let store = try workshop.store("many")
      let start = processSeconds()
      try await store.write { tx in
        for todo in todos { _ = try tx.insert(todo) }
      }
      let ours = processSeconds() - start
      ratios.add(ours, own: own.cpu, text: text.cpu)
      micros.append(ours / Double(count) * 1e6)
      if round == 0 { try await checkQueued(store, count) }
      await store.close()
    }
    return ratios.measurement(
      "store-insert-\(count)", atMost: 1.3,
      "ours \(short(median(micros))) µs CPU a record, stamped and queued")
  }

  private static func floor(
    _ workshop: Workshop, _ name: String, _ shape: floor_shape, _ count: Int,
    _ body: (UnsafePointer<CChar>?, floor_shape, Int32, Int32, UnsafeMutablePointer<floor_time>?)
      -> Int32
  ) throws -> floor_time {
    try Workshop.floor(name) { time in
      body(
        workshop.path("\(name)-floor-\(shape.rawValue).sqlite"), shape, Int32(count),
        Workshop.cache, &time)
    }
  }

  /// Rows, stamps and outbox entries are there.
  private static func checkQueued(_ store: Store, _ count: Int) async throws {
    try await store.expect(count, "rows", "SELECT count(*) FROM todo")
    try await store.expect(
      count, "stamped rows", "SELECT count(*) FROM todo WHERE length(_commute) > 8")
    try await store.expect(count, "outbox rows", "SELECT count(*) FROM c_outbox WHERE tbl = 'todo'")
  }

  /// Each in a transaction of its own, through `await store.write`.
  private static func each(
    _ workshop: Workshop, rounds: Int, count: Int
  ) async throws -> [Measurement] {
    var ratios = Ratios()
    var calls = Ratios()
    var p50: [Double] = []
    for round in 0..<rounds {
      let own = try floor(workshop, "each", .init(0), count, floor_insert_each)
      let text = try floor(workshop, "each", .init(1), count, floor_insert_each)
      let store = try workshop.store("each")
      let todos = (0..<count).map(Todo.numbered)
      let ours = try await timed(count) { number in
        let todo = todos[number]
        try await store.write { tx in _ = try tx.insert(todo) }
      }
      ratios.add(ours.cpu, own: own.cpu, text: text.cpu)
      calls.add(ours.p50, own: own.p50, text: text.p50)
      p50.append(ours.p50)
      if round == 0 { try await checkQueued(store, count) }
      await store.close()
    }
    return [
      ratios.measurement(
        "store-write-insert", atMost: 1.2, "own transaction each, NORMAL, \(count) of them"),
      calls.measurement(
        "store-write-insert-p50", atMost: 1.3, "ours \(short(median(p50))) µs a call"),
    ]
  }

  /// One field each: found, compared, stamped, queued, in a transaction of its own.
  private static func updates(
    _ workshop: Workshop, rounds: Int, count: Int
  ) async throws -> [Measurement] {
    let server = try await BenchServer(workshop)
    let writer = try workshop.store("writer")
    try await writer.write { tx in
      for number in 0..<count { _ = try tx.insert(Todo.numbered(number)) }
    }
    try await server.sync(writer)
    await writer.close()
    var ratios = Ratios()
    var p50: [Double] = []
    for round in 0..<rounds {
      var both: [floor_time] = []
      for shape in [floor_shape(0), floor_shape(1)] {
        _ = try floor(workshop, "update", shape, count, floor_insert_many)
        both.append(try floor(workshop, "update", shape, count, floor_update_each))
      }
      let store = try workshop.store("update")
      try await store.subscribe(to: "todos")
      try await server.sync(store)
      // The floor has its values before its clock starts, too.
      let ids = (0..<count).map { Todo.id(of: $0) }
      let titles = (0..<count).map { Todo.title(of: ($0 * 7 + 13) % count) }
      let ours = try await timed(count) { number in
        let (id, title) = (ids[number], titles[number])
        try await store.write { tx in _ = try tx.update(Todo.self, id) { $0.title = title } }
      }
      ratios.add(ours.cpu, own: both[0].cpu, text: both[1].cpu)
      p50.append(ours.p50)
      if round == 0 { try await checkUpdated(store, count) }
      await store.close()
    }
    await server.end()
    return [
      ratios.measurement(
        "store-write-update", atMost: 1.25, "ours \(short(median(p50))) µs a call, NORMAL")
    ]
  }

  private static func checkUpdated(_ store: Store, _ count: Int) async throws {
    try await store.expect(count, "outbox rows", "SELECT count(*) FROM c_outbox WHERE creates = 0")
    try await store.expect(
      1, "right titles",
      """
      SELECT count(*) FROM todo WHERE id = \(Todo.id(of: 5)) AND title = \(Todo.title(of: 48))
      """)
  }

  /// The CPU of so many calls, and the middle one in microseconds.
  private static func timed(
    _ count: Int, _ call: (Int) async throws -> Void
  ) async throws -> (cpu: Double, p50: Double) {
    var calls: [Double] = []
    calls.reserveCapacity(count)
    let start = processSeconds()
    for number in 0..<count {
      let begin = wallSeconds()
      try await call(number)
      calls.append(wallSeconds() - begin)
    }
    return (processSeconds() - start, calls.sorted()[count / 2] * 1e6)
  }
}
