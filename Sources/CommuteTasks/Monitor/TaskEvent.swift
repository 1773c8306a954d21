public import CommuteCore

/// What an event says; the numbers are those of the table.
public enum TaskEventType: UInt8, Hashable, Sendable, CaseIterable {
  /// A task was queued.
  case enqueued = 1
  /// A task that waits has a new payload.
  case merged = 2
  /// A node's turn has come.
  case released = 3
  /// A handler failed, and the task is tried again later.
  case retrying = 4
  /// A task waits for signals.
  case waiting = 5
  /// A task waits for a person.
  case parked = 6
  /// Somebody outside completes it.
  case handedOff = 7
  /// The queue stopped an attempt.
  case interrupted = 8
  /// The process of an attempt died.
  case crashed = 9
  /// The process of an attempt gave no sign of life.
  case leaseLost = 10
  /// A running task was taken back, and its handler is told.
  case cancelRequested = 11
  /// A handler goes on after its time was up.
  case stuck = 12
  /// A task that was over or parked is tried again.
  case revived = 13
  /// All nodes of a graph are over.
  case graphEnded = 14
  /// A handler told how far it is.
  case progress = 15
  /// A failed task does not hold up those behind it with the same serial key any more.
  case lineReleased = 16
  /// A task succeeded.
  case succeeded = 20
  /// It failed for good.
  case failed = 21
  /// It was taken back.
  case cancelled = 22
  /// It will never start.
  case skipped = 23
  /// It did not start in time.
  case expired = 24

  /// The event of an end.
  static func ended(_ state: TaskState) -> TaskEventType {
    switch state {
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    case .skipped: .skipped
    case .expired: .expired
    case .parked: .parked
    case .external: .handedOff
    case .blocked, .scheduled, .ready, .running: .released
    }
  }

  /// The event of an attempt that ended without ending the task.
  static func of(_ ending: TaskLife.Ending) -> TaskEventType {
    switch ending {
    case .retry, .timedOut: .retrying
    case .wait: .waiting
    case .park: .parked
    case .handOff: .handedOff
    case .interrupted: .interrupted
    case .ownerDied: .crashed
    case .done: .succeeded
    case .fail: .failed
    }
  }
}

/// Something that happened to a task; the numbers of a database's events have no gaps.
public struct TaskEvent: Hashable, Sendable {
  /// Its number, one more than that of the event before it.
  public var number: Int64
  /// When, in milliseconds of the wall clock.
  public var at: Int64
  /// The task; nil where it is about a whole graph.
  public var task: TaskID?
  /// The graph; nil for a task of none.
  public var graph: TaskID?
  /// What happened.
  public var type: TaskEventType
  /// The attempt.
  public var attempt: Int64?
  /// A word on it.
  public var detail: String?
}

/// Why a task does not run now.
public enum Blocker: Hashable, Sendable {
  /// Its time has not come; milliseconds of the wall clock.
  case due(Int64)
  /// It is tried again after failures.
  case backoff(until: Int64, failures: Int)
  /// Signals are missing.
  case missing(Requirements)
  /// A node before it is not over.
  case dependency(TaskID)
  /// One with the same serial key is before it.
  case serial(behind: TaskID)
  /// Its lane is paused.
  case lanePaused(String)
  /// Its lane runs as many as it may.
  case laneFull(String)
  /// Nobody here handles its kind.
  case noHandler(String)
  /// It waits for a person, who should read this.
  case parked(String)
  /// A process runs it.
  case running(process: Int64)
  /// The handler of an earlier attempt has not returned.
  case stopping
  /// A process has died in it: it waits until nothing else runs in this one.
  case alone
  /// Somebody outside completes it.
  case external(token: String)
  /// It is over.
  case over(TaskState)
}
