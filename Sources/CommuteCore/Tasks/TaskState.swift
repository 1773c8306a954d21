/// Where a task of the queue stands; the numbers are those of the table.
public enum TaskState: UInt8, Hashable, Sendable, CaseIterable {
  /// Waits for other nodes of its graph.
  case blocked = 0
  /// Waits for its time.
  case scheduled = 1
  /// May be claimed.
  case ready = 2
  /// A process has claimed it.
  case running = 3
  /// Somebody outside the queue will complete it.
  case external = 4
  /// Waits for a person, or for a release that knows it.
  case parked = 5
  /// Done.
  case succeeded = 10
  /// Given up.
  case failed = 11
  /// Taken back by the app.
  case cancelled = 12
  /// Never to start, because of what it was to come after.
  case skipped = 13
  /// Not started by the time it had to be.
  case expired = 14

  /// Whether nothing will happen to the task by itself any more.
  public var isTerminal: Bool { rawValue >= TaskState.succeeded.rawValue }
}

/// How urgent a task is: how long it may wait behind others, as a deadline.
///
/// The queue takes what must start first; a task's rank is the time it became ready plus the slack
/// of its class. Nothing waits for ever behind fresh urgent work, and no job has to age anything
/// (earliest deadline first).
public enum TaskUrgency: UInt8, Hashable, Sendable, CaseIterable {
  /// Somebody is looking: no slack.
  case interactive = 0
  /// Half a minute.
  case normal = 1
  /// Ten minutes.
  case background = 2

  /// The slack in milliseconds.
  public var slack: Int64 {
    switch self {
    case .interactive: 0
    case .normal: 30_000
    case .background: 600_000
    }
  }

  /// The rank of a task that became ready at a time, in milliseconds.
  public func rank(readyAt time: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(slack)
    return overflow ? .max : sum
  }
}
