/// What the queue knows of one task's life, and what becomes of it: event and time in, the next
/// state out.
public struct TaskLife: Hashable, Sendable {
  /// Where it stands.
  public var state: TaskState
  /// How often it was claimed; only the newest claim may say anything.
  public var attempt: UInt64 = 0
  /// How often its handler said no; only these spend the retry budget.
  public var failures: UInt32 = 0
  /// How often a process died in the middle of its handler; only these make it poison.
  public var crashes: UInt32 = 0
  /// How often it was stopped by the queue or the system; they cost nothing.
  public var interruptions: UInt32 = 0
  /// Whether the handler of the present attempt has started.
  public var hasStarted = false
  /// Whether somebody took it back while it ran.
  public var isCancelRequested = false
  /// When it may start, in milliseconds of the wall clock.
  public var due: Int64
  /// The length of the delay, where it is one: such a due time moves with a clock that is set.
  public var delay: Int64?
  /// The order in which ready tasks are claimed.
  public var rank: Int64
  /// When it must have started, in milliseconds of the wall clock; nil for whenever.
  public var expires: Int64?
  /// The length of the time it had to start, where it is one: it moves with a clock that is set.
  public var startWithin: Int64?
  /// Its class.
  public var urgency: TaskUrgency
  /// Its retries.
  public var retry: RetryPolicy
  /// The signals without which it does not start.
  public var requires: UInt64

  /// How many crashes make a task poison.
  public static let crashLimit: UInt32 = 3

  /// What happened to a running task.
  public enum Ending: Hashable, Sendable {
    /// The handler is done.
    case done
    /// The handler wants to be tried again, not before a delay in milliseconds.
    case retry(after: UInt64?)
    /// Signals are missing: it waits for them, and that is no failure.
    case wait(signals: UInt64)
    /// A person has to look at it.
    case park
    /// The handler has given up.
    case fail
    /// Somebody outside completes it.
    case handOff
    /// The queue stopped it: suspension, the end of a window, a lost constraint.
    case interrupted
    /// The process that ran it has died.
    case ownerDied
    /// It took longer than it may.
    case timedOut
  }

  /// Makes the life of a task that was never claimed.
  ///
  /// `due` is when it may start, nil for now, and `delay` the length of the delay that comes from,
  /// where it does; `expires` and `startWithin` the same of its expiry; all in milliseconds.
  public init(
    now: Int64, due: Int64? = nil, delay: Int64? = nil, expires: Int64? = nil,
    startWithin: Int64? = nil, urgency: TaskUrgency = .normal,
    retry: RetryPolicy = RetryPolicy(), requires: UInt64 = 0, isBlocked: Bool = false
  ) {
    // What may start at once is no date: a clock that is set back must not put it off.
    self.delay = due == nil ? delay ?? 0 : delay
    let due = due ?? now
    self.due = due
    self.expires = expires
    self.startWithin = startWithin
    self.urgency = urgency
    self.retry = retry
    self.requires = requires
    rank = urgency.rank(readyAt: max(due, now))
    #if PLANTED
      if PlantedTask.isActive(.slackIgnored) { rank = max(due, now) }
    #endif
    state = isBlocked ? .blocked : due > now ? .scheduled : .ready
  }

  /// What a task that is no longer blocked becomes.
  public mutating func release(now: Int64) {
    guard state == .blocked else { return }
    wake(now: now)
  }

  /// The task's time has come.
  ///
  /// It is ready since then, whenever that is noticed.
  public mutating func comeDue() {
    guard state == .scheduled else { return }
    state = .ready
    rank = urgency.rank(readyAt: due)
  }

  /// The task has not started in time.
  public mutating func expire() {
    #if PLANTED
      if PlantedTask.isActive(.expiryForgotten) { return }
    #endif
    if isWaiting { state = .expired }
  }

  /// The task will never start, because of what it was to come after.
  public mutating func skip() {
    if state == .blocked { state = .skipped }
  }

  /// Nobody here can read the task.
  public mutating func setAside() {
    if state == .ready { state = .parked }
  }

  /// Somebody can read the task after all; what it has been through still counts.
  public mutating func takeUp(now: Int64) {
    #if PLANTED
      if PlantedTask.isActive(.takeUpForgets) { _ = revive(now: now) }
    #endif
    if state == .parked { wake(now: now) }
  }

  /// Whether it waits for its turn.
  private var isWaiting: Bool { state == .blocked || state == .scheduled || state == .ready }

  /// Ready, or scheduled where its time has not come.
  private mutating func wake(now: Int64) {
    state = due > now ? .scheduled : .ready
    rank = urgency.rank(readyAt: max(due, now))
  }

  /// The task is claimed: a new attempt, in which the handler has not started.
  ///
  /// It has begun in time: what becomes of the attempt, it does not expire any more.
  public mutating func claim() {
    state = .running
    attempt += 1
    #if PLANTED
      if PlantedTask.isActive(.attemptKept) { attempt = max(attempt - 1, 1) }
    #endif
    hasStarted = false
    expires = nil
    startWithin = nil
  }

  /// What happened to the running task; `draw` is 64 random bits for the delay of a retry.
  ///
  /// - Returns: Why it failed for good by what the queue itself decided; nil otherwise.
  @discardableResult
  public mutating func end(_ ending: Ending, now: Int64, draw: UInt64) -> TaskFailure? {
    guard state == .running || state == .external else { return nil }
    let started = hasStarted
    hasStarted = false
    #if PLANTED
      if PlantedTask.isActive(.cancelIgnored) { isCancelRequested = false }
    #endif
    if isCancelRequested, ending != .done {
      state = .cancelled
      return nil
    }
    switch ending {
    case .done: state = .succeeded
    case .fail: state = .failed
    case .park: state = .parked
    case .handOff: state = .external
    case .wait(let signals):
      requires |= signals
      state = .ready
      #if PLANTED
        if PlantedTask.isActive(.waitsCharged) { failures += 1 }
      #endif
    case .interrupted:
      interruptions &+= 1
      #if PLANTED
        if PlantedTask.isActive(.interruptionsCharged) { failures += 1 }
      #endif
      // It keeps its rank: what was urgent still is.
      state = .ready
    case .ownerDied: return loseOwner(hadStarted: started)
    case .retry(let least): return fail(.retriesSpent, atLeast: least ?? 0, now: now, draw: draw)
    case .timedOut: return fail(.timedOut, atLeast: 0, now: now, draw: draw)
    }
    return nil
  }

  /// The process that ran it has died; that is charged only to handlers that had started.
  private mutating func loseOwner(hadStarted: Bool) -> TaskFailure? {
    state = .ready
    guard hadStarted else {
      interruptions &+= 1
      return nil
    }
    crashes &+= 1
    #if PLANTED
      if PlantedTask.isActive(.crashesAreFailures) {
        (failures, crashes) = (failures + 1, crashes - 1)
      }
      if PlantedTask.isActive(.poisonNever) { return nil }
    #endif
    guard crashes >= Self.crashLimit else { return nil }
    state = .failed
    return .poison
  }

  /// The handler failed: it is tried again later, or never where `reason` is the end of it.
  private mutating func fail(
    _ reason: TaskFailure, atLeast: UInt64, now: Int64, draw: UInt64
  ) -> TaskFailure? {
    var least = atLeast
    failures &+= 1
    #if PLANTED
      if PlantedTask.isActive(.timeoutsFree), reason == .timedOut { failures -= 1 }
      if PlantedTask.isActive(.limitIgnored) { failures = min(failures, retry.failureLimit - 1) }
      if PlantedTask.isActive(.retryAfterIgnored) { least = 0 }
    #endif
    guard failures < retry.failureLimit else {
      state = .failed
      return reason
    }
    least = min(least, 1 << 50)
    let length = Int64(
      clamping: retry.backoff.delay(afterFailures: failures, draw: draw, atLeast: least))
    delay = length
    due = now.addingReportingOverflow(length).overflow ? .max : now + length
    wake(now: now)
    #if PLANTED
      if PlantedTask.isActive(.retriedAtOnce) { state = .ready }
    #endif
    return nil
  }

  /// The app takes the task back.
  ///
  /// A running one goes on until its handler has heard of it.
  public mutating func cancel() {
    guard !state.isTerminal else { return }
    if state == .running { isCancelRequested = true } else { state = .cancelled }
  }

  /// A person wants it tried again, with a fresh budget.
  ///
  /// - Returns: Whether it was over or parked, so that there was something to do.
  public mutating func revive(now: Int64, isBlocked: Bool = false) -> Bool {
    switch state {
    case .failed, .cancelled, .skipped, .expired, .parked: break
    default: return false
    }
    #if PLANTED
      if !PlantedTask.isActive(.budgetKept) { failures = 0 }
    #else
      failures = 0
    #endif
    crashes = 0
    isCancelRequested = false
    due = now
    delay = 0
    expires = nil
    startWithin = nil
    if isBlocked { state = .blocked } else { wake(now: now) }
    return true
  }

  /// The clock was set within one run of the machine: what is relative keeps its length, and the
  /// order of what is ready stays.
  public mutating func shift(by milliseconds: Int64) {
    #if PLANTED
      if PlantedTask.isActive(.shiftForgotten) { return }
    #endif
    if delay != nil { due = due.shifted(by: milliseconds) }
    if startWithin != nil { expires = expires?.shifted(by: milliseconds) }
    if state == .ready { rank = rank.shifted(by: milliseconds) }
  }

  /// The machine was started anew: a delay is at most its whole length away.
  public mutating func clamp(now: Int64) {
    #if PLANTED
      if PlantedTask.isActive(.clampForgotten) { return }
    #endif
    if let delay, due > now, due &- now > delay { due = now &+ delay }
    if let length = startWithin, let time = expires, time > now, time &- now > length {
      expires = now &+ length
    }
  }
}

extension Int64 {
  /// This time, moved; one that would leave the range stays.
  fileprivate func shifted(by milliseconds: Int64) -> Int64 {
    let (moved, overflow) = addingReportingOverflow(milliseconds)
    return overflow ? self : moved
  }
}

/// Why the queue itself gave a task up.
public enum TaskFailure: UInt8, Hashable, Sendable {
  /// Three processes died in the middle of it.
  case poison = 1
  /// Its retries are spent.
  case retriesSpent = 2
  /// It ran out of time, and its retries are spent.
  case timedOut = 3
}
