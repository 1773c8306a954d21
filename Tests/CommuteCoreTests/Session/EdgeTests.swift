@testable import CommuteCore
import Testing

/// Decisions of the device at the edge where they turn.
@Suite struct EdgeTests {
  var rules = RuleBench()
  var bench = DeviceBench()

  @Test func `an answered round doubles what the next one carries`() {
    var conversation = Conversation(waiting: nil, failures: 0, batch: 100)
    _ = conversation.handle(.changed)
    _ = conversation.handle(.answered(more: false))
    #expect(conversation.batch == 200)
  }

  @Test func `pages begin with 256 KiB and grow beyond fifteen milliseconds of waiting`() {
    #expect(PageSize.least == 262_144)
    var page = PageSize()
    page.note(waited: 15, stored: 0)
    #expect(page.bytes == PageSize.least)
    page.note(waited: 16, stored: 0)
    #expect(page.bytes == 2 * PageSize.least)
  }

  @Test func `an offer is due at its time, and where that is beyond every delay`() {
    var offer = RecordOffer(id: OperationID(high: 0, low: 1), state: RecordState())
    offer.notBefore = 100
    #expect(!offer.isDue(wall: 99))
    #expect(offer.isDue(wall: 100))
    offer.notBefore = 1 + OutboxRow.longestDelay
    #expect(!offer.isDue(wall: 1))
    #expect(offer.isDue(wall: 0))
  }

  @Test mutating func `under another epoch an offer that is held already may go at once`() {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))], revision: 6))
    let next = Epoch(rawValue: 8)
    bench.record.offerAgain(
      after: EpochChange(known: DeviceBench.epoch, told: next, ancestry: []),
      id: OperationID(high: 9, low: 9))
    bench.record.offer?.notBefore = 5_000
    let held = SyncAnswer.Ancestor(epoch: DeviceBench.epoch, ended: 0, heads: ["books": 6])
    let change = EpochChange(known: next, told: Epoch(rawValue: 9), ancestry: [held])
    let isOffered = bench.record.offerAgain(after: change, id: OperationID(high: 9, low: 8))
    #expect(!isOffered)
    #expect(bench.record.offer?.notBefore == 0)
  }

  @Test mutating func `what a refused change was written over is what the next one saw`() throws {
    bench.absorb(
      DeviceBench.state(["a": ("x", DeviceBench.stamp(5)), "b": ("x", DeviceBench.stamp(6))]))
    try bench.change(["a": .text("y")])
    bench.send()
    try bench.change(["a": .text("z"), "b": .text("z")])
    let told = bench.record.rows[1].operation.fields["b"]?.over
    _ = bench.settle(.rejected(.invalid, message: "no"))
    let fields = bench.record.rows[0].operation.fields
    #expect(
      fields["a"]?.over == Over(stamp: DeviceBench.stamp(5), origin: DeviceBench.stamp(5)))
    #expect(fields["b"]?.over == told)
    var behind = try #require(fields["a"])
    behind.forget(
      OperationField(value: .null, stamp: DeviceBench.stamp(90, by: 9), over: nil))
    #expect(behind == fields["a"])
  }

  @Test mutating func `a seed of nothing counted is a seed, and one of no value is none`() throws {
    var names = try rules.seed(0, ["count": .integer(0), "title": .text("a")])
    #expect(names == ["count", "title"])
    rules = RuleBench()
    names = try rules.seed(0, ["count": .null, "labels": .null, "title": .text("a")])
    #expect(names == ["title"])
  }

  @Test mutating func `a first value is chosen over none`() throws {
    try rules.create(0, ["title": .text("a")])
    let names = try rules.set(0, ["best": .integer(1), "least": .integer(1)])
    #expect(names == ["best", "least"])
  }

  @Test mutating func `a row behind is lifted where its stamp is that of what it replaced`() throws
  {
    try bench.create(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b")])
    let behind = try #require(bench.record.rows[1].operation.fields["title"]?.stamp)
    _ = bench.settle(.applied, stamps: ["title": behind])
    let lifted = try #require(bench.record.rows[0].operation.fields["title"]?.stamp)
    #expect(behind < lifted)
  }

  @Test mutating func `a lone value under keepBoth is written again when its record revives`()
    throws
  {
    rules = RuleBench(table: RuleTable.reviving)
    try rules.create(0, ["both": .text("a"), "title": .text("t")])
    try rules.sync()
    try rules.delete(0)
    try rules.sync()
    let names = try rules.set(0, ["title": .text("u")])
    #expect(Set(names) == ["both", "title"])
  }

  @Test mutating func `a record that revives queues no count of nothing, nor a set of null`()
    throws
  {
    rules = RuleBench(table: RuleTable.reviving)
    try rules.create(0, ["title": .text("t"), "count": .integer(3)])
    try rules.sync()
    try rules.delete(0)
    try rules.sync()
    let names = try rules.edit(
      0, ["count": .add(0), "labels": .set(.null), "title": .set(.text("u"))])
    #expect(names == ["title"])
    #expect(rules.shown(0, "count") == .integer(3))
  }

  @Test(arguments: [64, 63]) mutating func `a deletion joins a row that has 64 bytes left`(
    left: Int
  ) throws {
    // What the row takes beside its text: itself, and a field of one letter.
    let others = 350
    let text = String(repeating: "x", count: Limits.operationBytes - others - left)
    try bench.create(["a": .text(text)])
    #expect(bench.record.rows[0].operation.approximateSize == Limits.operationBytes - left)
    try bench.delete()
    #expect(bench.record.rows.count == (left < 64 ? 2 : 1))
    #expect(bench.record.view?.deleted != nil)
  }

  @Test func `an amount rises or falls, and none does neither`() {
    #expect(CountedTwiceTests.words(.add(1)) == "count 1 0")
    #expect(CountedTwiceTests.words(.add(-1)) == "count 0 1")
    #expect(CountedTwiceTests.words(.add(0)) == "count 0 0")
    #expect(CountedTwiceTests.words(.add(.min)) == "count 0 9223372036854775808")
  }
}
