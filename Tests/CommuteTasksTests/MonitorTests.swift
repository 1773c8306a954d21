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
}

struct Unheard: QueueTask { static let kind = "unheard" }
