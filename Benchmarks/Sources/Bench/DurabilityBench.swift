import Commute
import Foundation

/// How often the disk is waited for: counted by `strace` in a process of its own.
enum DurabilityBench {
  static func run(rounds: Int) async throws -> [Measurement] {
    let workshop = try Workshop()
    let count = 1_000
    var measurements: [Measurement] = []
    for (mode, limit) in [("normal", 0.0), ("full", 1.0)] {
      // What opening and closing wait for is taken off.
      let calls =
        try syncs(mode, count, writers: 1, workshop) - syncs(mode, 1, writers: 1, workshop)
      measurements.append(
        Measurement(
          name: "store-fdatasync-\(mode)", ratio: Double(calls) / Double(count - 1),
          goal: .atMost(limit + 0.005),
          note: "fdatasync a write, by strace: \(calls) for \(count - 1) more writes"))
    }
    let many = 4_000
    let calls =
      try syncs("full", many, writers: 8, workshop) - syncs("full", 8, writers: 8, workshop)
    measurements.append(
      Measurement(
        name: "store-fdatasync-8-writers", ratio: Double(calls) / Double(many - 8),
        goal: .atMost(0.25), note: "fdatasync a write at FULL, by strace, 8 writers"))
    measurements.append(try await throughput(workshop, rounds: rounds, count: 4_000))
    return measurements
  }

  /// Writes a second beside those of one writer.
  private static func throughput(
    _ workshop: Workshop, rounds: Int, count: Int
  ) async throws -> Measurement {
    var ratios: [Double] = []
    var rates: [Double] = []
    var groups: [Double] = []
    for _ in 0..<rounds {
      let one = try await write(workshop, .full, count / 8, writers: 1)
      let eight = try await write(workshop, .full, count, writers: 8)
      ratios.append(eight.rate / one.rate)
      rates.append(eight.rate)
      groups.append(eight.group)
    }
    return Measurement(
      name: "store-8-writers", ratio: median(ratios), goal: .atLeast(3),
      note: "writes a second at FULL to those of one writer; \(Int(median(rates)))/s,"
        + " \(short(median(groups))) writes a commit")
  }

  private static func write(
    _ workshop: Workshop, _ durability: Durability, _ count: Int, writers: Int
  ) async throws -> (rate: Double, group: Double) {
    let store = try workshop.store("writers-\(writers)")
    let begun = (store.writeCount, store.commitCount)
    let start = wallSeconds()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          for number in 0..<count / writers {
            let todo = Todo.numbered(writer + number * writers)
            try await store.write(durability: durability) { tx in _ = try tx.insert(todo) }
          }
        }
      }
      try await group.waitForAll()
    }
    let seconds = wallSeconds() - start
    let group = Double(store.writeCount - begun.0) / Double(max(1, store.commitCount - begun.1))
    try await store.expect(count / writers * writers, "rows", "SELECT count(*) FROM todo")
    await store.close()
    return (Double(count) / seconds, group)
  }

  /// What the traced process does: `child-writes MODE COUNT WRITERS`.
  static func child(_ arguments: [String]) async throws {
    guard arguments.count == 3, let count = Int(arguments[1]), let writers = Int(arguments[2])
    else {
      throw BenchFailure(description: "child-writes MODE COUNT WRITERS")
    }
    let workshop = try Workshop()
    _ = try await write(
      workshop, arguments[0] == "full" ? .full : .normal, count, writers: writers)
  }

  private static func syncs(
    _ mode: String, _ count: Int, writers: Int, _ workshop: Workshop
  ) throws -> Int {
    let log = workshop.path("strace-\(mode)-\(count)-\(writers)")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "strace", "-f", "-qq", "-e", "trace=fdatasync,fsync", "-o", log,
      CommandLine.arguments[0], "child-writes", mode, "\(count)", "\(writers)",
    ]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchFailure(description: "strace ended with \(process.terminationStatus)")
    }
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    return lines.count { $0.contains("sync(") }
  }
}
