import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import CommuteTestKit

/// A queue, processes that run it, and everything that may go wrong; one history of them.
final class QueueWorld {
  /// A promise that was broken.
  struct Violation: Error {
    var guarantee: String
    var text: String
  }

  /// Bits of the signals that are used.
  static let signalBits: [UInt64] = [1, 2, 64]
  /// How long a claim stands.
  static let lease: Int64 = 30_000

  let connection: Connection
  var draws: Draws
  var wall: Int64 = 1_700_000_000_000
  var monotonic: Int64 = 10_000
  var boot = 1
  var signals: UInt64 = 3
  var widths: [String: Int] = [:]
  var processes = [SimulatedProcess](repeating: SimulatedProcess(), count: 3)
  var dead: [Int64: [Int64]] = [:]
  var models: [Int64: TaskModel] = [:]
  var graphs: [Int64: GraphModel] = [:]
  var faults: [FaultClass: Int] = [:]
  var story: [String]?
  var tokens: [String: Int64] = [:]
  /// How often events told the end of a task.
  var ends: [TaskID: Int] = [:]
  /// The number of the last event that was read.
  var lastEvent: Int64 = 0
  /// What was read of the table since the last commit.
  var knownRows: [TaskRow]?
  var steps = 0
  var enqueued = 0
  var pruned = 0
  /// Whether the world is well again: nothing is killed any more.
  var isHealing = false
  private var engineRandom: SeededGenerator
  private var nextID: UInt64 = 0

  /// Makes a world on a file of ``file()`` in which nothing has happened.
  init(_ draws: Draws, on connection: Connection) throws(SQLiteError) {
    self.draws = draws
    self.connection = connection
    engineRandom = SeededGenerator(seed: 77)
    try Self.clear(connection)
  }

  /// Takes everything out of a file of ``file()``.
  static func clear(_ connection: Connection) throws(SQLiteError) {
    let tables = try connection.all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'q_meta'"
    ) { (row) throws(SQLiteError) in row.text(0) }
    try connection.execute(tables.map { "DELETE FROM \($0);" }.joined())
  }

  /// Makes a file in memory with the queue's tables; it may be used for one history after another.
  static func file() throws -> Connection {
    let connection = try Connection(.memory)
    try QueueSchema.prepare(connection)
    try connection.execute("CREATE TABLE effect(task INTEGER NOT NULL, attempt INTEGER NOT NULL)")
    return connection
  }

  var clock: StoreClock {
    let (wall, monotonic, boot) = (wall, monotonic, boot)
    return StoreClock(wall: { wall }, monotonic: { monotonic }, bootID: { "boot \(boot)" })
  }

  func count(_ fault: FaultClass) { faults[fault, default: 0] += 1 }

  func tell(_ line: @autoclosure () -> String) { story?.append(line()) }

  func fail(_ guarantee: String, _ text: String) throws -> Never {
    throw Violation(guarantee: guarantee, text: text)
  }

  func newID() -> RecordID {
    nextID += 1
    return RecordID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | nextID)
  }

  /// Runs a piece of work in a transaction of a process, which may die right before or right after
  /// it is committed.
  ///
  /// - Parameters:
  ///   - place: The process; nil for one that does not run the queue and is not killed.
  ///   - body: The work.
  ///   - note: Takes note of what was committed; also where the process dies with it.
  /// - Throws: What the work throws, and a promise that is broken.
  /// - Returns: Whether the process lives and has its result.
  @discardableResult
  func commit<Result>(
    _ place: Int?, _ body: (QueueEngine) throws -> Result, note: (Result) throws -> Void
  ) throws -> Bool {
    try connection.statement("BEGIN IMMEDIATE").run()
    knownRows = nil
    let engine = QueueEngine(
      connection, clock: clock, draw: { self.engineRandom.next() }, makeID: newID)
    let result = try body(engine)
    if let place, !isHealing, draws.once(in: 60) {
      try connection.statement("ROLLBACK").run()
      count(.killBefore)
      kill(place)
      return false
    }
    try connection.statement("COMMIT").run()
    try note(result)
    try check()
    if let place, !isHealing, draws.once(in: 60) {
      count(.killAfter)
      kill(place)
      return false
    }
    return true
  }

  /// A process dies: its handlers with it; its row and claims stay until somebody notices.
  func kill(_ place: Int) {
    guard let session = processes[place].session else { return }
    tell("process \(place) is killed")
    dead[session] = Array(processes[place].running.keys)
    processes[place] = SimulatedProcess()
  }

  /// Plays a history to its end, and lets everything heal.
  func play() throws {
    let length = 30 + draws.draw(90)
    for _ in 0..<length where !draws.isOver {
      steps += 1
      try step()
    }
    try heal()
  }
}
