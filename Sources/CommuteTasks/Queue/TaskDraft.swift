import CommuteCore

/// A task that was not queued yet: its payload as bytes and how it is to be run.
package struct TaskDraft: Sendable {
  package var kind: String
  package var version: Int
  package var payload: [UInt8]
  package var policy: TaskPolicy
  package var options: EnqueueOptions

  package init(
    kind: String, version: Int, payload: [UInt8], policy: TaskPolicy, options: EnqueueOptions
  ) {
    self.kind = kind
    self.version = version
    self.payload = payload
    self.policy = policy
    self.options = options
  }

  init<Work: QueueTask>(
    _ work: Work, _ options: EnqueueOptions, collecting refs: RefCollector? = nil
  ) throws(QueueError) {
    kind = Work.kind
    version = Work.version
    policy = options.policy ?? Work.policy
    self.options = options
    payload = try Payload.write(work, kind: Work.kind, collecting: refs)
    guard payload.count <= TaskQueue.payloadLimit else {
      throw .payloadTooLarge(bytes: payload.count, limit: TaskQueue.payloadLimit)
    }
  }

  /// Its life from now on.
  func life(now: Int64, isBlocked: Bool = false) -> TaskLife {
    var due: Int64?
    var delay: Int64?
    var startWithin = policy.startWithin.map { Int64(clamping: $0) }
    var expires = policy.startWithin.map { now.adding($0) }
    switch options.when {
    case .now: break
    case .after(let milliseconds):
      delay = Int64(clamping: milliseconds)
      due = now.adding(milliseconds)
    case .at(let time): due = time
    case .window(let window):
      due = window.lowerBound
      if window.upperBound < expires ?? .max {
        expires = window.upperBound
        startWithin = nil
      }
    }
    if case .debounce(let milliseconds) = options.duplicate, options.uniqueKey != nil {
      delay = Int64(clamping: milliseconds)
      due = now.adding(milliseconds)
    }
    return TaskLife(
      now: now, due: due, delay: delay, expires: expires, startWithin: startWithin,
      urgency: policy.urgency,
      retry: policy.retry, requires: policy.requires.rawValue, isBlocked: isBlocked)
  }
}

extension Int64 {
  /// This time and a length, kept in range.
  func adding(_ milliseconds: UInt64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(Int64(clamping: milliseconds))
    return overflow ? .max : sum
  }
}
