import CommuteTestKit

/// Where in its work a process is killed.
enum Phase: String, CaseIterable {
  /// Before a transaction begins.
  case before
  /// In the middle of one: after statements, before the commit.
  case inside
  /// After the commit, before the call returns.
  case committed
  /// After the call has returned.
  case returned
  /// At a random time.
  case random

  /// The phases that have points of their own.
  static let named: [Phase] = [.before, .inside, .committed, .returned]
}

/// All kills of a run, in their order; they follow from the seed.
struct KillPlan {
  enum Victim {
    case device(slot: Int)
    case server
  }

  struct Kill {
    var victim: Victim
    var phase: Phase
    /// How the victim kills itself; nil where its parent does.
    var charge: Fuse.Charge?
    /// After how many milliseconds the parent kills it.
    var delay = 0
  }

  private(set) var kills: [Kill] = []

  /// How often each named phase must be met, by devices and by the server.
  static func minimum(_ count: Int) -> Int { max(1, min(20, count / 10)) }

  /// Chooses kills: so many of devices, and so many of the server.
  init(count: Int, using generator: inout SeededGenerator) {
    let share = max(Self.minimum(count), count * 16 / 100)
    var phases = Phase.named.flatMap { [Phase](repeating: $0, count: share) }
    phases += [Phase](repeating: .random, count: max(0, count - phases.count))
    for phase in phases {
      let slot = generator.draw(SheetValue.slots)
      kills.append(Self.kill(.device(slot: slot), phase, &generator))
      kills.append(Self.kill(.server, phase, &generator))
    }
    kills.shuffle(using: &generator)
  }

  /// Chooses one more kill of a phase.
  static func kill(
    _ victim: Victim, _ phase: Phase, _ generator: inout SeededGenerator
  ) -> Kill {
    var kill = Kill(victim: victim, phase: phase)
    guard phase == .random else {
      kill.charge = charge(victim, phase, &generator)
      return kill
    }
    switch (generator.draw(6), victim) {
    case (0...2, _):
      let near = Phase.named[generator.draw(Phase.named.count)]
      kill.charge = charge(victim, near, &generator)
    case (3, .device):
      kill.charge = Fuse.Charge(point: generator.draw(3) == 0 ? "closing" : "opening", passes: 1)
    default: kill.delay = generator.draw(60)
    }
    kill.charge?.delay = 1 + generator.draw(1_500)
    return kill
  }

  private static func charge(
    _ victim: Victim, _ phase: Phase, _ generator: inout SeededGenerator
  ) -> Fuse.Charge {
    let points: [(name: String, passes: Int)]
    switch victim {
    case .device: points = devicePoints(phase)
    case .server: points = serverPoints(phase)
    }
    let point = points[generator.draw(points.count)]
    return Fuse.Charge(point: point.name, passes: 1 + generator.draw(point.passes))
  }

  /// The points of a device, and at which pass it is killed at most.
  private static func devicePoints(_ phase: Phase) -> [(name: String, passes: Int)] {
    switch phase {
    case .before, .random: [("beforeTransaction", 30)]
    case .inside:
      [
        ("insideTransaction", 24), ("betweenStatements", 12), ("betweenStatements", 12),
        ("verdictsApplied", 3), ("answerApplied", 3),
      ]
    case .committed: [("afterCommit", 24), ("roundMarked", 3), ("hostRecordWritten", 3)]
    case .returned:
      [
        ("returned", 12), ("reported", 12), ("reported", 12), ("sending", 3), ("answered", 3),
        ("answered", 3), ("beforeCheckpoint", 1), ("afterCheckpoint", 1),
      ]
    }
  }

  private static func serverPoints(_ phase: Phase) -> [(name: String, passes: Int)] {
    switch phase {
    case .before, .random: [("before", 5)]
    case .inside: [("inside", 5)]
    case .committed: [("committed", 5)]
    case .returned: [("answered", 5)]
    }
  }
}
