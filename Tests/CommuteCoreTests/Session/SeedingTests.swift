@testable import CommuteCore
import Testing

/// Seeds over seeds, rows that share a record, and deletions taken up again before they leave.
@Suite struct SeedingTests {
  var bench = RuleBench()

  @Test mutating func `of two seeds the greater shows, under every rule that keeps one value`()
    throws
  {
    for field: Key in ["server", "client", "note", "both", "title"] {
      bench = RuleBench()
      try bench.seed(0, [field: .text("a")])
      try bench.push(0)
      bench.pull(1)
      var names = try bench.seed(1, [field: .text("a")])
      #expect(names.isEmpty)
      names = try bench.seed(1, [field: .text("b")])
      #expect(names == [field])
      #expect(bench.shown(1, field) == .text("b"))
      try bench.sync()
      #expect(bench.held(field) == .text("b"))
      names = try bench.seed(0, [field: .text("a")])
      #expect(names.isEmpty)
    }
  }

  @Test mutating func `a seed of a counter takes the place of a lesser one`() throws {
    try bench.seed(0, ["count": .integer(3)])
    try bench.sync()
    var names = try bench.seed(1, ["count": .integer(3)])
    #expect(names.isEmpty)
    names = try bench.seed(1, ["count": .integer(5)])
    #expect(names == ["count"])
    #expect(bench.shown(1, "count") == .integer(5))
    try bench.sync()
    #expect(bench.held("count") == .integer(5))
    try bench.edit(0, ["count": .add(1)])
    names = try bench.seed(0, ["count": .integer(9)])
    #expect(names.isEmpty)
  }

  @Test mutating func `a seed of a set adds what is missing from it`() throws {
    try bench.seed(0, ["labels": .list(["a", "b"])])
    try bench.sync()
    var names = try bench.seed(1, ["labels": .list(["a"])])
    #expect(names.isEmpty)
    names = try bench.seed(1, ["labels": .list(["b", "c"])])
    #expect(names == ["labels"])
    guard case .tags(let tags)? = bench.phones[1].record.rows[0].operation.fields["labels"]?.detail
    else {
      Issue.record("a seed of a set has tags")
      return
    }
    #expect(tags.added.map { $0.element } == ["c"])
    try bench.sync()
    #expect(bench.held("labels") == .list(["a", "b", "c"]))
  }

  @Test mutating func `a deletion that has not left is taken up by the edit that revives`() throws {
    bench = RuleBench(table: RuleTable.reviving)
    try bench.create(0, ["title": .text("a")])
    try bench.sync()
    try bench.delete(0)
    try bench.set(0, ["title": .text("b")])
    let rows = bench.phones[0].record.rows
    #expect(rows.count == 1)
    #expect(rows.first?.operation.creates == true)
    #expect(rows.first?.operation.revives == rows.first?.operation.deleted)
    #expect(bench.phones[0].record.view?.deleted == nil)
    try bench.sync()
    #expect(bench.stored?.deleted == nil)
    #expect(bench.held("title") == .text("b"))
  }

  @Test mutating func `a row behind that changes another field is not informed`() throws {
    try bench.create(0, ["title": .text("a"), "server": .text("a")])
    try bench.sync()
    try bench.set(0, ["title": .text("b")])
    let first = try bench.sent(0)
    try bench.set(0, ["server": .text("b")])
    let before = bench.phones[0].record.rows[1]
    let verdict = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, verdict)
    #expect(bench.phones[0].record.rows == [before])
  }

  @Test mutating func `an offer put off without a delay may go at once`() {
    var device = DeviceBench()
    device.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))], revision: 6))
    let id = OperationID(high: 9, low: 9)
    let change = EpochChange(known: DeviceBench.epoch, told: Epoch(rawValue: 8), ancestry: [])
    device.record.offerAgain(after: change, id: id)
    for (delay, due) in [(50, 1_050), (0, 0)] as [(UInt64, Int64)] {
      let verdict = Verdict(id: id, kind: .later(.offers, afterMilliseconds: delay))
      let outcome = device.record.settleOffer(verdict, clock: &device.clock, wall: 1_000)
      #expect(!outcome.isSettled)
      #expect(device.record.offer?.notBefore == due)
    }
  }
}
