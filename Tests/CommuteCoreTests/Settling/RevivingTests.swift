import CommuteCore
import Testing

@Suite struct RevivingTests {
  var bench = RuleBench(table: RuleTable.reviving)

  private mutating func start() throws {
    try bench.create(0, ["title": .text("a"), "note": .text("n"), "count": .integer(3)])
    try bench.sync()
  }

  private var isDeleted: Bool { bench.stored?.deleted != nil }

  @Test mutating func `an edit after the deletion brings the record back, whole`() throws {
    try start()
    try bench.delete(0)
    try bench.sync()
    #expect(bench.phones[1].record.view?.deleted != nil)
    let deletion = try #require(bench.stored?.deleted)
    try bench.edit(1, ["title": .set(.text("b")), "count": .add(1)])
    #expect(bench.phones[1].record.view?.deleted == nil)
    let operation = try bench.sent(1)
    #expect(operation.creates)
    #expect(operation.revives == deletion)
    #expect(operation.fields.names == ["count", "note", "title"])
    try bench.sync()
    #expect(!isDeleted)
    #expect(bench.held("title") == .text("b"))
    #expect(bench.held("note") == .text("n"))
    #expect(bench.held("count") == .integer(4))
    #expect(bench.phones[0].record.base == bench.stored)
  }

  @Test mutating func `of an unseen edit and deletion the later one stands`() throws {
    try start()
    try bench.set(1, ["title": .text("early")])
    try bench.delete(0)
    try bench.push(0)
    try bench.push(1)
    #expect(isDeleted)
    #expect(bench.held("title") == .text("a"))
    #expect(bench.conflicts.map { $0.lost } == [.text("early")])
    bench = RuleBench(table: RuleTable.reviving)
    try start()
    try bench.delete(0)
    try bench.set(1, ["title": .text("late")])
    bench.phones.swapAt(0, 0)
    try bench.push(0)
    try bench.push(1)
    #expect(!isDeleted)
    #expect(bench.held("title") == .text("late"))
  }

  @Test mutating func `a deletion that comes behind a later edit does not stand`() throws {
    try start()
    try bench.delete(0)
    try bench.set(1, ["title": .text("late")])
    try bench.push(1)
    let verdict = try bench.push(0)
    #expect(!isDeleted)
    #expect(verdict?.record?.state.deleted == nil)
    #expect(bench.phones[0].record.view?.deleted == nil)
  }

  @Test mutating func `a pending edit shows although the record was deleted meanwhile`() throws {
    try start()
    try bench.delete(0)
    try bench.set(1, ["title": .text("late")])
    try bench.push(0)
    bench.pull(1)
    #expect(bench.phones[1].record.view?.deleted == nil)
    #expect(bench.shown(1, "title") == .text("late"))
  }

  @Test mutating func `whoever saw the record deletes it, also with a clock ahead`() throws {
    try start()
    bench.time += 30_000
    try bench.set(1, ["title": .text("a little ahead")])
    bench.time -= 30_000
    try bench.sync()
    bench.time += 10_000_000
    try bench.delete(0)
    bench.time -= 10_000_000
    try bench.push(0)
    #expect(isDeleted)
  }

  @Test mutating func `the same content again brings it back, too`() throws {
    try start()
    try bench.delete(0)
    try bench.sync()
    try bench.create(1, ["title": .text("a")])
    try bench.sync()
    #expect(!isDeleted)
    #expect(bench.held("title") == .text("a"))
  }

  @Test mutating func `a purged record is gone for good`() throws {
    try start()
    try bench.delete(0)
    try bench.sync()
    bench.state.records[RuleTable.key] = nil
    bench.state.stubs.insert(RuleTable.key)
    try bench.set(1, ["title": .text("b")])
    let verdict = try bench.push(1)
    #expect(verdict?.kind.code == .gone)
  }

  @Test mutating func `a deletion of what was brought back deletes it again`() throws {
    try start()
    try bench.delete(0)
    try bench.sync()
    try bench.set(1, ["title": .text("b")])
    try bench.sync()
    try bench.delete(0)
    try bench.sync()
    #expect(isDeleted)
    #expect(bench.phones[1].record.view?.deleted != nil)
  }

  @Test mutating func `seeds do not bring a record back`() throws {
    try bench.seed(0, ["title": .text("s")])
    try bench.sync()
    try bench.delete(0)
    try bench.sync()
    bench.phones.append(RuleBench(phones: 3, table: RuleTable.reviving).phones[2])
    try bench.seed(2, ["title": .text("s"), "note": .text("s")])
    try bench.sync()
    #expect(isDeleted)
    #expect(bench.conflicts.isEmpty)
  }
}
