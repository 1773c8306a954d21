import CommuteCore
import Foundation
import Synchronization

/// The program: plays histories, and hunts planted bugs with a second build of itself.
enum SimulationProgram {
  private static let help = """
    usage: TasksSimulator [--histories H] [--seed S] [--planted PROGRAM] [--distinct-joins]
                          [--json]
           TasksSimulator --replay S

    Plays seeded histories of processes that share a queue, and checks after every commit what must
    hold, against what the world itself knows; and every order in which three nodes of a graph may
    end before a fourth.

      --histories H      how many; 100000 by default
      --seed S           the first seed; 1 by default
      --distinct-joins   of orders that differ only by which node is called what, plays one
      --planted PROGRAM  the build with planted bugs, which must all be killed
      --replay S         plays one seed and tells what happens
      --json             one JSON object instead of lines
    """

  /// What the command line asks for.
  private struct Options {
    var histories = 100_000
    var seed: UInt64 = 1
    var planted: String?
    var replay: UInt64?
    var isHunt = false
    var only: String?
    var part = (index: 0, count: 1)
    var isJSON = false
    var wantsDistinctJoins = false
    var complaint: String?
    var wantsHelp = false

    init(_ arguments: [String]) {
      var rest = arguments[...]
      while let name = rest.popFirst() {
        switch name {
        case "--json": isJSON = true
        case "--hunt": isHunt = true
        case "--distinct-joins": wantsDistinctJoins = true
        case "--help", "-h": wantsHelp = true
        case "--planted": planted = rest.popFirst()
        case "--only": only = rest.popFirst()
        case "--histories", "--seed", "--replay", "--part", "--parts":
          guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
            complaint = "\(name) wants a number; --help says which"
            return
          }
          switch name {
          case "--histories": histories = Int(clamping: number)
          case "--seed": seed = number
          case "--part": part.index = Int(clamping: number)
          case "--parts": part.count = max(1, Int(clamping: number))
          default: replay = number
          }
        default:
          complaint = "no such option: \(name); --help lists them"
          return
        }
      }
    }
  }

  /// Does what the command line asks for.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) -> Int32 {
    let options = Options(arguments)
    if let complaint = options.complaint { return complain(complaint, 2) }
    if options.wantsHelp {
      print(help)
      return 0
    }
    if options.isHunt { return hunt(options) }
    if let seed = options.replay { return replay(seed) }
    return play(options)
  }

  private static func complain(_ line: String, _ code: Int32) -> Int32 {
    FileHandle.standardError.write(Data("TasksSimulator: \(line)\n".utf8))
    return code
  }

  private static func replay(_ seed: UInt64) -> Int32 {
    let player = Player()
    let whole = player.play(Draws(seed: seed))
    guard let violation = whole.violation else {
      for line in player.play(Draws(seed: seed), telling: true).story { print(line) }
      print("seed \(seed) is clean")
      return 0
    }
    let short = player.shrink(whole.drawn, violation.guarantee)
    let told = player.play(Draws(playing: short), telling: true)
    for line in told.story { print(line) }
    print("\(told.violation?.guarantee ?? "?"): \(told.violation?.text ?? "?")")
    return 1
  }

  // MARK: - Many histories

  /// What several threads count together.
  private struct Sum {
    var steps = 0
    var tasks = 0
    var faults: [FaultClass: Int] = [:]
    var violations: [(seed: UInt64, violation: QueueWorld.Violation)] = []
  }

  private static func play(_ options: Options) -> Int32 {
    let sum = Mutex(Sum())
    let next = Atomic<Int>(0)
    let isWatched = isatty(STDERR_FILENO) == 1
    let started = clock()
    let threads = max(1, ProcessInfo.processInfo.activeProcessorCount)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      let player = Player()
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < options.histories else { return }
        let seed = options.seed &+ UInt64(index)
        let outcome = outcome(of: seed, twice: index % 100 == 0, player)
        sum.withLock { sum in
          sum.steps += outcome.steps
          sum.tasks += outcome.tasks
          sum.faults.merge(outcome.faults, uniquingKeysWith: +)
          if let violation = outcome.violation { sum.violations.append((seed, violation)) }
        }
        if isWatched, index % 500 == 0 {
          FileHandle.standardError.write(Data("\r\u{1B}[K\(index) histories".utf8))
        }
      }
    }
    if isWatched { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    // Of all cores together: what a core plays in a second.
    let seconds = Double(clock() - started) / Double(CLOCKS_PER_SEC)
    let joins = joins(threads, isDistinct: options.wantsDistinctJoins)
    let quarries: [Quarry]
    switch Quarry.all(options.planted, seed: options.seed, parts: threads) {
    case .success(let found): quarries = found
    case .failure(let refusal): return complain(refusal.text, 4)
    }
    return report(sum.withLock { $0 }, joins, quarries, options, seconds: seconds)
  }

  /// Plays a seed; twice where asked, and both must tell the same.
  private static func outcome(of seed: UInt64, twice: Bool, _ player: Player) -> Player.Outcome {
    var outcome = player.play(Draws(seed: seed), telling: twice)
    guard twice, outcome.violation == nil else { return outcome }
    let again = player.play(Draws(seed: seed), telling: true)
    if again.story != outcome.story || again.drawn != outcome.drawn {
      outcome.violation = QueueWorld.Violation(
        guarantee: "G53", text: "it goes another way each time")
    }
    return outcome
  }

  /// Every order in which three nodes of a graph may end.
  private static func joins(_ threads: Int, isDistinct: Bool) -> JoinCases.Outcome {
    let sum = Mutex(JoinCases.Outcome())
    DispatchQueue.concurrentPerform(iterations: threads) { part in
      var found = JoinCases.Outcome()
      do {
        let cases = JoinCases(try QueueWorld.file(), isDistinct: isDistinct)
        found = try cases.play(part: part, of: threads)
      } catch {
        found.wrong = "\(error)"
      }
      sum.withLock { sum in
        sum.cases += found.cases
        sum.wrong = sum.wrong ?? found.wrong
      }
    }
    return sum.withLock { $0 }
  }

  private static func report(
    _ sum: Sum, _ joins: JoinCases.Outcome, _ quarries: [Quarry], _ options: Options,
    seconds: Double
  ) -> Int32 {
    let histories = max(1, options.histories)
    for (seed, violation) in sum.violations.sorted(by: { $0.seed < $1.seed }).prefix(5) {
      print("violation: seed \(seed): \(violation.guarantee): \(violation.text)")
    }
    if let first = sum.violations.first {
      print("see it: TasksSimulator --replay \(first.seed)")
    }
    if let wrong = joins.wrong { print("violation: G39: \(wrong)") }
    for quarry in quarries where !options.isJSON || !quarry.isKilled { print(quarry.line) }
    let faults = FaultClass.allCases.map { "\($0.rawValue) \(sum.faults[$0] ?? 0)" }
    let missing = FaultClass.allCases.filter { histories >= 1_000 && (sum.faults[$0] ?? 0) == 0 }
    let total = sum.faults.values.reduce(0, +)
    let violations = sum.violations.count + (joins.wrong == nil ? 0 : 1)
    let killed = quarries.filter(\.isKilled).count
    let rate = Int(Double(options.histories) / max(seconds, 0.001))
    if options.isJSON {
      print(
        "{\"histories\":\(options.histories),\"joins\":\(joins.cases),"
          + "\"tasks\":\(sum.tasks),\"faults\":\(total),"
          + "\"violations\":\(violations),\"killed\":\(killed),"
          + "\"planted\":\(quarries.count),\"rate\":\(rate)}")
    } else {
      print("simulate-tasks: \(joins.cases) orders in which three nodes end before a fourth")
      print(
        "simulate-tasks: means \(sum.steps / histories) steps, \(sum.tasks / histories) tasks, "
          + "\(total / histories) faults, 3 processes; fault classes: "
          + faults.joined(separator: ", "))
      print(
        "simulate-tasks: \(options.histories) histories, \(sum.tasks) tasks, \(total) faults, "
          + "\(violations) violations, \(killed) of \(quarries.count) planted bugs killed, "
          + "\(rate) histories/s")
    }
    for fault in missing {
      _ = complain("no history met the fault \(fault.rawValue); play more", 1)
    }
    let isClean = violations == 0 && killed == quarries.count && missing.isEmpty
    return isClean ? 0 : 1
  }

  // MARK: - The hunt

  private static func hunt(_ options: Options) -> Int32 {
    #if PLANTED
      let player = Player()
      for (place, bug) in PlantedTask.allCases.enumerated() {
        guard place % options.part.count == options.part.index,
          options.only == nil || options.only == bug.rawValue
        else { continue }
        // One thread only: the bug is set before the histories that it is in.
        unsafe PlantedTask.active = bug
        var found = Quarry(name: bug.rawValue, guarantee: "", history: 0, steps: 0)
        for index in 0..<20_000 {
          let outcome = player.play(Draws(seed: options.seed &+ UInt64(index)))
          guard let violation = outcome.violation else { continue }
          let short = player.shrink(outcome.drawn, violation.guarantee)
          found.guarantee = violation.guarantee
          found.history = index + 1
          found.steps = player.play(Draws(playing: short)).steps
          break
        }
        print(found.row)
      }
      unsafe PlantedTask.active = nil
      return 0
    #else
      return complain("this build holds no planted bugs; build it with -D PLANTED", 2)
    #endif
  }
}
