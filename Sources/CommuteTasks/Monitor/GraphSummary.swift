public import CommuteCore
import CommuteSQLite
import CommuteStore

/// Where a graph stands.
public enum GraphState: UInt8, Hashable, Sendable {
  /// Some nodes are not over.
  case open = 0
  /// All nodes have succeeded.
  case succeeded = 10
  /// All nodes are over, and some have not succeeded.
  case failed = 11
}

/// A graph as it is shown to people.
public struct GraphSummary: Hashable, Sendable {
  /// Its number in this file, in the order of queueing; no other graph of the file ever has it.
  public var number: Int64
  /// Its id.
  public var id: TaskID
  /// What it is called.
  public var name: String
  /// Where it stands.
  public var state: GraphState
  /// How many nodes it has.
  public var total: Int
  /// How many of them are not over.
  public var open: Int
  /// How many are over and have not succeeded.
  public var bad: Int
  /// When it was queued, in milliseconds of the wall clock.
  public var created: Int64

  /// Makes a summary.
  public init(
    number: Int64, id: TaskID, name: String, state: GraphState, total: Int, open: Int, bad: Int,
    created: Int64
  ) {
    self.number = number
    self.id = id
    self.name = name
    self.state = state
    self.total = total
    self.open = open
    self.bad = bad
    self.created = created
  }

  init(_ row: borrowing Row) throws(SQLiteError) {
    guard let pair = row.pair(0), let state = GraphState(rawValue: UInt8(clamping: row.int64(2)))
    else { throw .corrupt(reason: "the queue's table holds a graph that is none") }
    number = row.int64(7)
    id = TaskID(high: pair.high, low: pair.low)
    name = row.text(1)
    self.state = state
    total = Int(clamping: row.int64(3))
    open = Int(clamping: row.int64(4))
    bad = Int(clamping: row.int64(5))
    created = row.int64(6)
  }

  static let columns: SQL = "uid, name, state, total, open, bad, created_at, id"
}

/// A node of a graph as it is shown to people.
public struct GraphNode: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Its task.
  public var task: TaskSummary
  /// When it may start.
  public var join: JoinRule
  /// The names of the nodes it comes after.
  public var after: [String]
}

extension TaskQueue {
  /// The graphs in the order of queueing, the newest last; without those that are over unless
  /// asked for.
  public func graphs(
    includingOver: Bool = false, limit: Int = 1_000
  ) async throws(QueueError) -> [GraphSummary] {
    try await reading { connection in
      try connection.all(
        """
        SELECT \(GraphSummary.columns) FROM q_graph WHERE state < 10 OR \(includingOver)
        ORDER BY id DESC LIMIT \(max(0, limit))
        """
      ) { (row) throws(SQLiteError) in try GraphSummary(row) }.reversed()
    }
  }

  /// A graph with its nodes, each after all it comes after; nil where there is none, or not any
  /// more.
  public func graph(
    _ id: TaskID
  ) async throws(QueueError) -> (graph: GraphSummary, nodes: [GraphNode])? {
    try await reading { connection in
      let found = try connection.first(
        "SELECT \(GraphSummary.columns) FROM q_graph WHERE uid = \(id.bytes)"
      ) { (row) throws(SQLiteError) in try GraphSummary(row) }
      guard let found else { return nil }
      let members: SQL = "(SELECT id FROM q_graph WHERE uid = \(id.bytes))"
      let edges = try connection.all(
        """
        SELECT child, before.node FROM q_edge JOIN q_task AS before ON before.id = parent
        WHERE before.graph = \(members) ORDER BY parent
        """
      ) { (row) throws(SQLiteError) in (child: row.int64(0), parent: row.text(1)) }
      let parents = Dictionary(grouping: edges, by: \.child)
      let nodes = try Self.rows("graph = \(members) ORDER BY id", connection).map { row in
        GraphNode(
          name: row.node ?? "", task: TaskSummary(row), join: row.join,
          after: parents[row.number]?.map(\.parent) ?? [])
      }
      return (found, nodes)
    }
  }
}
