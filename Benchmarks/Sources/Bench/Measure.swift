import Foundation

/// One line of the bench: a ratio against a floor or a peer of the same run.
struct Measurement {
  /// Which way is better.
  enum Goal {
    case atMost(Double)
    case atLeast(Double)
  }

  var name: String
  var ratio: Double
  var goal: Goal
  var note: String

  var isMet: Bool {
    switch goal {
    case .atMost(let limit): ratio <= limit
    case .atLeast(let limit): ratio >= limit
    }
  }

  /// `bench: NAME ratio R goal G ok|short`, and what the figures were.
  var line: String {
    let sign =
      switch goal {
      case .atMost(let limit): "<=\(limit)"
      case .atLeast(let limit): ">=\(limit)"
      }
    let ratio = String(format: "%.2f", ratio)
    return "bench: \(name) ratio \(ratio) goal \(sign) \(isMet ? "ok" : "short")\n  \(note)"
  }
}

/// The middle of an odd number of figures.
func median(_ figures: [Double]) -> Double {
  figures.sorted()[figures.count / 2]
}

/// Seconds of CPU that a body takes on this thread.
func cpuSeconds(_ body: () throws -> Void) rethrows -> Double {
  let start = threadSeconds()
  try body()
  return threadSeconds() - start
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// A figure with three digits after the point.
func short(_ figure: Double) -> String {
  String(format: "%.3f", figure)
}
