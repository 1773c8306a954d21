import Foundation

/// Measures, beside floors of the same run; never a test that can turn red for being slow.
@main struct Bench {
  static func main() async throws {
    var measurements = try CodecBench.run()
    for measurement in measurements { print(measurement.line) }
    let pull = try await PullBench.run(records: 10_000, rounds: 5)
    print(pull.line)
    measurements.append(pull)
    let short = measurements.filter { !$0.isMet }
    print("bench: \(measurements.count) measured, \(short.count) short of their goal")
  }
}
