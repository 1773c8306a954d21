import CommuteTestKit
import Foundation

/// The program: it is the runner, or one of the processes that the runner starts, stops and kills.
enum SoakProgram {
  private static let help = """
    usage: TasksSoak [--tasks T] [--graphs G] [--kills K] [--workers W] [--seed S] [--json]
                     [--naive]

    Processes share one queue and are killed and stopped at random, the disk is full for a while,
    and the clock is set. What the handlers did here and on a server is compared with what was
    queued.

      --tasks T     how many tasks are queued beside the graphs; 50000 by default
      --graphs G    how many graphs of five nodes; 100 by default
      --kills K     how often a process is killed, at least; 200 by default
      --workers W   how many processes run the queue; 4 by default
      --seed S      what all choices follow from; 1 by default
      --json        one JSON object instead of lines
      --naive       handlers write before their task ends, and not with it: a run that must fail
    """

  /// Does what the command line asks for.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    if arguments.first == "--child", arguments.count == 2 {
      guard let order = try? JSONDecoder().decode(SoakOrder.self, from: Data(arguments[1].utf8))
      else { return complain("a child's order cannot be read; leave it to the runner", 2) }
      return await SoakChild(order).run()
    }
    var plan = SoakPlan()
    var isJSON = false
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--json": isJSON = true
      case "--naive": plan.isNaive = true
      case "--help", "-h":
        print(help)
        return 0
      case "--tasks", "--graphs", "--kills", "--workers", "--seed":
        guard let text = rest.popFirst(), let number = Int(text), number >= 0 else {
          return complain("\(name) wants a number; --help says which", 2)
        }
        plan.set(name, number)
      default: return complain("no such option: \(name); --help lists them", 2)
      }
    }
    do throws(SoakFailure) {
      let report = try await SoakRun(plan).play()
      print(isJSON ? report.json : report.lines.joined(separator: "\n"))
      return report.isClean ? 0 : 1
    } catch {
      return complain(error.message, 4)
    }
  }

  private static func complain(_ line: String, _ code: Int32) -> Int32 {
    FileHandle.standardError.write(Data("TasksSoak: \(line)\n".utf8))
    return code
  }
}

/// Why a run could not be made; says nothing of the queue.
struct SoakFailure: Error {
  var message: String
}

/// How much is done.
struct SoakPlan: Hashable, Sendable {
  var tasks = 50_000
  var graphs = 100
  var kills = 200
  var workers = 4
  var seed: UInt64 = 1
  var isNaive = false

  mutating func set(_ option: String, _ number: Int) {
    switch option {
    case "--tasks": tasks = max(1, number)
    case "--graphs": graphs = number
    case "--kills": kills = number
    case "--workers": workers = max(1, number)
    default: seed = UInt64(number)
    }
  }
}

/// What a child is to be.
struct SoakOrder: Codable, Sendable {
  enum Role: String, Codable { case worker, submitter }

  var role: Role
  /// The device's folder.
  var folder: String
  /// The file that holds by how much the clock is set.
  var clock: String
  /// Where the server listens that handlers call.
  var port: UInt16
  var seed: UInt64
  var tasks: Int
  var graphs: Int
  var isNaive: Bool
}
