import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Foundation
import Synchronization
import Testing

/// Handlers that are stopped, processes that die.
@Suite struct RunningTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// A handler that goes on until it is cancelled, and tells when it has begun.
  private func longHandlers(_ began: Gate, ending: @escaping @Sendable () throws -> Void)
    -> Handlers
  {
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] job, context in
      workshop.log.withLock { $0.append("\(job.word) \(context.attempt)") }
      began.open()
      await Gate().wait()
      try ending()
      return .done
    }
    return handlers
  }

  private func row() throws -> [SQLValue] {
    try workshop.rows("SELECT state, failures, crashes, interruptions FROM q_task")[0]
  }

  @Test func `G15 a task that is taken back while it runs is cancelled once`() async throws {
    let began = Gate()
    let store = try workshop.store()
    let queue = try await TaskQueue(
      store, longHandlers(began) { throw CancellationError() }, settings: workshop.settings)
    let id = try await queue.enqueue(Job()).id
    async let drained = queue.drain()
    await began.wait()
    try await queue.cancel(id)
    _ = try await drained
    #expect(try row() == [.integer(12), .integer(0), .integer(0), .integer(0)])
    #expect(
      try workshop.rows("SELECT type FROM q_event").map { $0[0] } == [
        .integer(1), .integer(11), .integer(22),
      ])
  }

  @Test func `G13 stopping the run costs the task nothing`() async throws {
    let began = Gate()
    let store = try workshop.store()
    let queue = try await TaskQueue(
      store, longHandlers(began) { throw CancellationError() }, settings: workshop.settings)
    try await queue.enqueue(Job())
    let run = Task { try await queue.run() }
    await began.wait()
    run.cancel()
    _ = await run.result
    #expect(try row() == [.integer(2), .integer(0), .integer(0), .integer(1)])
    #expect(try workshop.value("SELECT count(*) FROM q_session") == .integer(0))
  }

  @Test func `a handler that is done in spite of being stopped is done`() async throws {
    let began = Gate()
    let store = try workshop.store()
    let queue = try await TaskQueue(
      store, longHandlers(began) {}, settings: workshop.settings)
    try await queue.enqueue(Job())
    let run = Task { try await queue.run() }
    await began.wait()
    run.cancel()
    _ = await run.result
    #expect(try row() == [.integer(10), .integer(0), .integer(0), .integer(0)])
  }

  @Test func `G14 a handler that takes too long is cancelled, and that is a failure`() async throws
  {
    let began = Gate()
    let store = try workshop.store()
    var settings = workshop.settings
    let usual = settings.sleep
    settings.sleep = { milliseconds in
      // The time-out has come; nothing else has.
      if milliseconds == 77_000 { return await began.wait() }
      try await usual(milliseconds)
    }
    let queue = try await TaskQueue(
      store, longHandlers(began) { throw CancellationError() }, settings: settings)
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.timeout = 77_000
    try await queue.enqueue(Job(), options)
    try await queue.drain()
    #expect(try row() == [.integer(1), .integer(1), .integer(0), .integer(0)])
  }

  @Test func `G50 nothing is locked after a suspension, and the task is ready again`() async throws
  {
    let began = Gate()
    let store = try workshop.store()
    let queue = try await TaskQueue(
      store, longHandlers(began) { throw CancellationError() }, settings: workshop.settings)
    try await queue.enqueue(Job())
    let run = Task { try await queue.run() }
    await began.wait()
    await queue.suspend(within: 10_000)
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    let device = try FileManager.default.contentsOfDirectory(atPath: "\(workshop.path)/device")
    for name in device {
      let path = "\(workshop.path)/device/\(name)"
      let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]
      #expect(!locks.contains(":\(number ?? 0) "), "\(name)")
    }
    _ = await run.result
    try await store.resume()
    #expect(try row() == [.integer(2), .integer(0), .integer(0), .integer(1)])
  }

  /// Leaves the file as a process does that died in the middle of a task.
  private func die(started: Bool) async throws {
    try workshop.execute(
      """
      INSERT INTO q_session(boot, pid, lock, started_at, beat_at)
        VALUES ('boot-1', 4711, 'queue-dead.lock', 0, 0);
      UPDATE q_task SET state = 3, attempt = attempt + 1, started = \(started ? 1 : 0),
        lease_until = 9999999999999, owner = (SELECT max(id) FROM q_session) WHERE kind = 'job';
      """)
  }

  @Test func `G10 tasks of a process that has died are taken up at once`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job())
    try await die(started: true)
    try await queue.drain()
    #expect(workshop.done == ["done 2"])
    #expect(try row() == [.integer(10), .integer(0), .integer(1), .integer(0)])
    #expect(try workshop.value("SELECT count(*) FROM q_session") == .integer(0))
  }

  @Test func `G10 a process that dies while another runs is noticed with the next look`()
    async throws
  {
    let runs = Gate()
    let ran = Gate()
    var handlers = Handlers()
    handlers.on(Fetch.self) { _, _ in
      runs.open()
      return .done([])
    }
    handlers.on(Job.self) { _, _ in
      ran.open()
      return .done
    }
    let queue = try await TaskQueue(workshop.store(), handlers, settings: workshop.settings)
    try await queue.enqueue(Fetch(count: 0))
    let run = Task { try await queue.run() }
    await runs.wait()
    try await queue.setWidth(0, ofLane: "other")
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.lane = "other"
    try await queue.enqueue(Job(), options)
    try await die(started: true)
    try await queue.setWidth(1, ofLane: "other")
    workshop.clock.pass(workshop.settings.poll)
    await ran.wait()
    run.cancel()
    _ = await run.result
    #expect(
      try workshop.rows("SELECT state, failures, crashes, interruptions FROM q_task")
        .contains([.integer(10), .integer(0), .integer(1), .integer(0)]))
  }

  @Test func `files of processes that died beside their rows are swept`() async throws {
    let (_, queue) = try await workshop.open()
    let orphan = "\(workshop.path)/device/queue-orphan.lock"
    #expect(FileManager.default.createFile(atPath: orphan, contents: nil))
    try await queue.drain()
    let left = try FileManager.default.contentsOfDirectory(atPath: "\(workshop.path)/device")
    #expect(!left.contains { $0.hasPrefix("queue-") })
  }

  @Test func `a queue in memory has its sessions to itself`() async throws {
    let began = Gate()
    var options = StoreOptions(deviceName: "preview")
    options.clock = workshop.clock.clock
    let store = try Store.inMemory(tables: [Note.table], options: options)
    let queue = try await TaskQueue(
      store, longHandlers(began) { throw CancellationError() }, settings: workshop.settings)
    let id = try await queue.enqueue(Job()).id
    let run = Task { try await queue.run() }
    await began.wait()
    // A second queue of the store looks who has died: not the first.
    let other = try await TaskQueue(store, Handlers(), settings: workshop.settings)
    try await other.drain()
    #expect(try await queue.task(id)?.state == .running)
    run.cancel()
    _ = await run.result
    let task = try await queue.task(id)
    #expect(task?.crashes == 0)
    #expect(task?.interruptions == 1)
  }

  @Test func `G9 no attempt begins before the handler of the last one has returned`() async throws {
    let began = Gate()
    let leave = Gate()
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] _, context in
      workshop.log.withLock { $0.append("begin \(context.attempt)") }
      began.open()
      // Deaf to being cancelled.
      await Task { await leave.wait() }.value
      workshop.log.withLock { $0.append("end \(context.attempt)") }
      return .done
    }
    var settings = workshop.settings
    // Nobody waits long for this handler.
    settings.sleep = { [usual = settings.sleep] milliseconds in
      if milliseconds != 1 { try await usual(milliseconds) }
    }
    let queue = try await TaskQueue(store, handlers, settings: settings)
    let id = try await queue.enqueue(Job()).id
    let run = Task { try await queue.run() }
    await began.wait()
    await queue.suspend(within: 1)
    try await store.resume()
    #expect(try row() == [.integer(2), .integer(0), .integer(0), .integer(1)])
    try await queue.drain()
    #expect(workshop.done == ["begin 1"])
    #expect(try await queue.explain(id) == [.stopping])
    leave.open()
    _ = await run.result
    try await queue.drain()
    #expect(workshop.done == ["begin 1", "end 1", "begin 2", "end 2"])
  }

  @Test func `G12 three deaths in a task make it poison, and cost its neighbour nothing`()
    async throws
  {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job())
    try await queue.enqueue(Fetch(count: 1))
    try await queue.setWidth(0, ofLane: "default")
    for _ in 0..<3 {
      try await die(started: true)
      try await queue.drain()
    }
    #expect(try row() == [.integer(11), .integer(0), .integer(3), .integer(0)])
    #expect(try workshop.value("SELECT code FROM q_task") == .integer(1))
    try await queue.setWidth(1, ofLane: "default")
    try await queue.drain()
    #expect(workshop.done == ["fetch"])
    #expect(
      try workshop.rows("SELECT state, crashes, interruptions FROM q_task WHERE kind = 'fetch'")
        == [[.integer(10), .integer(0), .integer(0)]])
  }

  @Test func `G12 a task in which a process has died runs alone, so that no neighbour is blamed`()
    async throws
  {
    let (begun, beginning) = AsyncStream.makeStream(of: String.self)
    let gates = ["suspect": Gate(), "early": Gate(), "late": Gate()]
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] job, _ in
      workshop.log.withLock { $0.append("begin \(job.word)") }
      beginning.yield(job.word)
      await gates[job.word]?.wait()
      workshop.log.withLock { $0.append("end \(job.word)") }
      return .done
    }
    let queue = try await TaskQueue(store, handlers, settings: workshop.settings)
    let run = Task { try await queue.run() }
    var words = begun.makeAsyncIterator()
    try await queue.enqueue(Job(word: "early"))
    #expect(await words.next() == "early")
    var options = EnqueueOptions()
    options.when = .after(milliseconds: 10)
    let suspect = try await queue.enqueue(Job(word: "suspect"), options).id
    try workshop.execute("UPDATE q_task SET crashes = 2 WHERE state = 1")
    // Its deadline is over: nothing begins before it, and it waits for what runs.
    workshop.clock.pass(40_000)
    try await queue.enqueue(Job(word: "late"))
    #expect(try await queue.explain(suspect) == [.alone])
    gates["early"]?.open()
    #expect(await words.next() == "suspect")
    gates["suspect"]?.open()
    #expect(await words.next() == "late")
    gates["late"]?.open()
    while try await !queue.tasks().isEmpty { await Task.yield() }
    run.cancel()
    _ = await run.result
    #expect(
      workshop.done == [
        "begin early", "end early", "begin suspect", "end suspect", "begin late", "end late",
      ])
  }

  @Test func `G12 a task whose handler had not started is charged nothing`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job())
    try await die(started: false)
    try await queue.drain()
    #expect(try row() == [.integer(10), .integer(0), .integer(0), .integer(1)])
  }

  @Test func `G8 G11 whoever lost the lease changes nothing`() async throws {
    let began = Gate()
    let store = try workshop.store()
    let queue = try await TaskQueue(
      store, longHandlers(began) {}, settings: workshop.settings)
    try await queue.enqueue(Job())
    let run = Task { try await queue.run() }
    await began.wait()
    // Another process has taken it over and finished it.
    try workshop.execute(
      """
      UPDATE q_task SET state = 10, attempt = 2, owner = NULL, lease_until = NULL,
        finished_at = 1, reason = 'the other';
      """)
    run.cancel()
    _ = await run.result
    #expect(
      try workshop.rows("SELECT state, reason FROM q_task")
        == [[.integer(10), .text("the other")]])
    #expect(try workshop.value("SELECT count(*) FROM q_event WHERE type = 20") == .integer(0))
  }

  @Test func `G14 a handler that goes on after its time is stuck, and its lane goes on`()
    async throws
  {
    let leave = Gate()
    let ran = Gate()
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { _, _ in
      // Deaf to being cancelled.
      await Task { await leave.wait() }.value
      return .done
    }
    handlers.on(Fetch.self) { _, _ in
      ran.open()
      return .done([])
    }
    var settings = workshop.settings
    settings.grace = 1
    let queue = try await TaskQueue(store, handlers, settings: settings)
    try await queue.setWidth(1, ofLane: "default")
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.timeout = 1
    try await queue.enqueue(Job(), options)
    try await queue.enqueue(Fetch(count: 1))
    let run = Task { try await queue.run() }
    await ran.wait()
    #expect(try workshop.value("SELECT count(*) FROM q_event WHERE type = 12") == .integer(1))
    #expect(try row()[0] == .integer(3))
    leave.open()
    run.cancel()
    _ = await run.result
    // What it did is done, late as it was.
    #expect(try row() == [.integer(10), .integer(0), .integer(0), .integer(0)])
    #expect(try workshop.value("SELECT sum(stuck) FROM q_task") == .integer(0))
  }

  @Test func `G42 a step that gave a result is not run again`() async throws {
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] _, context in
      let value = try await context.step("download") {
        workshop.log.withLock { $0.append("download") }
        return 42
      }
      workshop.log.withLock { $0.append("\(value)") }
      if context.attempt == 1 { throw Trouble() }
      return .done
    }
    let queue = try await TaskQueue(store, handlers, settings: workshop.settings)
    try await queue.enqueue(Job())
    try await queue.drain()
    workshop.clock.pass(10_000)
    try await queue.drain()
    #expect(workshop.done == ["download", "42", "42"])
  }

  @Test func `two runs of one queue do each task once`() async throws {
    let (_, queue) = try await workshop.open()
    let runs = (0..<2).map { _ in Task { try await queue.run() } }
    for number in 0..<20 { try await queue.enqueue(Job(word: "\(number)")) }
    while try await !queue.tasks().isEmpty { await Task.yield() }
    for run in runs { run.cancel() }
    for run in runs { _ = await run.result }
    #expect(workshop.done.sorted() == (0..<20).map { "\($0) 1" }.sorted())
  }

  @Test func `who has nothing to do looks no more often than it is woken`() async throws {
    let ran = Mutex<Gate?>(nil)
    let looks = Mutex(0)
    var handlers = Handlers()
    handlers.on(Job.self) { _, _ in
      ran.withLock { $0 }?.open()
      return .done
    }
    var settings = workshop.settings
    settings.sleep = { _ in
      looks.withLock { $0 += 1 }
      await Gate().wait()
    }
    let store = try workshop.store()
    let queue = try await TaskQueue(store, handlers, settings: settings)
    let run = Task { try await queue.run() }
    for _ in 0..<20 {
      let gate = Gate()
      ran.withLock { $0 = gate }
      try await queue.enqueue(Job())
      await gate.wait()
      // Whoever looks again and again does so between these.
      for _ in 0..<500 { try await store.write { _ in } }
    }
    run.cancel()
    _ = await run.result
    // A ring for each task that is queued and one for each that ends.
    #expect(looks.withLock { $0 } <= 42)
  }

  @Test func `G29 a task that is queued while the queue runs is run`() async throws {
    let ran = Gate()
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { _, _ in
      ran.open()
      return .done
    }
    var settings = workshop.settings
    settings.poll = 3_600_000
    let queue = try await TaskQueue(store, handlers, settings: settings)
    let run = Task { try await queue.run() }
    try await queue.enqueue(Job())
    await ran.wait()
    run.cancel()
    _ = await run.result
    #expect(try row()[0] == .integer(10))
  }
}

/// Opens once, and lets everybody pass from then on; a cancelled task passes, too.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = state.withLock { state in
          if state.isOpen { return true }
          state.waiting.append(continuation)
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      open()
    }
  }
}
