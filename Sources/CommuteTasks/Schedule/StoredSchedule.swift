import CommuteCore
import CommuteSQLite
import Foundation

/// What a schedule queues, and when, as it lies in the table.
struct StoredSchedule: Codable, Sendable {
  var every: Int64?
  var anchor: Int64?
  var months: [Int]?
  var days: [Int]?
  var weekdays: [Int]?
  var hours: [Int]?
  var minutes: [Int]?
  var timeZone: String
  var catchUpMost: Int

  init(_ recurrence: Recurrence, timeZone: String, catchUp: CatchUp) {
    self.timeZone = timeZone
    catchUpMost = catchUp.most
    switch recurrence {
    case .every(let length, let anchor):
      every = length
      self.anchor = anchor
    case .calendar(let rule):
      months = rule.months.sorted()
      days = rule.days.sorted()
      weekdays = rule.weekdays.sorted()
      hours = rule.hours.sorted()
      minutes = rule.minutes.sorted()
    }
  }

  var recurrence: Recurrence {
    if let every { return .every(milliseconds: every, anchor: anchor ?? 0) }
    var rule = CalendarRule()
    rule.months = Set(months ?? [])
    rule.days = Set(days ?? [])
    rule.weekdays = Set(weekdays ?? [])
    rule.hours = Set(hours ?? [])
    rule.minutes = Set(minutes ?? [])
    return .calendar(rule)
  }

  /// The place's distance from UTC in seconds, at a time in seconds since 1970.
  ///
  /// A zone that this system does not know counts as UTC: what is scheduled there still happens.
  var offset: (Int64) -> Int64 {
    let zone = TimeZone(identifier: timeZone) ?? .gmt
    return { seconds in
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
  }
}

/// A policy and options as a schedule keeps them.
struct StoredPolicy: Codable, Sendable {
  var lane: String
  var urgency: UInt8
  var requires: UInt64
  var firstDelay: UInt64
  var growth: UInt64
  var delayLimit: UInt64
  var failureLimit: UInt32
  var timeout: UInt64?
  var startWithin: UInt64?
  var serialKey: String?
  var tags: [String]

  init(_ policy: TaskPolicy, _ options: EnqueueOptions) {
    lane = policy.lane
    urgency = policy.urgency.rawValue
    requires = policy.requires.rawValue
    firstDelay = policy.retry.backoff.firstDelay
    growth = policy.retry.backoff.growthPercent
    delayLimit = policy.retry.backoff.delayLimit
    failureLimit = policy.retry.failureLimit
    timeout = policy.timeout
    startWithin = policy.startWithin
    serialKey = options.serialKey
    tags = options.tags.sorted()
  }

  var policy: TaskPolicy {
    var policy = TaskPolicy()
    policy.lane = lane
    policy.urgency = TaskUrgency(rawValue: urgency) ?? .normal
    policy.requires = Requirements(rawValue: requires)
    policy.retry = RetryPolicy(
      backoff: .ofTasks(firstDelay: firstDelay, growthPercent: growth, delayLimit: delayLimit),
      failureLimit: failureLimit)
    policy.timeout = timeout
    policy.startWithin = startWithin
    return policy
  }

  var options: EnqueueOptions {
    var options = EnqueueOptions()
    options.serialKey = serialKey
    options.tags = Set(tags)
    return options
  }
}

/// Reading and writing of what the table keeps as JSON.
enum StoredJSON {
  static func text(_ value: some Encodable, of name: String) throws(QueueError) -> String {
    String(decoding: try Payload.write(value, kind: name), as: UTF8.self)
  }

  static func value<Value: Decodable>(
    _ type: Value.Type, _ text: String
  ) throws(SQLiteError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(text.utf8))
    } catch {
      throw .corrupt(reason: "the queue's table holds a schedule that is none")
    }
  }
}
