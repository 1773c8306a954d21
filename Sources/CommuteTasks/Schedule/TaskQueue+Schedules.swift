public import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation

/// A recurring task as it is shown to people.
public struct ScheduleSummary: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// What it queues.
  public var kind: String
  /// When it queues the next task, in milliseconds of the wall clock; nil for never again.
  public var next: Int64?
}

extension TaskQueue {
  /// Queues a task again and again, from the next time on; a schedule of the name is replaced.
  ///
  /// Each nominal instant is queued once at most, over all processes, and instants do not drift
  /// with how long anything takes. A local time that a day does not have happens at the first
  /// instant after the gap, one that it has twice on the first.
  ///
  /// - Parameters:
  ///   - name: What the schedule is known by.
  ///   - work: What is queued.
  ///   - recurrence: When.
  ///   - timeZone: The place whose clocks count, as `Europe/Zurich`.
  ///   - overlap: What happens while the task of the time before is not over.
  ///   - catchUp: What happens to times that passed while nothing ran.
  ///   - options: How the tasks are queued; their time and unique key are the schedule's.
  /// - Throws: ``QueueError/unknownTimeZone(_:)`` and what ``enqueue(_:_:in:)`` throws.
  public func schedule<Work: QueueTask>(
    _ name: String, _ work: Work, _ recurrence: Recurrence, timeZone: String = "UTC",
    overlap: Overlap = .skip, catchUp: CatchUp = .latest,
    _ options: EnqueueOptions = EnqueueOptions()
  ) async throws(QueueError) {
    guard TimeZone(identifier: timeZone) != nil else { throw .unknownTimeZone(timeZone) }
    var options = options
    options.when = .now
    options.uniqueKey = nil
    let draft = try TaskDraft(work, options)
    let stored = StoredSchedule(recurrence, timeZone: timeZone, catchUp: catchUp)
    let rule = try StoredJSON.text(stored, of: name)
    let policy = try StoredJSON.text(StoredPolicy(draft.policy, options), of: name)
    try await writing { queue, tx in
      try QueueEngine(tx).schedule(
        name, draft, stored, rule: rule, policy: policy, overlap: overlap)
      let bell = queue.bell
      tx.afterCommit { bell.ring() }
    }
  }

  /// Ends a schedule; what it has queued stays.
  ///
  /// - Throws: What the store throws.
  /// - Returns: Whether there was one of the name.
  @discardableResult
  public func unschedule(_ name: String) async throws(QueueError) -> Bool {
    try await writing { _, tx in
      try tx.connection.run("DELETE FROM q_schedule WHERE name = \(name)") > 0
    }
  }

  /// The schedules, by name.
  public func schedules() async throws(QueueError) -> [ScheduleSummary] {
    try await reading { connection in
      try connection.all("SELECT name, kind, next_at FROM q_schedule ORDER BY name") {
        (row) throws(SQLiteError) in
        ScheduleSummary(name: row.text(0), kind: row.text(1), next: row.optional(2))
      }
    }
  }
}
