import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Synchronization
import Testing

/// Calls that run the queue side by side, and lanes that are paused.
@Suite struct FlightTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// How many sessions were ever opened.
  private func sessions() throws -> SQLValue? {
    try workshop.value("SELECT seq FROM sqlite_sequence WHERE name = 'q_session'")
  }

  @Test func `G30 any number of drains during one lead to one more at most`() async throws {
    let (began, goOn) = (Gate(), Gate())
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] job, _ in
      workshop.log.withLock { $0.append(job.word) }
      began.open()
      await goOn.wait()
      return .done
    }
    let queue = try await TaskQueue(
      try workshop.store(), handlers, settings: workshop.settings)
    try await queue.enqueue(Job(word: "first"))
    async let first = queue.drain()
    await began.wait()
    try await queue.enqueue(Job(word: "second"))
    let others = try await withThrowingTaskGroup(of: DrainReport.self) { group in
      for _ in 0..<20 { group.addTask { try await queue.drain() } }
      goOn.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let ran = try await first.ran + others.map(\.ran).reduce(0, +)
    #expect(ran == 2)
    #expect(workshop.done == ["first", "second"])
    #expect(others.allSatisfy { $0.left == 0 })
    let opened = try sessions()
    #expect(opened == .integer(1) || opened == .integer(2))
    #expect(try workshop.value("SELECT count(*) FROM q_session") == .integer(0))
  }

  @Test func `G30 a drain beside a run starts nothing and returns when nothing is ready`()
    async throws
  {
    let began = Gate()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] job, context in
      workshop.log.withLock { $0.append("\(job.word) \(context.attempt)") }
      began.open()
      return .done
    }
    let queue = try await TaskQueue(
      try workshop.store(), handlers, settings: workshop.settings)
    try await queue.enqueue(Job(word: "first"))
    let run = Task { try await queue.run() }
    await began.wait()
    try await queue.enqueue(Job(word: "done"))
    let report = try await queue.drain()
    #expect(report.ran == 0)
    #expect(report.left == 0)
    #expect(workshop.done == ["first 1", "done 1"])
    run.cancel()
    #expect(try await run.value.ran == 2)
    #expect(try sessions() == .integer(1))
  }

  @Test func `G52 a drain that waits for another returns before its own deadline`() async throws {
    let (began, goOn) = (Gate(), Gate())
    var handlers = Handlers()
    handlers.on(Job.self) { _, _ in
      began.open()
      await goOn.wait()
      return .done
    }
    let queue = try await TaskQueue(
      try workshop.store(), handlers, settings: workshop.settings)
    try await queue.enqueue(Job())
    async let first = queue.drain()
    await began.wait()
    let report = try await queue.drain(until: .now)
    #expect(report.ran == 0)
    #expect(report.left == 1)
    goOn.open()
    #expect(try await first.succeeded == 1)
  }

  @Test func `G13 a lane that is paused stops what runs of it, at no cost, and is resumed`()
    async throws
  {
    let began = Gate()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] job, context in
      workshop.log.withLock { $0.append("\(job.word) \(context.attempt)") }
      guard context.attempt == 1 else { return .done }
      began.open()
      await Gate().wait()
      throw CancellationError()
    }
    let queue = try await TaskQueue(
      try workshop.store(), handlers, settings: workshop.settings)
    let id = try await queue.enqueue(Job()).id
    async let drained = queue.drain()
    await began.wait()
    try await queue.pauseLane("default", because: "the battery is low")
    #expect(try await drained.ran == 1)
    #expect(
      try workshop.rows("SELECT state, failures, crashes, interruptions FROM q_task") == [
        [.integer(2), .integer(0), .integer(0), .integer(1)]
      ])
    #expect(try await queue.explain(id) == [.lanePaused("default")])
    try await queue.resumeLane("default")
    #expect(try await queue.explain(id).isEmpty)
    try await queue.drain()
    #expect(workshop.done == ["done 1", "done 2"])
  }

  @Test(arguments: [-86_400_000, 0, 86_400_000] as [Int64])
  func `a lane that is paused until a time goes on then, also by a clock that was set`(
    step: Int64
  ) async throws {
    let (_, queue) = try await workshop.open()
    try await queue.pauseLane("default", until: workshop.clock.now + 60_000)
    try await queue.enqueue(Job(word: "done"))
    workshop.clock.set(by: step)
    let report = try await queue.drain()
    #expect(report.ran == 0)
    #expect(report.nextDue == workshop.clock.now + 60_000)
    workshop.clock.pass(60_000)
    try await queue.drain()
    #expect(workshop.done == ["done 1"])
  }
}
