import CommuteCore
import CommuteTasks

/// What the world itself knows of one task: from what it asked for and what its handlers did.
///
/// It is kept without the engine and compared with its rows.
struct TaskModel {
  /// What the handler of a task does in the end.
  enum Nature {
    case usual
    /// It kills its process each time.
    case poison
  }

  var id: TaskID
  var number: Int64
  var nature = Nature.usual
  var urgency: TaskUrgency
  var serialKey: String?
  var graph: Int?
  var node: String?
  /// The most failures there may be.
  var failureLimit: Int
  var firstDelay: Int64
  var delayLimit: Int64
  var failures = 0
  var crashes = 0
  var interruptions = 0
  /// Which session runs it by which attempt.
  var owner: (session: Int64, attempt: UInt64)?
  var isCancelRequested = false
  /// Before which monotonic time it must not start; nil where none is known.
  var notBefore: Int64?
  /// Before which wall time it must not start.
  var notBeforeWall: Int64?
  /// By which monotonic time it must have started.
  var startBy: Int64?
  /// Whether it has such a time, known or not.
  var mayExpire = false
  /// Whether something happened after which it fails for good.
  var mayHaveFailed = false
  /// How often its effects were committed.
  var effects = 0
  /// How often it began.
  var attempts = 0

  /// A person wants it tried again.
  mutating func revive() {
    failures = 0
    crashes = 0
    isCancelRequested = false
    mayHaveFailed = false
    (notBefore, notBeforeWall, startBy) = (nil, nil, nil)
    mayExpire = false
  }
}

/// A graph as it was submitted.
struct GraphModel {
  var id: TaskID
  var rule: GraphFailureRule
  var joins: [String: JoinRule]
  var parents: [String: [String]]
  var numbers: [String: Int64] = [:]
  /// Whether a person has tried a node again: what was true of its children may not be any more.
  var wasRevived = false
}

/// A process that runs the queue.
struct SimulatedProcess {
  /// A handler that goes on.
  struct Running {
    var row: TaskRow
  }

  /// Its session; nil while it is dead or has closed it.
  var session: Int64?
  var isStopped = false
  var kinds: Set<String> = ["a", "b"]
  var running: [Int64: Running] = [:]
  var unreadable: Set<Int64> = []
  /// When it last looked, by the monotonic clock.
  var lastLook: Int64 = 0

  /// Whether it can do anything now.
  var isActive: Bool { session != nil && !isStopped }

  /// Whether something runs alone.
  var runsSuspect: Bool { running.values.contains { $0.row.life.crashes > 0 } }
}

/// The kinds of faults that a history may hold; a run fails where one was never met.
enum FaultClass: String, CaseIterable {
  case killBefore, killAfter, killRunning, poison, stop, leaseLost, staleEnd, clockStep, reboot
  case suspend, signalsLost, narrowed, cancelled, retried, unreadable, handedOff, pruned, expired
}
