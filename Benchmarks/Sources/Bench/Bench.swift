import Foundation

/// Measures, beside floors of the same run; never a test that can turn red for being slow.
///
/// Arguments name what is measured (`codec`, `pull`, `serve`); without any it is everything.
@main struct Bench {
  static func main() async throws {
    let wanted = CommandLine.arguments.dropFirst()
    var measurements: [Measurement] = []
    if wanted.isEmpty || wanted.contains("codec") {
      measurements = try CodecBench.run()
      for measurement in measurements { print(measurement.line) }
    }
    if wanted.isEmpty || wanted.contains("pull") {
      let pull = try await PullBench.run(records: 10_000, rounds: 9)
      print(pull.line)
      measurements.append(pull)
    }
    if wanted.isEmpty || wanted.contains("serve") {
      let serve = try await ServeBench.run(requests: 8_000, rounds: 5)
      print(serve.line)
      measurements.append(serve)
    }
    let short = measurements.filter { !$0.isMet }
    print("bench: \(measurements.count) measured, \(short.count) short of their goal")
  }
}
