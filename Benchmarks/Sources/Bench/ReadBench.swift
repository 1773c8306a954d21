import CFloor
import Commute
import Foundation

/// Reading typed records beside floors that read the same tables into structs.
enum ReadBench {
  private static let count = 100_000

  static func run(rounds: Int) async throws -> [Measurement] {
    let workshop = try Workshop()
    let store = try await filled(workshop)
    _ = try Workshop.floor("fill") { _ in
      floor_fill_volumes(workshop.path("volumes.sqlite"), Int32(count), Workshop.cache)
    }
    var todos = Ratios()
    var volumes = Ratios()
    for _ in 0..<rounds {
      try await fetchTodos(store, workshop, count, &todos)
      try await fetchVolumes(store, workshop, count, &volumes)
    }
    await store.close()
    return [
      todos.measurement("store-fetch-\(count)-5-columns", atMost: 1.4, "typed records, one query"),
      volumes.measurement(
        "store-fetch-\(count)-10-columns", atMost: 2.0, "typed records with optionals and lists"),
    ]
  }

  static func runKeys(rounds: Int) async throws -> [Measurement] {
    let workshop = try Workshop()
    let store = try await filled(workshop)
    var keys = Ratios()
    for _ in 0..<rounds { try await fetchKeys(store, workshop, count, &keys) }
    await store.close()
    return [
      keys.measurement("store-fetch-by-key", atMost: 1.2, "\(count) keys, one read each")
    ]
  }

  /// A store with all records, and the floors' files beside it.
  private static func filled(_ workshop: Workshop) async throws -> Store {
    let store = try workshop.store("reading")
    try await store.write { tx in
      for number in 0..<count {
        _ = try tx.insert(Todo.numbered(number))
        _ = try tx.insert(Volume.numbered(number))
      }
    }
    for shape in [floor_shape(0), floor_shape(1)] {
      _ = try Workshop.floor("fill") { time in
        floor_insert_many(
          workshop.path("reading-\(shape.rawValue).sqlite"), shape, Int32(count), Workshop.cache,
          &time)
      }
    }
    return store
  }

  private static func fetchTodos(
    _ store: Store, _ workshop: Workshop, _ count: Int, _ ratios: inout Ratios
  ) async throws {
    var floors: [Double] = []
    for shape in [floor_shape(0), floor_shape(1)] {
      floors.append(
        try Workshop.floor("fetch") { time in
          floor_fetch_all(
            workshop.path("reading-\(shape.rawValue).sqlite"), shape, Int32(count), Workshop.cache,
            &time)
        }.cpu)
    }
    let ours = try await store.read { tx in
      _ = try tx.fetch(Todo.everything)
      let start = processSeconds()
      let all = try tx.fetch(Todo.everything)
      let time = processSeconds() - start
      guard all.count == count, all[5].title == Todo.title(of: 5) else {
        throw BenchFailure(description: "\(all.count) to-dos")
      }
      return time
    }
    ratios.add(ours, own: floors[0], text: floors[1])
  }

  private static func fetchVolumes(
    _ store: Store, _ workshop: Workshop, _ count: Int, _ ratios: inout Ratios
  ) async throws {
    let floor = try Workshop.floor("volumes") { time in
      floor_fetch_volumes(workshop.path("volumes.sqlite"), Int32(count), Workshop.cache, &time)
    }
    let ours = try await store.read { tx in
      _ = try tx.fetch(Volume.everything)
      let start = processSeconds()
      let all = try tx.fetch(Volume.everything)
      let time = processSeconds() - start
      guard all.count == count, all[5].tags == ["novel", "space"] else {
        throw BenchFailure(description: "\(all.count) volumes")
      }
      return time
    }
    ratios.add(ours, own: floor.cpu)
  }

  private static func fetchKeys(
    _ store: Store, _ workshop: Workshop, _ count: Int, _ ratios: inout Ratios
  ) async throws {
    var floors: [Double] = []
    for shape in [floor_shape(0), floor_shape(1)] {
      floors.append(
        try Workshop.floor("keys") { time in
          floor_fetch_each(
            workshop.path("reading-\(shape.rawValue).sqlite"), shape, Int32(count), Workshop.cache,
            &time)
        }.cpu)
    }
    let ids = (0..<count).map { Todo.id(of: ($0 &* 7_919) % count) }
    let start = processSeconds()
    var found = 0
    for id in ids where try await store.fetch(Todo.self, id) != nil {
      found += 1
    }
    let ours = processSeconds() - start
    guard found == count else { throw BenchFailure(description: "\(found) to-dos by key") }
    ratios.add(ours, own: floors[0], text: floors[1])
  }
}
