import CFaultFiles
import Foundation

/// All trials: each scenario, each operation of it, each way to fail.
struct FaultRun {
  /// How many trials are run altogether, about.
  var points = 52_000
  var seed: UInt64 = 1
  /// Only the scenario of this name.
  var only: String?
  var isJSON = false

  static let help = """
    usage: FaultRunner [--points N] [--seed S] [--scenario NAME] [--json]

    Lets a device's disk fail at every write, sync, truncation and removal of a scenario: with an
    error, an error and then killed, full, killed, without power, in the middle of a write. After
    each it starts the device anew: everything acknowledged must be there, nothing that failed,
    nothing by halves, and the file whole.
    """

  /// Runs them; true where nothing was found.
  func run() async throws -> Bool {
    guard fault_files_install() == 0 else {
      FaultProgram.complain("faults: SQLite takes no file layer; check its version")
      return false
    }
    let scenarios = Scenarios.all.filter { only == nil || $0.name == only }
    let share = max(1, points / max(1, scenarios.count))
    let place =
      "\(NSTemporaryDirectory())commute-faults-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: place) }
    guard try await isPowerLost(at: "\(place)/proof") else {
      FaultProgram.complain("faults: a loss of power loses nothing here; the layer is not used")
      return false
    }
    var total = (points: 0, lost: 0, corrupt: 0)
    for (index, scenario) in scenarios.enumerated() {
      let trial = try await Trial(scenario, folder: "\(place)/\(index)")
      var found: [String: Int] = [:]
      let count = scenario.isLong ? max(1, share / 8) : share
      for fault in Self.faults(count, operations: trial.operations, seed: seed) {
        total.points += 1
        let words: String
        switch try await trial.run(fault) {
        case .fine: continue
        case .lost(let what):
          total.lost += 1
          words = "lost: \(what)"
        case .corrupt(let what):
          total.corrupt += 1
          words = "corrupt: \(what)"
        }
        let key = "\(fault.kind.rawValue) at \(fault.operation) of \(trial.operations)"
        found["\(key), seed \(fault.seed): \(words)", default: 0] += 1
      }
      try? FileManager.default.removeItem(atPath: "\(place)/\(index)")
      if !isJSON {
        print("faults: \(scenario.name): \(trial.operations) operations, \(found.count) found")
        fflush(nil)
      }
      for line in found.keys.sorted().prefix(5) {
        FaultProgram.complain("faults: \(scenario.name): \(line)")
      }
    }
    let sums = (total.points, scenarios.count, total.lost, total.corrupt)
    print(
      isJSON
        ? "{\"points\":\(sums.0),\"scenarios\":\(sums.1),\"lost\":\(sums.2),\"corrupt\":\(sums.3)}"
        : "faults: \(sums.0) points, \(sums.1) scenarios, \(sums.2) lost, \(sums.3) corrupt")
    return total.lost == 0 && total.corrupt == 0
  }

  /// Whether a loss of power takes back what was not durable: the proof that the trials can fail.
  private func isPowerLost(at folder: String) async throws -> Bool {
    guard let scenario = Scenarios.all.first(where: { $0.name == "insert one after another" })
    else { return false }
    var trial = try await Trial(scenario, folder: folder)
    trial.believesAll = true
    for operation in 0..<trial.operations {
      let fault = Fault(kind: .power, operation: operation, seed: seed)
      if case .lost = try await trial.run(fault) { return true }
    }
    return false
  }

  /// `count` faults, spread evenly over all operations and kinds, with further seeds where there
  /// are fewer of these.
  static func faults(_ count: Int, operations: Int64, seed: UInt64) -> [Fault] {
    let kinds = Fault.Kind.allCases
    let all = max(1, Int(operations)) * kinds.count
    return (0..<count).map { number in
      let place = count >= all ? number % all : number * all / count
      return Fault(
        kind: kinds[place % kinds.count], operation: Int64(place / kinds.count),
        seed: seed &+ UInt64(number / all) &* 7_919 &+ UInt64(place))
    }
  }
}
