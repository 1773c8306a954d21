import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Testing

/// The engine by itself, on a file in memory, by a clock that the test turns: what the simulator
/// found.
@Suite struct EngineTests {
  /// One process on one file.
  final class Shop {
    let connection: Connection
    var wall: Int64 = 1_700_000_000_000
    var monotonic: Int64 = 10_000
    private var last: UInt64 = 0

    init() throws {
      connection = try Connection(.memory)
      try QueueSchema.prepare(connection)
    }

    deinit { connection.close() }

    var engine: QueueEngine {
      let (wall, monotonic) = (wall, monotonic)
      let clock = StoreClock(wall: { wall }, monotonic: { monotonic }, bootID: { "boot" })
      return QueueEngine(connection, clock: clock, draw: { 0 }) {
        self.last += 1
        return RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | self.last)
      }
    }

    func pass(_ milliseconds: Int64) {
      wall += milliseconds
      monotonic += milliseconds
    }

    @discardableResult
    func enqueue(
      _ kind: String = "job", line: String? = nil, holds: Bool = false, within: UInt64? = nil
    ) throws -> Int64 {
      var options = EnqueueOptions()
      options.serialKey = line
      options.holdsSerialKey = holds
      var policy = TaskPolicy()
      policy.startWithin = within
      options.policy = policy
      let draft = TaskDraft(
        kind: kind, version: 1, payload: [], policy: policy, options: options)
      let id = try engine.enqueue(draft).id
      return try engine.task(id)?.number ?? 0
    }

    func session() throws -> Int64 { try engine.openSession(process: 1, lock: "lock") }

    /// What begins now.
    func begin(_ session: Int64, kinds: Set<String> = ["job"]) throws -> [TaskRow] {
      let terms = ClaimTerms(session: session, signals: 0, lease: 30_000, kinds: kinds)
      return try engine.round(terms, running: [:], runsSuspect: false).claimed.map(\.row)
    }

    func row(_ number: Int64) throws -> TaskRow { try #require(try engine.task(number: number)) }

    func state(_ number: Int64) throws -> TaskState { try row(number).life.state }
  }

  let shop: Shop
  let session: Int64

  init() throws {
    shop = try Shop()
    session = try shop.session()
  }

  private func end(_ row: TaskRow, _ ending: TaskLife.Ending) throws {
    _ = try shop.engine.end(row, PlainOutcome(ending))
  }

  @Test func `G16 a task tried again waits for one of its line that goes on`() throws {
    let first = try shop.enqueue(line: "a")
    let second = try shop.enqueue(line: "a")
    try shop.engine.cancel(try shop.row(first))
    #expect(try shop.begin(session).map(\.number) == [second])
    #expect(try shop.engine.revive(try shop.row(first)))
    let terms = ClaimTerms(session: session, signals: 0, lease: 30_000, kinds: ["job"])
    let explanation = Explanation(connection: shop.connection, now: shop.wall, terms: terms)
    let other = try shop.row(second)
    #expect(try explanation.blockers(of: try shop.row(first)) == [.serial(behind: other.id)])
    #expect(try shop.begin(session).isEmpty)
    try end(other, .done)
    #expect(try shop.begin(session).map(\.number) == [first])
  }

  @Test func `G16 a failed task that holds its line is taken back, and the line goes on`() throws {
    let first = try shop.enqueue(line: "a", holds: true)
    let second = try shop.enqueue(line: "a")
    try end(try #require(try shop.begin(session).first), .fail)
    #expect(try shop.begin(session).isEmpty)
    try shop.engine.cancel(try shop.row(first))
    #expect(try shop.state(first) == .failed)
    #expect(try shop.begin(session).map(\.number) == [second])
    let events = try shop.connection.all("SELECT type FROM q_event WHERE type = 16") { $0.int64(0) }
    #expect(events == [16])
  }

  @Test func `G25 what is taken up after its time has expired`() throws {
    let number = try shop.enqueue("new", within: 5_000)
    #expect(try shop.begin(session).isEmpty)
    #expect(try shop.state(number) == .parked)
    shop.pass(5_000)
    #expect(try shop.begin(session, kinds: ["job", "new"]).isEmpty)
    #expect(try shop.state(number) == .expired)
  }

  @Test(arguments: [-86_400_000, 86_400_000] as [Int64])
  func `G25 what is parked keeps its time when the clock is set`(step: Int64) throws {
    let number = try shop.enqueue("new", within: 60_000)
    #expect(try shop.begin(session).isEmpty)
    shop.wall += step
    shop.pass(1_000)
    try shop.engine.observeClock()
    #expect(try shop.row(number).life.expires == shop.wall + 59_000)
    #expect(try shop.begin(session, kinds: ["new"]).map(\.number) == [number])
  }

  @Test func `G25 what ran when the clock was set back is not put off`() throws {
    let number = try shop.enqueue()
    let row = try #require(try shop.begin(session).first)
    shop.wall -= 3_600_000
    _ = try shop.engine.end(row, PlainOutcome(.park, because: "new", isUnreadable: true))
    #expect(try shop.begin(session).map(\.number) == [number])
  }

  @Test func `G25 a task that has begun does not expire`() throws {
    let number = try shop.enqueue(within: 1_000)
    try end(try #require(try shop.begin(session).first), .interrupted)
    shop.pass(2_000)
    #expect(try shop.begin(session).map(\.number) == [number])
  }

  @Test func `G25 a node that is released in the moment of its expiry has expired`() throws {
    var graph = Graph("carry on")
    graph.onFailure = .carryOn
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.startWithin = 1_000
    graph.add("a", Job(), options)
    graph.add("b", Job(), after: ["a"], options)
    _ = try shop.engine.submit(graph, try graph.plan(), uniqueKey: nil)
    shop.pass(1_000)
    #expect(try shop.begin(session).isEmpty)
    #expect(try [shop.state(1), shop.state(2)] == [.expired, .expired])
    #expect(try shop.connection.statement("SELECT state FROM q_graph").firstInt64() == 11)
  }

  @Test func `G24 a node that two have failed for comes back with the second`() throws {
    var graph = Graph("two")
    graph.add("a", Job())
    graph.add("b", Job())
    graph.add("c", Job(), after: ["a", "b"])
    _ = try shop.engine.submit(graph, try graph.plan(), uniqueKey: nil)
    for row in try shop.begin(session) { try end(row, .fail) }
    #expect(try shop.state(3) == .skipped)
    #expect(try shop.engine.revive(try shop.row(1)))
    #expect(try shop.state(3) == .skipped)
    #expect(try shop.engine.revive(try shop.row(2)))
    #expect(try shop.state(3) == .blocked)
    for row in try shop.begin(session) { try end(row, .done) }
    #expect(try shop.begin(session).map(\.number) == [3])
  }

  @Test func `G44 what was parked for want of a handler keeps what it has been through`() throws {
    let number = try shop.enqueue()
    try end(try #require(try shop.begin(session).first), .retry(after: nil))
    shop.pass(60_000)
    #expect(try shop.begin(session, kinds: []).isEmpty)
    #expect(try shop.state(number) == .parked)
    let row = try #require(try shop.begin(session).first)
    #expect(row.life.failures == 1)
  }

  @Test func `G46 what is left of the events has no gap after a clock was set back`() throws {
    try shop.enqueue()
    shop.wall -= 7_200_000
    try shop.enqueue()
    shop.wall += 7_200_000
    try shop.enqueue()
    _ = try shop.engine.prune(olderThan: 3_600_000)
    let numbers = try shop.connection.all("SELECT seq FROM q_event ORDER BY seq") { $0.int64(0) }
    #expect(numbers == [1, 2, 3])
    shop.pass(3_600_001)
    try shop.enqueue()
    _ = try shop.engine.prune(olderThan: 3_600_000)
    let left = try shop.connection.all("SELECT seq FROM q_event ORDER BY seq") { $0.int64(0) }
    #expect(left == [4])
  }

  @Test func `a node that comes after nothing may start`() {
    for rule in JoinRule.allCases { #expect(rule.verdict(total: 0, left: 0, bad: 0) == .release) }
  }
}
