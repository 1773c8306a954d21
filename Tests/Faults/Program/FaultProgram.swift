import Foundation

/// The command line of the run.
enum FaultProgram {
  /// Reads the arguments and runs; the exit code: 0 done, 1 something was found, 2 usage.
  static func run(_ arguments: [String]) async -> Int32 {
    var run = FaultRun()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help":
        print(FaultRun.help)
        return 0
      case "--json": run.isJSON = true
      case "--points":
        guard let points = rest.popFirst().flatMap({ Int($0) }), points > 0 else {
          return usage("--points takes a number above 0")
        }
        run.points = points
      case "--seed":
        guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else {
          return usage("--seed takes a number")
        }
        run.seed = seed
      case "--scenario":
        guard let name = rest.popFirst(), Scenarios.all.contains(where: { $0.name == name }) else {
          return usage(
            "--scenario takes one of: \(Scenarios.all.map(\.name).joined(separator: ", "))")
        }
        run.only = name
      default: return usage("\(argument) is unknown; see --help")
      }
    }
    do {
      return try await run.run() ? 0 : 1
    } catch {
      complain("faults: a scenario fails without any fault: \(error)")
      return 1
    }
  }

  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  private static func usage(_ line: String) -> Int32 {
    complain("faults: \(line)")
    return 2
  }
}
