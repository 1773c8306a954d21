import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks

/// Every order in which three nodes may end, and what must become of the one that comes after them.
struct JoinCases {
  /// What becomes of one of the three, step by step.
  enum Fate: CaseIterable {
    case finish, fail, cancel, retry, crash

    var steps: [Step] {
      switch self {
      case .finish: [.done]
      case .fail: [.fail]
      case .cancel: [.cancel]
      case .retry: [.fail, .revive, .done]
      case .crash: [.begin, .die, .done]
      }
    }
  }

  /// What happens in one transaction.
  enum Step {
    /// It begins and is done.
    case done
    /// It begins and fails.
    case fail
    /// It begins.
    case begin
    /// The process that runs it dies.
    case die
    /// It is taken back.
    case cancel
    /// A person tries it again.
    case revive
  }

  /// What was found.
  struct Outcome {
    var cases = 0
    /// The first case that came out otherwise, in words.
    var wrong: String?
  }

  let connection: Connection
  /// Whether what differs only by which of the three is called what is played once.
  let isDistinct: Bool
  private let ids = Ids()

  init(_ connection: Connection, isDistinct: Bool) {
    self.connection = connection
    self.isDistinct = isDistinct
  }

  /// Plays all orders, or until the first one that is wrong.
  ///
  /// Orders that begin alike are played once as far as they are.
  ///
  /// - Parameters:
  ///   - part: Which of the parts of them.
  ///   - parts: How many parts there are.
  /// - Throws: What the engine throws.
  /// - Returns: How many there were, and what was wrong.
  func play(part: Int, of parts: Int) throws -> Outcome {
    var outcome = Outcome()
    var place = 0
    for join in JoinRule.allCases {
      for rule in GraphFailureRule.allCases {
        for fates in Self.fates {
          place += 1
          guard place % parts == part else { continue }
          try connection.statement("SAVEPOINT world").run()
          try submit(join, rule)
          let oracle = JoinOracle(join: join, rule: rule)
          let left = fates.map { $0.steps[...] }
          if let wrong = try goOn(left, of: fates, oracle, &outcome.cases) {
            outcome.wrong = "\(fates) with \(join) and \(rule): \(wrong)"
            return outcome
          }
          try connection.statement("ROLLBACK TO world").run()
        }
      }
    }
    return outcome
  }

  /// The fates of three that are alike: which of them has which makes no difference.
  private static var fates: [[Fate]] {
    let all = Fate.allCases
    return all.indices.flatMap { first in
      all.indices[first...].flatMap { second in
        all.indices[second...].map { [all[first], all[second], all[$0]] }
      }
    }
  }

  // MARK: - One case

  private func submit(_ join: JoinRule, _ rule: GraphFailureRule) throws {
    var graph = Graph("join")
    graph.onFailure = rule
    for place in 0...3 {
      var options = EnqueueOptions()
      var policy = TaskPolicy()
      policy.requires = Requirements(rawValue: 1 << UInt64(place))
      options.policy = policy
      graph.add(
        "n\(place)", SimulatedWork(word: "usual"), after: place == 3 ? ["n0", "n1", "n2"] : [],
        join: join, options)
    }
    let plan = try graph.plan()
    _ = try engine().submit(graph, plan, uniqueKey: nil)
  }

  /// Takes each of the steps that may be the next one, and goes on from there.
  ///
  /// Of two beside each other that have the same before them, and had the same so far, the first
  /// goes first where only distinct orders are wanted.
  private func goOn(
    _ left: [ArraySlice<Step>], of fates: [Fate], _ oracle: JoinOracle, _ cases: inout Int
  ) throws -> String? {
    if left.allSatisfy(\.isEmpty) {
      cases += 1
      return try end(oracle)
    }
    for place in left.indices {
      if isDistinct, place > 0, fates[place] == fates[place - 1],
        left[place].count == left[place - 1].count
      {
        continue
      }
      var rest = left
      guard let step = rest[place].popFirst() else { continue }
      var oracle = oracle
      try connection.statement("SAVEPOINT step").run()
      try apply(step, to: place)
      oracle.apply(step, to: place)
      if let wrong = try compare(with: oracle) { return "after \(step) of n\(place) \(wrong)" }
      if let wrong = try goOn(rest, of: fates, oracle, &cases) {
        return "after \(step) of n\(place) \(wrong)"
      }
      try connection.statement("ROLLBACK TO step").run()
      try connection.statement("RELEASE step").run()
    }
    return nil
  }

  /// Lets all run that may, and looks whether the graph is over.
  private func end(_ oracle: JoinOracle) throws -> String? {
    for place in 0..<3 where !oracle.parents[place].isTerminal { try apply(.done, to: place) }
    try apply(.done, to: 3)
    let rows = try rows()
    if let attempt = rows.last?.life.attempt, attempt > 1 { return "n3 began \(attempt) times" }
    let hasBegun = rows.last?.life.attempt == 1
    if hasBegun != (oracle.child == .ready || oracle.isFreed) {
      return "n3 \(hasBegun ? "began" : "did not begin") in the end"
    }
    let isOpen = try connection.statement(
      "SELECT count(*) FROM q_graph WHERE state < 10 OR open <> 0"
    ).firstInt64()
    return isOpen == 0 ? nil : "the graph is never over"
  }

  private func compare(with oracle: JoinOracle) throws -> String? {
    let states = try rows().map(\.life.state)
    let expected = oracle.parents + [oracle.child]
    return states == expected ? nil : "there is \(states) and not \(expected)"
  }

  private func rows() throws -> [TaskRow] {
    try connection.all("SELECT \(TaskRow.columns) FROM q_task ORDER BY id") { row in
      try TaskRow(row)
    }
  }

  private func apply(_ step: Step, to place: Int) throws {
    let engine = engine()
    switch step {
    case .begin: _ = try begin(place, engine)
    case .done, .fail:
      guard let claimed = try begin(place, engine) else { return }
      _ = try engine.end(claimed, PlainOutcome(step == .done ? .done : .fail))
    case .cancel: try engine.cancel(try rows()[place])
    case .revive: _ = try engine.revive(try rows()[place])
    case .die:
      guard let owner = try rows()[place].owner else { return }
      try engine.reap(session: owner)
    }
  }

  /// Begins one of the tasks in a process of its own, where it may begin.
  private func begin(_ place: Int, _ engine: QueueEngine) throws -> TaskRow? {
    let session = try engine.openSession(process: 1, lock: "lock")
    let terms = ClaimTerms(
      session: session, signals: 1 << UInt64(place), lease: 30_000, kinds: ["a"])
    return try engine.round(terms, running: [:], runsSuspect: false).claimed.first?.row
  }

  private func engine() -> QueueEngine {
    let clock = StoreClock(wall: { 1_000_000 }, monotonic: { 1_000 }, bootID: { "boot" })
    return QueueEngine(connection, clock: clock, draw: { 0 }, makeID: ids.next)
  }

  /// Ids of tasks, none twice.
  private final class Ids {
    private var last: UInt64 = 0

    func next() -> RecordID {
      last += 1
      return RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | last)
    }
  }
}

/// What the rules say must become of the one that comes after three others.
struct JoinOracle {
  let join: JoinRule
  let rule: GraphFailureRule
  var parents: [TaskState] = [.ready, .ready, .ready]
  var child = TaskState.blocked

  init(join: JoinRule, rule: GraphFailureRule) {
    self.join = join
    self.rule = rule
  }

  /// Whether the end of those that are still ready lets it begin.
  var isFreed: Bool {
    guard child == .blocked else { return false }
    var last = self
    for place in 0..<3 { last.apply(.done, to: place) }
    return last.child == .ready
  }

  mutating func apply(_ step: JoinCases.Step, to place: Int) {
    let state = parents[place]
    switch step {
    case .done where state == .ready: settle(place, .succeeded)
    case .fail where state == .ready: settle(place, .failed)
    case .begin where state == .ready: parents[place] = .running
    case .die where state == .running: parents[place] = .ready
    case .cancel where state == .ready: settle(place, .cancelled)
    case .revive where state == .failed || state == .cancelled:
      parents[place] = .ready
      if child == .skipped, !isHopeless { child = .blocked }
    default: break
    }
  }

  private mutating func settle(_ place: Int, _ state: TaskState) {
    parents[place] = state
    decide()
    guard state != .succeeded, rule == .failFast else { return }
    for other in parents.indices where parents[other] == .ready { parents[other] = .cancelled }
    if child == .ready || child == .blocked { child = .cancelled }
  }

  private mutating func decide() {
    guard child == .blocked else { return }
    if isMet { child = .ready } else if isHopeless { child = .skipped }
  }

  /// Of those before it, how many are well and how many open; one that ended badly is as good as
  /// another where the graph carries on.
  private var counts: (well: Int, open: Int) {
    let open = parents.filter { !$0.isTerminal }.count
    let well = parents.filter { $0 == .succeeded || (rule == .carryOn && $0.isTerminal) }.count
    return (well, open)
  }

  private var isMet: Bool {
    switch join {
    case .allSucceeded: counts.well == 3
    case .allFinished: counts.open == 0
    case .anySucceeded: counts.well > 0
    }
  }

  private var isHopeless: Bool {
    switch join {
    case .allSucceeded: counts.well + counts.open < 3
    case .allFinished: false
    case .anySucceeded: counts.well == 0 && counts.open == 0
    }
  }
}
