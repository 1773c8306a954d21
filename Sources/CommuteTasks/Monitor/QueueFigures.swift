public import CommuteCore
import CommuteSQLite
import CommuteStore

/// How much there is of one class in one lane, from counters that every change keeps.
public struct QueueFigures: Hashable, Sendable {
  /// The lane.
  public var lane: String
  /// The class.
  public var urgency: TaskUrgency
  /// How many tasks of each state there are; of those that are over, how many there ever were.
  public var counts: [TaskState: Int]

  /// How many are not over.
  public var depth: Int { counts.filter { !$0.key.isTerminal }.values.reduce(0, +) }

  /// How many of those that ran to an end have failed for good, from 0 to 1; nil where none ran.
  public var failureRate: Double? {
    let failed = counts[.failed] ?? 0
    let ended = failed + (counts[.succeeded] ?? 0)
    return ended == 0 ? nil : Double(failed) / Double(ended)
  }
}

extension TaskQueue {
  /// How much there is in each lane and class; the cost is that of a few rows, however many tasks
  /// there are.
  public func figures() async throws(QueueError) -> [QueueFigures] {
    try await reading { connection in
      let rows = try connection.all(
        "SELECT lane, urgency, state, count FROM q_figure ORDER BY lane, urgency, state"
      ) { (row) throws(SQLiteError) in
        (
          lane: row.text(0), urgency: TaskUrgency(rawValue: UInt8(clamping: row.int64(1))),
          state: TaskState(rawValue: UInt8(clamping: row.int64(2))),
          count: Int(clamping: row.int64(3))
        )
      }
      var figures: [QueueFigures] = []
      for row in rows where row.count > 0 {
        guard let urgency = row.urgency, let state = row.state else { continue }
        if figures.last?.lane != row.lane || figures.last?.urgency != urgency {
          figures.append(QueueFigures(lane: row.lane, urgency: urgency, counts: [:]))
        }
        figures[figures.count - 1].counts[state] = row.count
      }
      return figures
    }
  }

  /// For how long a task of a lane has been ready that must start first among those that wait for
  /// the same signals, in milliseconds, the longest of these; nil where none is ready.
  public func oldestReady(inLane lane: String) async throws(QueueError) -> Int64? {
    let now = store.clock.wall()
    return try await reading { connection in
      let kinds = try QueueEngine.requirements(in: lane, connection)
      let ages = try kinds.compactMap { requires in
        try Self.rows(
          """
          state = 2 AND lane = \(lane) AND requires = \(Int64(bitPattern: requires))
          ORDER BY rank, id LIMIT 1
          """, connection
        ).first.map { max(0, now - ($0.life.rank - $0.life.urgency.slack)) }
      }
      return ages.max()
    }
  }
}
