import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Testing

@Suite struct MonitorTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  @Test func `G47 why a task does not run`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.setWidth(0, ofLane: "shut")
    var options = EnqueueOptions()
    options.when = .after(milliseconds: 5_000)
    options.serialKey = "key"
    options.policy = TaskPolicy()
    options.policy?.requires = .network
    let first = try await queue.enqueue(Job(), options).id
    options.policy?.lane = "shut"
    let second = try await queue.enqueue(Unheard(), options).id
    let due = workshop.clock.now + 5_000
    #expect(try await queue.explain(first) == [.due(due), .missing(.network)])
    #expect(
      try await queue.explain(second) == [
        .due(due), .missing(.network), .serial(behind: first), .laneFull("shut"),
        .noHandler("unheard"),
      ])
    workshop.clock.pass(5_000)
    queue.setSignals(.network)
    #expect(try await queue.explain(first).isEmpty)
    try await queue.drain()
    #expect(try await queue.explain(first) == [.over(.succeeded)])
    let failing = try await queue.enqueue(Job(word: "throw")).id
    try await queue.drain()
    guard case .backoff(_, failures: 1)? = try await queue.explain(failing).first else {
      Issue.record("a task that failed says when it is tried again")
      return
    }
    let unknown = TaskID(high: 1, low: 2)
    await #expect(throws: QueueError.unknownTask(unknown)) { try await queue.explain(unknown) }
  }

  @Test func `a node says what it waits for`() async throws {
    let (_, queue) = try await workshop.open()
    var graph = Graph("chain")
    graph.add("a", Job(word: "park"))
    graph.add("b", Job(), after: ["a"])
    try await queue.submit(graph)
    try await queue.drain()
    let tasks = try await queue.tasks()
    #expect(tasks.map(\.node) == ["a", "b"])
    #expect(try await queue.explain(tasks[0].id) == [.parked("look at this")])
    #expect(try await queue.explain(tasks[1].id) == [.dependency(tasks[0].id)])
  }

  @Test func `G46 an observer gets every event until it has acknowledged it`() async throws {
    let (_, queue) = try await workshop.open()
    for _ in 0..<3 { try await queue.enqueue(Job()) }
    try await queue.drain()
    let events = try await queue.events(observer: "screen")
    #expect(events.map(\.number) == Array(1...6))
    #expect(events.prefix(3).allSatisfy { $0.type == .enqueued })
    #expect(events.suffix(3).allSatisfy { $0.type == .succeeded })
    try await queue.acknowledge(observer: "screen", through: 4)
    try await queue.acknowledge(observer: "screen", through: 2)
    #expect(try await queue.events(observer: "screen").map(\.number) == [5, 6])
    #expect(try await queue.events(observer: "other").count == 6)
  }

  @Test func `G5 what is over for long goes, and nothing of an open graph`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.enqueue(Job())
    var graph = Graph("open")
    graph.add("a", Job())
    graph.add("b", Job(word: "park"), after: ["a"])
    try await queue.submit(graph)
    try await queue.drain()
    #expect(try await queue.prune() == 0)
    workshop.clock.pass(604_800_001)
    #expect(try await queue.prune() == 1)
    #expect(try await queue.tasks(includingOver: true).map(\.node) == ["a", "b"])
    try await queue.cancel(queue.tasks()[0].id)
    workshop.clock.pass(604_800_001)
    #expect(try await queue.prune() == 2)
    #expect(try workshop.value("SELECT count(*) FROM q_graph") == .integer(0))
    #expect(try workshop.value("SELECT count(*) FROM q_edge") == .integer(0))
  }

  @Test func `G48 figures are those of the table, whatever became of the tasks`() async throws {
    let (_, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    for (place, word) in ["done", "fail", "park", "wait", "retry", "note", "done"].enumerated() {
      options.policy?.lane = place % 2 == 0 ? "even" : "odd"
      options.policy?.urgency = place % 3 == 0 ? .background : .interactive
      try await queue.enqueue(Job(word: word), options)
    }
    workshop.clock.pass(5_000)
    #expect(try await queue.oldestReady(inLane: "even") == 5_000)
    #expect(try await queue.oldestReady(inLane: "none") == nil)
    try await queue.drain()
    var graph = Graph("g")
    graph.add("a", Job(word: "fail"))
    graph.add("b", Job(), after: ["a"])
    try await queue.submit(graph)
    try await queue.drain()
    let counted = try workshop.rows(
      "SELECT lane, urgency, state, count(*) FROM q_task GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
    #expect(
      try workshop.rows(
        "SELECT * FROM q_figure WHERE count <> 0 ORDER BY lane, urgency, state") == counted)
    let figures = try await queue.figures()
    #expect(figures.map(\.lane) == ["default", "even", "even", "odd", "odd"])
    #expect(figures[0].failureRate == 1)
    #expect(figures.map(\.depth).reduce(0, +) == 3)
  }

  @Test func `G49 a look takes no write lock, and shows no payload unless it is asked for`()
    async throws
  {
    let (store, queue) = try await workshop.open()
    var options = EnqueueOptions()
    options.tags = ["b", "a"]
    options.uniqueKey = "one"
    let id = try await queue.enqueue(Job(word: "secret"), options).id
    var graph = Graph("look")
    graph.add("a", Job())
    graph.add("b", Job(), after: ["a"])
    let whole = try await queue.submit(graph).id
    // Another process is writing.
    let other = try Connection(
      .file("\(workshop.path)/device/commute.db"), Configuration(.readWrite))
    try other.execute("BEGIN IMMEDIATE")
    defer { other.close() }
    let details = try #require(try await queue.details(of: id))
    #expect(details.payload == nil && details.payloadLength == 17)
    #expect(details.tags == ["a", "b"] && details.uniqueKey == "one")
    let shown = try await queue.details(of: id, showingPayload: true)
    #expect(shown?.payload == Array("{\"word\":\"secret\"}".utf8))
    #expect(try await queue.history(of: id).map(\.type) == [.enqueued])
    #expect(try await queue.graphs().map(\.name) == ["look"])
    let nodes = try #require(try await queue.graph(whole)).nodes
    #expect(nodes.map(\.name) == ["a", "b"] && nodes.map(\.after) == [[], ["a"]])
    #expect(try await queue.explain(nodes[1].task.id) == [.dependency(nodes[0].task.id)])
    _ = try await TaskQueue(store, workshop.handlers(), settings: workshop.settings)
  }
}

struct Unheard: QueueTask { static let kind = "unheard" }
