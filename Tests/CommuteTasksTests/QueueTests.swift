import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Testing

@Suite struct QueueTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func states() throws -> [SQLValue] {
    try workshop.rows("SELECT state FROM q_task ORDER BY id").map { $0[0] }
  }

  @Test func `G1 a task exists when its transaction is committed, and not otherwise`() async throws
  {
    let (store, queue) = try await workshop.open()
    await #expect(throws: Trouble.self) {
      try await store.write { tx in
        try queue.enqueue(Job(), in: tx)
        throw Trouble()
      }
    }
    #expect(try states().isEmpty)
    #expect(try workshop.value("SELECT count(*) FROM q_event") == .integer(0))
    try await store.write { tx in
      try tx.insert(Note(text: "one"))
      try queue.enqueue(Job(), in: tx)
    }
    #expect(try states() == [.integer(2)])
    #expect(try workshop.value("SELECT count(*) FROM note") == .integer(1))
  }

  @Test func `a task is run once, and its end is an event`() async throws {
    let (_, queue) = try await workshop.open()
    let id = try await queue.enqueue(Job()).id
    let report = try await queue.drain()
    #expect(report.succeeded == 1)
    #expect(report.left == 0)
    #expect(workshop.done == ["done 1"])
    #expect(try states() == [.integer(10)])
    let events = try workshop.rows("SELECT seq, task, type FROM q_event ORDER BY seq")
    #expect(
      events == [
        [.integer(1), .bytes(id.bytes), .integer(1)],
        [.integer(2), .bytes(id.bytes), .integer(20)],
      ])
    try await queue.drain()
    #expect(workshop.done == ["done 1"])
  }

  @Test func `G4 G7 effects are in the transaction that ends the task`() async throws {
    let (_, queue) = try await workshop.open()
    let id = try await queue.enqueue(Job(word: "note")).id
    try await queue.drain()
    #expect(try workshop.rows("SELECT text FROM note") == [[.text(id.description)]])
  }

  @Test func `effects that throw undo themselves, and count as a failure`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job(word: "bad effects"))
    try await queue.drain()
    #expect(
      try workshop.rows("SELECT state, failures, reason FROM q_task")
        == [[.integer(1), .integer(1), .text("trouble")]])
  }

  @Test func `G22 a failure is tried again later, until the budget is spent`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.retry.failureLimit = 3
    try await queue.enqueue(Job(word: "throw"), options)
    for _ in 0..<5 {
      try await queue.drain()
      workshop.clock.pass(20_000)
    }
    #expect(workshop.done == ["throw 1", "throw 2", "throw 3"])
    #expect(
      try workshop.rows("SELECT state, failures, crashes, interruptions, code FROM q_task")
        == [[.integer(11), .integer(3), .integer(0), .integer(0), .integer(2)]])
  }

  @Test func `a server's wish is a lower bound of the delay`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job(word: "retry"))
    let report = try await queue.drain()
    #expect(report.nextDue == workshop.clock.now + 60_000)
  }

  @Test func `a handler may give up, park, wait for a signal or hand off`() async throws {
    let (_, queue) = try await workshop.open()
    for word in ["fail", "park", "wait", "hand off"] { try await queue.enqueue(Job(word: word)) }
    try await queue.drain()
    #expect(try states() == [.integer(11), .integer(5), .integer(2), .integer(4)])
    #expect(
      try workshop.rows("SELECT failures FROM q_task ORDER BY id")
        == Array(repeating: [.integer(0)], count: 4))
    try await queue.complete(token: "token-1", with: Nothing())
    #expect(try states()[3] == .integer(10))
    await #expect(throws: QueueError.unknownToken("token-1")) {
      try await queue.complete(token: "token-1", with: Nothing())
    }
  }

  @Test func `G23 a signal that is set lets all go that waited for it`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.requires = [.network, .signedIn]
    for _ in 0..<3 { try await queue.enqueue(Job(), options) }
    try await queue.drain()
    queue.setSignals(.network)
    try await queue.drain()
    #expect(workshop.done.isEmpty)
    queue.setSignals([.network, .signedIn, .charging])
    try await queue.drain()
    #expect(workshop.done.count == 3)
    #expect(try workshop.value("SELECT max(failures) FROM q_task") == .integer(0))
  }

  @Test func `G17 what must start first is taken first`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.setWidth(1, ofLane: "default")
    func put(_ word: String, _ urgency: TaskUrgency) async throws {
      var options = EnqueueOptions()
      options.policy = TaskPolicy()
      options.policy?.urgency = urgency
      try await queue.enqueue(Job(word: word), options)
    }
    try await put("old background", .background)
    workshop.clock.pass(599_999)
    try await put("normal", .normal)
    try await put("interactive", .interactive)
    workshop.clock.pass(2)
    try await put("late interactive", .interactive)
    try await queue.drain()
    #expect(
      workshop.done == [
        "interactive 1", "old background 1", "late interactive 1", "normal 1",
      ])
  }

  @Test func `G16 tasks with one serial key run in order, one at a time`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.serialKey = "book-1"
    for word in ["a", "fail", "b"] { try await queue.enqueue(Job(word: word), options) }
    try await queue.drain()
    #expect(workshop.done == ["a 1", "fail 1", "b 1"])
    options.holdsSerialKey = true
    let held = try await queue.enqueue(Job(word: "fail"), options).id
    try await queue.enqueue(Job(word: "c"), options)
    try await queue.drain()
    #expect(workshop.done.last == "fail 1")
    try await queue.retry(held)
    try await queue.cancel(held)
    try await queue.drain()
    #expect(workshop.done.last == "c 1")
  }

  @Test func `G20 one unique key, one task that is not over`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.uniqueKey = "sync"
    let first = try await queue.enqueue(Job(word: "one"), options)
    #expect(try await queue.enqueue(Job(word: "two"), options) == .existing(first.id))
    options.duplicate = .supersedeIfWaiting
    #expect(try await queue.enqueue(Job(word: "three"), options) == .merged(first.id))
    options.duplicate = .replace
    let second = try await queue.enqueue(Job(word: "four"), options)
    guard case .replaced(old: first.id, new: _) = second else {
      Issue.record("\(second)")
      return
    }
    try await queue.drain()
    #expect(workshop.done == ["four 1"])
    #expect(try states() == [.integer(12), .integer(10)])
    guard case .inserted = try await queue.enqueue(Job(), options) else {
      Issue.record("the key of a task that is over is free")
      return
    }
  }

  @Test func `G25 a clock that is set moves no delay, and a restart makes none longer`()
    async throws
  {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.when = .after(milliseconds: 60_000)
    try await queue.enqueue(Job(word: "after"), options)
    options.when = .at(milliseconds: workshop.clock.now + 60_000)
    try await queue.enqueue(Job(word: "at"), options)
    try await queue.drain()
    workshop.clock.set(by: -86_400_000)
    workshop.clock.pass(59_000)
    let early = try await queue.drain()
    #expect(early.ran == 0)
    workshop.clock.pass(1_500)
    try await queue.drain()
    #expect(workshop.done == ["after 1"])
    options.when = .after(milliseconds: 60_000)
    try await queue.enqueue(Job(word: "later"), options)
    try await queue.drain()
    workshop.clock.restart(wall: workshop.clock.now - 10_000_000_000)
    let report = try await queue.drain()
    #expect(report.nextDue == workshop.clock.now + 60_000)
  }

  @Test(arguments: [-172_800_000, -1_000, 1_000, 172_800_000] as [Int64])
  func `G25 a clock that is set puts off no node, lets none expire and turns no order`(
    step: Int64
  ) async throws {
    let (_, queue) = try await workshop.open()
    try await queue.setWidth(1, ofLane: "default")
    var graph = Graph("steps")
    graph.add("a", Job(word: "a"))
    graph.add("b", Job(word: "b"), after: ["a"])
    try await queue.submit(graph)
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.startWithin = 60_000
    let early = try await queue.enqueue(Job(word: "early"), options).id
    workshop.clock.set(by: step)
    // What comes after the step is behind what came before it.
    try await queue.enqueue(Job(word: "late"), options)
    #expect(try await queue.details(of: early)?.expires == workshop.clock.now + 60_000)
    try await queue.drain()
    #expect(workshop.done.sorted() == ["a 1", "b 1", "early 1", "late 1"])
    let order = workshop.done.filter { $0.hasSuffix("ly 1") || $0 == "late 1" }
    #expect(order == ["early 1", "late 1"])
  }

  @Test func `a task that has not started in time has expired`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.startWithin = 1_000
    try await queue.enqueue(Job(), options)
    workshop.clock.pass(1_000)
    try await queue.drain()
    #expect(try states() == [.integer(14)])
    #expect(workshop.done.isEmpty)
  }

  @Test func `G44 an unknown kind is parked, and runs where it is known`() async throws {
    let store = try workshop.store()
    let old = try await TaskQueue(store, Handlers(), settings: workshop.settings)
    try await old.enqueue(Job())
    try await old.drain()
    #expect(try states() == [.integer(5)])
    let new = try await TaskQueue(store, workshop.handlers(), settings: workshop.settings)
    try await new.drain()
    #expect(try states() == [.integer(10)])
  }

  @Test func `G44 what its handler cannot read is tried once by each process`() async throws {
    let (store, queue) = try await workshop.open()
    let id = try await queue.enqueue(Job()).id
    try workshop.execute("UPDATE q_task SET version = 2")
    try await queue.drain()
    try await queue.drain()
    #expect(try states() == [.integer(5)])
    #expect(try workshop.value("SELECT attempt FROM q_task") == .integer(1))
    guard case .parked = try await queue.explain(id).first else {
      Issue.record("whoever could not read it does not take it up again")
      return
    }
    try workshop.execute("UPDATE q_task SET version = 1")
    let new = try await TaskQueue(store, workshop.handlers(), settings: workshop.settings)
    #expect(try await new.explain(id).isEmpty)
    try await new.drain()
    #expect(try states() == [.integer(10)])
  }

  @Test func `G23 a signal that a handler finds missing is clear until it is set again`()
    async throws
  {
    let (_, queue) = try await workshop.open()
    queue.setSignals(.signedIn)
    let id = try await queue.enqueue(Job(word: "wait")).id
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.requires = .signedIn
    try await queue.drain()
    #expect(workshop.done == ["wait 1"])
    try await queue.enqueue(Job(word: "other"), options)
    try await queue.drain()
    #expect(workshop.done == ["wait 1"])
    #expect(try await queue.explain(id) == [.missing(.signedIn)])
    queue.setSignals(.signedIn)
    try await queue.drain()
    #expect(workshop.done == ["wait 1", "wait 2", "other 1"])
    #expect(try workshop.rows("SELECT failures FROM q_task")[0] == [.integer(0)])
  }

  @Test func `G21 a task comes back even where another has its unique key`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.uniqueKey = "sync"
    let first = try await queue.enqueue(Job(word: "fail"), options).id
    try await queue.drain()
    let second = try await queue.enqueue(Job(word: "second"), options).id
    #expect(try await queue.retry(first))
    #expect(
      try workshop.rows("SELECT state, unique_key FROM q_task ORDER BY id")
        == [[.integer(2), .null], [.integer(2), .text("sync")]])
    #expect(try await queue.enqueue(Job(), options) == .existing(second))
  }

  @Test func `what is merged is run as the new one says`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.uniqueKey = "sync"
    options.duplicate = .supersedeIfWaiting
    options.when = .after(milliseconds: 1_000)
    options.tags = ["old"]
    try await queue.enqueue(Job(), options)
    options.tags = ["new"]
    options.serialKey = "one"
    options.holdsSerialKey = true
    options.policy = TaskPolicy()
    options.policy?.urgency = .background
    options.policy?.timeout = 77
    options.policy?.lane = "slow"
    options.policy?.retry = RetryPolicy(
      backoff: Backoff(firstDelay: 5, growthPercent: 300, delayLimit: 50), failureLimit: 3)
    guard case .merged = try await queue.enqueue(Job(word: "new"), options) else {
      Issue.record("the one that waits takes the new one in")
      return
    }
    options.uniqueKey = nil
    let other = try await queue.enqueue(Job(word: "new"), options).id
    let columns: SQL = """
      lane, urgency, rank, serial_key, holds, due_at, delay, timeout, first_delay, growth, \
      delay_limit, failure_limit, payload, version
      """
    let rows = try workshop.rows("SELECT \(columns) FROM q_task ORDER BY id")
    #expect(rows.count == 2)
    #expect(rows[0] == rows[1], "\(other)")
    #expect(
      try workshop.rows("SELECT tag FROM q_tag ORDER BY task")
        == [[.text("new")], [.text("new")]])
  }

  @Test func `G45 a payload that is too large is refused`() async throws {
    let (_, queue) = try await workshop.open()
    await #expect(throws: QueueError.payloadTooLarge(bytes: 70_011, limit: 65_536)) {
      try await queue.enqueue(Job(word: String(repeating: "x", count: 70_000)))
    }
    #expect(try states().isEmpty)
  }

  @Test func `G15 a task that is taken back before it starts never does`() async throws {
    let (_, queue) = try await workshop.open()
    let id = try await queue.enqueue(Job()).id
    try await queue.cancel(id)
    try await queue.drain()
    #expect(workshop.done.isEmpty)
    #expect(try states() == [.integer(12)])
    #expect(try await queue.retry(id))
    try await queue.drain()
    #expect(workshop.done == ["done 1"])
  }

  @Test func `tasks are there after the store was closed`() async throws {
    let (store, queue) = try await workshop.open()
    try await queue.enqueue(Job())
    await store.close()
    let (_, again) = try await workshop.open()
    try await again.drain()
    #expect(workshop.done == ["done 1"])
  }

  @Test func `a newer queue is left alone`() async throws {
    let (store, _) = try await workshop.open()
    await store.close()
    let connection = try Connection(
      .file("\(workshop.path)/device/commute.db"), Configuration(.readWrite))
    try connection.execute("UPDATE q_meta SET value = '9' WHERE key = 'schema'")
    connection.close()
    await #expect(throws: QueueError.newerSchema(found: 9, known: 1)) {
      _ = try await workshop.open()
    }
  }

  @Test func `two handlers of one kind are refused`() async throws {
    var handlers = workshop.handlers()
    handlers.on(Job.self) { _, _ in .done }
    let store = try workshop.store()
    do throws(QueueError) {
      _ = try await TaskQueue(store, handlers)
      Issue.record("taken")
    } catch {
      #expect(error == .handledTwice(kind: "job"))
    }
  }
}
