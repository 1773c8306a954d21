import Foundation

/// Measures, beside floors of the same run; never a test that can turn red for being slow.
///
/// Arguments name what is measured; without any it is everything.
@main struct Bench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "child-writes" {
      return try await DurabilityBench.child(Array(arguments.dropFirst()))
    }
    let unknown = arguments.filter { name in !all.contains { $0.name == name } }
    guard unknown.isEmpty else {
      let names = all.map(\.name).joined(separator: ", ")
      let isHelp = unknown == ["--help"]
      let text = isHelp ? "" : "no bench \(unknown.joined(separator: ", ")); "
      let line = "\(text)name what to measure, or nothing for all of: \(names)\n"
      (isHelp ? FileHandle.standardOutput : .standardError).write(Data(line.utf8))
      exit(isHelp ? 0 : 2)
    }
    var measurements: [Measurement] = []
    for bench in all where arguments.isEmpty || arguments.contains(bench.name) {
      let measured = try await bench.run()
      for measurement in measured { print(measurement.line) }
      measurements += measured
    }
    let short = measurements.filter { !$0.isMet }
    print("bench: \(measurements.count) measured, \(short.count) short of their goal")
  }

  private static let rounds = 5

  private static let all: [(name: String, run: @Sendable () async throws -> [Measurement])] = [
    ("codec", { try CodecBench.run() }),
    ("pull", { [try await PullBench.run(records: 10_000, rounds: 9)] }),
    ("serve", { [try await ServeBench.run(requests: 8_000, rounds: 5)] }),
    ("insert", { try await WriteBench.runMany(rounds: rounds) }),
    ("write", { try await WriteBench.runEach(rounds: rounds) }),
    ("update", { try await WriteBench.runUpdates(rounds: rounds) }),
    ("durability", { try await DurabilityBench.run(rounds: rounds) }),
    ("read", { try await ReadBench.run(rounds: rounds) }),
    ("key", { try await ReadBench.runKeys(rounds: rounds) }),
    ("observe", { try await ObserveBench.run(rounds: rounds) }),
    ("merge", { try await MergeBench.run(rounds: rounds) }),
    ("footprint", { try await FootprintBench.run() }),
  ]
}
