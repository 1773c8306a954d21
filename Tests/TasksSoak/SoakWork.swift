import CommuteCore
import CommuteStore
import CommuteTasks
import CommuteTestKit

/// What a task of the run does, which follows from its number alone.
struct SoakTask: QueueTask, Hashable {
  static let kind = "soak"
  typealias Output = Int
  /// Its number; those of graphs begin at ``graphStart``.
  var number: Int
  /// What nodes before it brought, which must be there.
  var before: [Ref<Int>] = []

  static func == (left: SoakTask, right: SoakTask) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// How tasks are drawn.
struct SoakDraw: Sendable {
  /// What a handler does beside calling the server.
  enum Mode: Sendable {
    /// Nothing.
    case plain
    /// It takes some milliseconds.
    case slow(Int)
    /// Its first attempt fails.
    case failsOnce
    /// It calls the server in a step.
    case step
    /// It kills its process.
    case poison
  }

  /// The first number of a graph's node.
  static let graphStart = 1_000_000
  /// How many nodes a graph has.
  static let graphSize = 5

  let seed: UInt64
  let tasks: Int

  /// What a task does.
  func mode(_ number: Int) -> Mode {
    if isPoison(number) { return .poison }
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 31)
    switch random.draw(100) {
    case 0..<3: return .slow(1 + random.draw(12))
    case 3..<5: return .failsOnce
    case 5..<8: return .step
    default: return .plain
    }
  }

  /// Three tasks of a run kill whoever runs them.
  func isPoison(_ number: Int) -> Bool {
    tasks >= 100 && [tasks / 4, tasks / 2, tasks * 3 / 4].contains(number)
  }

  /// How a task is queued.
  func options(_ number: Int) -> EnqueueOptions {
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 17 &+ 5)
    var options = EnqueueOptions()
    var policy = TaskPolicy()
    policy.lane = ["a", "b", "c"][random.draw(3)]
    policy.urgency = TaskUrgency.allCases[random.draw(3)]
    policy.retry.backoff = Backoff(
      firstDelay: 10, delayLimit: 200, leastDelay: 0, jitter: .equal)
    policy.retry.failureLimit = 1_000
    options.policy = policy
    if random.draw(20) == 0 { options.serialKey = "line \(random.draw(7))" }
    if random.draw(10) == 0 {
      options.when = .after(milliseconds: UInt64(random.draw(300)))
    }
    return options
  }

  /// A graph: one node, three side by side, one after them.
  func graph(_ place: Int) -> Graph {
    let first = Self.graphStart + place * Self.graphSize
    var graph = Graph("graph \(place)")
    let top = graph.add("top", SoakTask(number: first), options(first))
    let middle = (1...3).map { number in
      graph.add(
        "middle \(number)", SoakTask(number: first + number, before: [top.output]),
        options(first + number))
    }
    graph.add(
      "bottom", SoakTask(number: first + 4, before: middle.map(\.output)), options(first + 4))
    return graph
  }
}

/// What effects write: a row for each end of a task, and nothing keeps a second one out.
struct DoneRow: Record {
  var id = RecordID.zero
  var number = 0
  var key = ""

  static let table = Table(local: "soak_done", blank: DoneRow()) {
    Column("number", \.number)
    Column("task_key", \.key)
  }
}

/// What is written with the queueing of a task, in the same transaction.
struct QueuedRow: Record {
  var id = RecordID.zero
  var number = 0

  static let table = Table(local: "soak_queued", blank: QueuedRow()) {
    Column("number", \.number)
  }
}
