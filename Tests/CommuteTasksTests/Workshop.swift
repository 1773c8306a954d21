import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Foundation
import Synchronization

/// A note: what effects write.
struct Note: Record, Equatable {
  var id = RecordID.zero
  var text = ""

  static let table = Table(local: "note", blank: Note()) {
    Column("text", \.text)
  }
}

/// Work whose handler is told by its word what to do.
struct Job: QueueTask, Equatable {
  static let kind = "job"
  var word = "done"
}

/// A node that brings numbers, and one that takes them.
struct Fetch: QueueTask {
  typealias Output = [Int]
  static let kind = "fetch"
  var count: Int
}

struct Sum: QueueTask {
  typealias Output = Int
  static let kind = "sum"
  var numbers: Ref<[Int]>
}

/// A clock that a test turns; whoever waits for it wakes when it has come so far.
final class TestClock: Sendable {
  private struct State {
    var wall: Int64 = 1_700_000_000_000
    var monotonic: Int64 = 10_000
    var boot = "boot-1"
    var sleepers: [(until: Int64, wake: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var clock: StoreClock {
    StoreClock(
      wall: { self.state.withLock { $0.wall } },
      monotonic: { self.state.withLock { $0.monotonic } },
      bootID: { self.state.withLock { $0.boot } })
  }

  var now: Int64 { state.withLock { $0.wall } }

  /// Lets time pass.
  func pass(_ milliseconds: Int64) {
    let due = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.wall += milliseconds
      state.monotonic += milliseconds
      let due = state.sleepers.filter { $0.until <= state.monotonic }
      state.sleepers.removeAll { $0.until <= state.monotonic }
      return due.map(\.wake)
    }
    for wake in due { wake.resume() }
  }

  /// Sets the wall clock.
  func set(by milliseconds: Int64) { state.withLock { $0.wall += milliseconds } }

  /// Starts the machine anew.
  func restart(wall: Int64) {
    state.withLock { state in
      state.boot += "+"
      state.monotonic = 5
      state.wall = wall
    }
  }
}

/// A store in a folder of its own with a queue, by a clock of its own.
final class Workshop: Sendable {
  let path: String
  let clock = TestClock()

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "commute-tasks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func store() throws -> Store {
    var options = StoreOptions(deviceName: "laptop")
    options.clock = clock.clock
    options.randomSeed = 7
    options.hostDirectory = "\(path)/hosts"
    return try Store("\(path)/device", tables: [Note.table], options: options)
  }

  var settings: QueueSettings {
    var settings = QueueSettings()
    settings.poll = 20
    return settings
  }

  /// Reads the file by a connection of its own.
  func rows(_ sql: SQL) throws -> [[SQLValue]] {
    let connection = try Connection(.file("\(path)/device/commute.db"), Configuration(.readOnly))
    defer { connection.close() }
    let statement = try connection.statement(sql)
    return try statement.all { row in (0..<statement.columnCount).map { row.value($0) } }
  }

  /// Writes into the file by a connection of its own.
  func execute(_ sql: String) throws {
    let connection = try Connection(.file("\(path)/device/commute.db"), Configuration(.readWrite))
    defer { connection.close() }
    try connection.execute(sql)
  }

  func value(_ sql: SQL) throws -> SQLValue? { try rows(sql).first?.first }

  /// What handlers have done, in order.
  let log = Mutex<[String]>([])

  var done: [String] { log.withLock { $0 } }

  /// Handlers that write down what they do, and do what the word says.
  func handlers() -> Handlers {
    var handlers = Handlers()
    handlers.on(Job.self) { [self] job, context in
      log.withLock { $0.append("\(job.word) \(context.attempt)") }
      switch job.word {
      case "throw": throw Trouble()
      case "retry": return .retry(afterMilliseconds: 60_000, because: "busy")
      case "fail": return .fail(because: "never")
      case "park": return .park(because: "look at this")
      case "wait": return .wait(for: .signedIn, because: "signed out")
      case "hand off": return .handOff(token: "token-1")
      case "note":
        return .done(
          Nothing(),
          effects: { tx in try tx.insert(Note(text: context.idempotencyKey)) })
      case "bad effects": return .done(Nothing(), effects: { _ in throw Trouble() })
      default: return .done
      }
    }
    handlers.on(Fetch.self) { [self] fetch, _ in
      log.withLock { $0.append("fetch") }
      return .done(Array(1...fetch.count))
    }
    handlers.on(Sum.self) { [self] sum, context in
      let numbers = try await context.value(sum.numbers)
      log.withLock { $0.append("sum \(numbers.reduce(0, +))") }
      return .done(numbers.reduce(0, +))
    }
    return handlers
  }

  /// A store with its queue.
  func open() async throws -> (store: Store, queue: TaskQueue) {
    let store = try store()
    return (store, try await TaskQueue(store, handlers(), settings: settings))
  }
}

struct Trouble: Error, CustomStringConvertible {
  var description: String { "trouble" }
}

extension TaskQueue {
  /// Runs what is ready.
  @discardableResult
  func drain() async throws -> DrainReport {
    // It ends when nothing is ready; a whole suite may run meanwhile.
    try await drain(until: .now + .seconds(3_600))
  }
}
