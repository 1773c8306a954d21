import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Testing

@Suite struct GraphTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func states() throws -> [String: Int64] {
    var states: [String: Int64] = [:]
    for row in try workshop.rows("SELECT node, state FROM q_task") {
      if case .text(let node) = row[0], case .integer(let state) = row[1] { states[node] = state }
    }
    return states
  }

  private func check() throws {
    let wrong = try workshop.rows(
      """
      SELECT id FROM q_graph WHERE open <>
        (SELECT count(*) FROM q_task WHERE graph = q_graph.id AND state < 10)
      UNION SELECT id FROM q_task WHERE graph IS NOT NULL AND parents_left <>
        (SELECT count(*) FROM q_edge JOIN q_task AS other ON other.id = q_edge.parent
          WHERE q_edge.child = q_task.id AND other.state < 10)
      """)
    #expect(wrong.isEmpty)
  }

  @Test func `results go from node to node`() async throws {
    let (_, queue) = try await workshop.open()
    var graph = Graph("sum")
    let fetch = graph.add("fetch", Fetch(count: 4))
    graph.add("sum", Sum(numbers: fetch.output))
    graph.add("known", Sum(numbers: .just([7])))
    try await queue.submit(graph)
    try await queue.drain()
    #expect(Set(workshop.done) == ["fetch", "sum 10", "sum 7"])
    #expect(
      try workshop.value("SELECT result FROM q_task WHERE node = 'sum'")
        == .bytes(Array("10".utf8)))
    #expect(
      try workshop.rows("SELECT state, open, bad FROM q_graph")
        == [[.integer(10), .integer(0), .integer(0)]])
    try check()
  }

  @Test func `G36 a graph that is none is refused before anything is written`() async throws {
    let (_, queue) = try await workshop.open()
    var cycle = Graph("cycle")
    cycle.add("r", Job())
    cycle.add("a", Job(), after: ["r", "c"])
    cycle.add("b", Job(), after: ["a"])
    cycle.add("c", Job(), after: ["b"])
    var unknown = Graph("unknown")
    unknown.add("a", Job(), after: ["z"])
    var twice = Graph("twice")
    twice.add("a", Job())
    twice.add("a", Job())
    var alone = Graph("alone")
    alone.add("a", Job(), after: ["a"])
    var elsewhere = Graph("elsewhere")
    elsewhere.add("sum", Sum(numbers: Ref(.output(node: "fetch"))))
    var many = Graph("many")
    for number in 0...1_000 { many.add("\(number)", Job()) }
    let expected: [(Graph, GraphPlan.Fault)] = [
      (cycle, .cycle(["a", "b", "c"])), (unknown, .unknownNode("z", in: "a")),
      (twice, .duplicateNode("a")), (alone, .cycle(["a"])),
      (elsewhere, .unknownNode("fetch", in: "sum")), (many, .tooManyNodes(1_001)),
      (Graph("empty"), .empty),
    ]
    for (graph, fault) in expected {
      do throws(QueueError) {
        try await queue.submit(graph)
        Issue.record("taken: \(graph.name)")
      } catch {
        guard case .graph(let found) = error else {
          Issue.record("\(error)")
          continue
        }
        if case .cycle(let path) = found, case .cycle(let wanted) = fault {
          #expect(Set(path) == Set(wanted))
          #expect(path.count == wanted.count)
        } else {
          #expect(found == fault)
        }
      }
    }
    #expect(try workshop.value("SELECT count(*) FROM q_graph") == .integer(0))
    #expect(try workshop.value("SELECT count(*) FROM q_task") == .integer(0))
  }

  private func diamond(_ words: [String: String], _ join: JoinRule = .allSucceeded) -> Graph {
    var graph = Graph("diamond")
    func job(_ name: String) -> Job { Job(word: words[name] ?? name) }
    graph.add("top", job("top"))
    graph.add("left", job("left"), after: ["top"])
    graph.add("right", job("right"), after: ["top"])
    graph.add("below left", job("below left"), after: ["left"])
    graph.add("join", job("join"), after: ["left", "right"], join: join)
    return graph
  }

  @Test func `G38 G39 a join runs once, after all it waits for`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond([:]))
    try await queue.drain()
    #expect(workshop.done.first == "top 1")
    #expect(workshop.done.count == 5)
    #expect(workshop.done.filter { $0 == "join 1" }.count == 1)
    try check()
  }

  @Test func `a node that fails skips what comes after it, and nothing else`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond(["right": "fail"]))
    try await queue.drain()
    #expect(
      try states() == ["top": 10, "left": 10, "right": 11, "below left": 10, "join": 13])
    #expect(
      try workshop.rows("SELECT state, bad FROM q_graph") == [[.integer(11), .integer(2)]])
    try check()
  }

  @Test(arguments: [JoinRule.allFinished, .anySucceeded])
  func `a join may do with less`(join: JoinRule) async throws {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond(["right": "fail"], join))
    try await queue.drain()
    #expect(try states()["join"] == 10)
    try check()
  }

  @Test func `G24 a node that is tried again takes up what was skipped`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond(["top": "fail"]))
    try await queue.drain()
    #expect(try states() == ["top": 11, "left": 13, "right": 13, "below left": 13, "join": 13])
    // What was skipped comes back with the one it was skipped for.
    #expect(try await !queue.retry(id(of: "join")))
    try check()
    #expect(try await queue.retry(id(of: "top")))
    #expect(try states() == ["top": 2, "left": 0, "right": 0, "below left": 0, "join": 0])
    try check()
    try workshop.execute(
      "UPDATE q_task SET payload = CAST('{\"word\":\"top\"}' AS BLOB) WHERE node = 'top'")
    try await queue.drain()
    #expect(workshop.done.filter { $0 == "join 1" }.count == 1)
    #expect(
      try workshop.rows("SELECT state, bad FROM q_graph") == [[.integer(10), .integer(0)]])
    try check()
  }

  private func id(of node: String) throws -> TaskID {
    guard case .bytes(let bytes) = try workshop.value("SELECT uid FROM q_task WHERE node = \(node)")
    else { throw Trouble() }
    return TaskID(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  @Test func `a node that was taken back while it waited waits again when it is tried again`()
    async throws
  {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond([:]))
    try await queue.cancel(id(of: "join"))
    #expect(try await queue.retry(id(of: "join")))
    #expect(try states()["join"] == 0)
    try check()
    try await queue.drain()
    #expect(workshop.done.last == "join 1")
    try check()
  }

  @Test func `G21 a graph comes back even where another has its unique key`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.submit(diamond(["top": "fail"]), uniqueKey: "sync")
    try await queue.drain()
    let top = try id(of: "top")
    guard case .inserted = try await queue.submit(diamond([:]), uniqueKey: "sync") else {
      Issue.record("the key of a graph that is over is free")
      return
    }
    #expect(try await queue.retry(top))
    #expect(
      try workshop.rows("SELECT state, unique_key FROM q_graph ORDER BY id")
        == [[.integer(0), .null], [.integer(0), .text("sync")]])
    try check()
  }

  @Test func `a graph that fails fast cancels what has not started`() async throws {
    let (_, queue) = try await workshop.open()
    try await queue.setWidth(1, ofLane: "default")
    var graph = Graph("fast")
    graph.onFailure = .failFast
    graph.add("a", Job(word: "fail"))
    graph.add("b", Job())
    graph.add("c", Job(), after: ["b"])
    try await queue.submit(graph)
    try await queue.drain()
    #expect(workshop.done == ["fail 1"])
    #expect(try states() == ["a": 11, "b": 12, "c": 12])
    try check()
  }

  @Test func `a graph may carry on`() async throws {
    let (_, queue) = try await workshop.open()
    var graph = Graph("on")
    graph.onFailure = .carryOn
    graph.add("a", Job(word: "fail"))
    graph.add("b", Job(), after: ["a"])
    try await queue.submit(graph)
    try await queue.drain()
    #expect(try states() == ["a": 11, "b": 10])
    try check()
  }

  @Test func `G37 one unique key, one graph that is not over`() async throws {
    let (_, queue) = try await workshop.open()
    let first = try await queue.submit(diamond([:]), uniqueKey: "sync")
    #expect(try await queue.submit(diamond([:]), uniqueKey: "sync") == .existing(first.id))
    #expect(try workshop.value("SELECT count(*) FROM q_task") == .integer(5))
    try await queue.drain()
    guard case .inserted = try await queue.submit(diamond([:]), uniqueKey: "sync") else {
      Issue.record("the key of a graph that is over is free")
      return
    }
  }
}
