import Commute
import Foundation
import Synchronization

/// How soon an observer has a change, and what observers cost who writes.
enum ObserveBench {
  static func run(rounds: Int) async throws -> [Measurement] {
    let workshop = try Workshop()
    return [
      try await long(workshop, changes: 200 * rounds),
      try await hundred(workshop, changes: 200 * rounds),
      try await writeCall(workshop, rounds: rounds, changes: 400),
    ]
  }

  /// What an observer has seen last, and when.
  private final class Seen: Sendable {
    private struct State {
      var deliveries = 0
      var at = 0.0
      var rows: [Todo] = []
    }
    private let state = Mutex(State())

    func take(_ rows: [Todo]) {
      let now = wallSeconds()
      state.withLock { state in
        state.deliveries += 1
        state.at = now
        state.rows = rows
      }
    }

    var deliveries: Int { state.withLock { $0.deliveries } }
    var rows: [Todo] { state.withLock { $0.rows } }

    /// Waits for so many deliveries; gives the moment of the last.
    func wait(for count: Int) async throws -> Double {
      let start = wallSeconds()
      while true {
        let (deliveries, at) = state.withLock { ($0.deliveries, $0.at) }
        if deliveries >= count { return at }
        guard wallSeconds() - start < 10 else {
          throw BenchFailure(description: "the observer heard nothing for ten seconds")
        }
        usleep(20)
      }
    }
  }

  private static func filled(_ workshop: Workshop, _ count: Int) async throws -> Store {
    let store = try workshop.store("observed")
    try await store.write { tx in
      for number in 0..<count {
        var todo = Todo.numbered(number)
        todo.version = number / 20
        _ = try tx.insert(todo)
      }
    }
    return store
  }

  /// One ordered query of 10,000 rows; one record changes.
  private static func long(_ workshop: Workshop, changes: Int) async throws -> Measurement {
    let store = try await filled(workshop, 20_000)
    let query = Todo.where(\.completed == false).order(by: \.title)
    let seen = Seen()
    let observer = Task {
      for try await rows in store.values(query) { seen.take(rows) }
    }
    _ = try await seen.wait(for: 1)
    var delays: [Double] = []
    for change in 0..<changes {
      let id = Todo.id(of: (change * 758) % 20_000)
      let before = seen.deliveries
      try await store.write { tx in
        _ = try tx.update(Todo.self, id) { $0.title = Todo.title(of: change * 7) + "!\(change)" }
      }
      let done = wallSeconds()
      delays.append((try await seen.wait(for: before + 1) - done) * 1e3)
      usleep(200)
    }
    let stored = try await store.read { tx in try tx.fetch(query) }
    guard seen.rows.map(\.id) == stored.map(\.id), seen.rows.map(\.title) == stored.map(\.title)
    else { throw BenchFailure(description: "the observer's rows are not those of the file") }
    observer.cancel()
    await store.close()
    let sorted = delays.sorted()
    return Measurement(
      name: "store-observe-10000", ratio: median(delays), goal: .atMost(0.15),
      note: "milliseconds from the write's return to the observer, p50 of \(changes);"
        + " p99 \(short(sorted[changes * 99 / 100]))")
  }

  /// A hundred queries of 20 rows; a change touches one of them.
  private static func hundred(_ workshop: Workshop, changes: Int) async throws -> Measurement {
    let store = try await filled(workshop, 2_000)
    let seen = Seen()
    let observers = (0..<100).map { group in
      Task {
        let query = Todo.where(\.version == group).order(by: \.title)
        for try await rows in store.values(query) { seen.take(rows) }
      }
    }
    _ = try await seen.wait(for: 100)
    var delays: [Double] = []
    for change in 0..<changes {
      let id = Todo.id(of: (change * 37) % 2_000)
      let before = seen.deliveries
      try await store.write { tx in
        _ = try tx.update(Todo.self, id) { $0.title = "changed \(change)" }
      }
      let done = wallSeconds()
      delays.append((try await seen.wait(for: before + 1) - done) * 1e3)
      usleep(200)
    }
    guard seen.deliveries == 100 + changes else {
      throw BenchFailure(description: "\(seen.deliveries) deliveries for \(changes) changes")
    }
    for observer in observers { observer.cancel() }
    await store.close()
    return Measurement(
      name: "store-observe-100-queries", ratio: median(delays), goal: .atMost(0.1),
      note: "milliseconds from the write's return to the one observer concerned, p50 of \(changes);"
        + " p99 \(short(delays.sorted()[changes * 99 / 100]))")
  }

  /// The write's own call, with and without an observed query of 10,000 rows.
  private static func writeCall(
    _ workshop: Workshop, rounds: Int, changes: Int
  ) async throws -> Measurement {
    let store = try await filled(workshop, 20_000)
    let query = Todo.where(\.completed == false).order(by: \.title)
    var ratios: [Double] = []
    var calls: [Double] = []
    for round in 0..<rounds {
      let without = try await call(store, changes, salt: round * 2)
      let seen = Seen()
      let observer = Task {
        for try await rows in store.values(query) { seen.take(rows) }
      }
      _ = try await seen.wait(for: 1)
      let with = try await call(store, changes, salt: round * 2 + 1)
      observer.cancel()
      _ = await observer.result
      ratios.append(with / without)
      calls.append(with)
    }
    await store.close()
    return Measurement(
      name: "store-write-observed", ratio: median(ratios), goal: .atMost(1.3),
      note: "p50 of the write's call with an observed query of 10,000 rows to that without;"
        + " \(short(median(calls))) µs with")
  }

  private static func call(_ store: Store, _ changes: Int, salt: Int) async throws -> Double {
    var calls: [Double] = []
    for change in 0..<changes {
      let id = Todo.id(of: (change * 758) % 20_000)
      let begin = wallSeconds()
      try await store.write { tx in
        _ = try tx.update(Todo.self, id) { $0.title = "salted \(salt) \(change)" }
      }
      calls.append((wallSeconds() - begin) * 1e6)
      usleep(200)
    }
    return median(calls)
  }
}
