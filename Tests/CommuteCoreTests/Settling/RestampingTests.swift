import CommuteCore
import Testing

/// Stamps from the future, and writers who had seen what they replace.
@Suite struct RestampingTests {
  var bench = ServerBench()

  /// A stamp that is further ahead than the limit.
  func future(_ more: UInt64 = 0, by replica: UInt64 = 1) -> Stamp {
    ServerBench.stamp(
      UInt64(bench.time) + Limits.skewMilliseconds + 1 + more, by: replica)
  }

  func limit(by replica: UInt64 = 1) -> Stamp {
    ServerBench.stamp(UInt64(bench.time) + Limits.skewMilliseconds, by: replica)
  }

  @Test mutating func `a stamp up to the limit is taken as it is`() {
    let verdict = bench.settle(bench.operation(["title": "a"], at: limit(), creates: true))
    #expect(verdict.stamps.isEmpty)
    #expect(bench.title?.stamp == limit())
  }

  @Test mutating func `one beyond is settled under the server's clock and told`() {
    let verdict = bench.settle(bench.operation(["title": "a"], at: future(), creates: true))
    let settled = verdict.stamps["title"]
    #expect(settled == Stamp(time: UInt64(bench.time) << 16, replica: ServerBench.server))
    #expect(bench.title?.stamp == settled)
    #expect(bench.title?.origin == future())
    #expect(verdict.record?.state == bench.stored)
  }

  @Test mutating func `the same claim gets the same stamp again`() {
    let first = bench.settle(bench.operation(["title": "a"], at: future(), creates: true))
    bench.time += 5_000
    let claim = future().milliseconds - 5_000
    let second = bench.settle(bench.operation(["title": "a"], at: ServerBench.stamp(claim)))
    #expect(first.stamps["title"] == second.stamps["title"])
    #expect(bench.outcome.restamps.isEmpty)
    #expect(bench.outcome.changedRecords.isEmpty)
  }

  @Test mutating func `also when it is no longer beyond the limit`() {
    let claim = future()
    let first = bench.settle(bench.operation(["title": "a"], at: claim, creates: true))
    bench.time += 500_000
    let second = bench.settle(bench.operation(["title": "a"], at: claim))
    #expect(first.stamps["title"] == second.stamps["title"])
  }

  @Test mutating func `an earlier claim of a replica is settled below a later one of a maximum`()
    throws
  {
    bench.settlement.tables = [
      "book": TableSchema("book", fields: [FieldSchema("best", .integer, rule: .maximum)])
    ]
    let later = future(50)
    let earlier = ServerBench.stamp(later.milliseconds - 10)
    var operation = bench.operation(at: later, creates: true)
    operation.fields["best"] = OperationField(value: .integer(5), stamp: later, rule: .maximum)
    let first = bench.settle(operation)
    bench.time += 500_000
    operation = bench.operation(at: earlier)
    operation.fields["best"] = OperationField(value: .integer(4), stamp: earlier, rule: .maximum)
    let second = bench.settle(operation)
    #expect(try #require(second.stamps["best"]) < #require(first.stamps["best"]))
  }

  @Test mutating func `a deletion is settled by its own claim, whatever was claimed later`() {
    let later = future(50)
    let earlier = ServerBench.stamp(later.milliseconds - 10)
    bench.create("a")
    let first = bench.settle(bench.operation(deleted: later))
    #expect(first.deleted != nil)
    bench.time += 500_000
    let verdict = bench.settle(bench.operation(deleted: earlier))
    #expect(verdict.kind == .applied)
    #expect(verdict.deleted == nil)
    #expect(bench.stored?.deleted == earlier)
  }

  @Test mutating func `a lower claim gets a stamp just below, a higher one a new one`() throws {
    let middle = bench.settle(bench.operation(["title": "b"], at: future(50), creates: true))
    let lower = bench.settle(bench.operation(["title": "a"], at: future(10, by: 2)))
    let higher = bench.settle(bench.operation(["title": "c"], at: future(90, by: 3)))
    let b = try #require(middle.stamps["title"])
    let a = try #require(lower.stamps["title"])
    let c = try #require(higher.stamps["title"])
    #expect(a < b)
    #expect(b < c)
    #expect(bench.title?.value == .text("c"))
    #expect(bench.state.restamps.values.first?.count == 3)
  }

  @Test mutating func `claims are remembered per field`() {
    bench.settle(bench.operation(["title": "a", "notes": "n"], at: future(), creates: true))
    #expect(bench.state.restamps.count == 2)
    #expect(bench.outcome.restamps.count == 2)
    #expect(bench.outcome.restamps.allSatisfy { $0.memory.claimed == future() })
  }

  @Test mutating func `it is greater than what its writer had seen`() throws {
    let seen = limit(by: 2)
    bench.create("seen", at: seen)
    let verdict = bench.settle(
      bench.operation(["title": "a"], at: future(), over: Over(stamp: seen, origin: seen)))
    let settled = try #require(verdict.stamps["title"])
    #expect(seen < settled)
    #expect(bench.title?.value == .text("a"))
  }

  @Test mutating func `also where the writer knows it by origin only`() throws {
    // The value was settled under another stamp than its writer gave, and an older one was seen.
    var state = RecordState(revision: Revision(epoch: ServerBench.epoch, number: 1))
    state.fields["title"] = FieldState(
      value: .text("seen"), stamp: limit(by: 2), origin: ServerBench.stamp(5, by: 2))
    bench.state.records[ServerBench.key] = StoredRecord(feed: "books", state: state)
    let over = Over(stamp: ServerBench.stamp(3, by: 2), origin: ServerBench.stamp(5, by: 2))
    bench.settle(bench.operation(["title": "a"], at: ServerBench.stamp(600), over: over))
    #expect(bench.title?.value == .text("a"))
    #expect(limit(by: 2) < (bench.title?.stamp ?? .floor))
    #expect(bench.title?.origin == ServerBench.stamp(600))
  }

  @Test mutating func `a value that the writer had not seen is not overtaken`() {
    bench.create("unseen", at: limit(by: 2))
    bench.settle(bench.operation(["title": "a"], at: future()))
    #expect(bench.title?.value == .text("unseen"))
  }

  @Test mutating func `what was seen through a refused change counts, too`() {
    let seen = limit(by: 2)
    bench.create("seen", at: seen)
    let over = Over(stamp: seen, origin: ServerBench.stamp(77))
    bench.settle(bench.operation(["title": "a"], at: future(), over: over))
    #expect(bench.title?.value == .text("a"))
  }

  @Test mutating func `also below a claim from further ahead that its writer had seen`() throws {
    // Somebody's clock is years ahead. Another, a minute ahead, saw the value, had a change of it
    // refused, and changes it again: its claim is lower, and must not be settled below what it saw.
    bench.create("years", at: future(1 << 30, by: 2))
    let years = try #require(bench.title?.stamp)
    let over = Over(stamp: years, origin: ServerBench.stamp(77))
    let verdict = bench.settle(bench.operation(["title": "a"], at: future(), over: over))
    #expect(years < (verdict.stamps["title"] ?? .floor))
    #expect(bench.title?.value == .text("a"))
  }

  @Test mutating func `a lower claim is settled between what it saw and what is above it`() throws {
    bench.settle(bench.operation(["title": "seen"], at: limit(by: 2), creates: true))
    let high = bench.settle(
      bench.operation(["title": "high"], at: future(50, by: 3), over: nil))
    let above = try #require(high.stamps["title"])
    // Closer to the one above than a millisecond.
    let seen = Stamp(time: above.time - 100, replica: ReplicaID(rawValue: 2))
    let verdict = bench.settle(
      bench.operation(
        ["title": "low"], at: future(10), over: Over(stamp: seen, origin: seen)))
    let settled = try #require(verdict.stamps["title"])
    #expect(seen < settled)
    #expect(settled < above)
  }

  @Test mutating func `a seen stamp from the future does not drag the server's clock along`() {
    bench.create("x")
    let over = Over(stamp: future(1 << 40, by: 6), origin: future(1 << 40, by: 6))
    bench.settle(bench.operation(["title": "a"], at: future(), over: over))
    let held = bench.title?.stamp.milliseconds ?? 0
    #expect(held <= UInt64(bench.time) + Limits.skewMilliseconds)
    #expect(bench.state.clock.last >> 16 <= UInt64(bench.time) + Limits.skewMilliseconds)
  }

  @Test mutating func `an older claim of the same replica does not replace a newer one`() {
    bench.create("newer", at: future(20))
    let current = bench.title
    let early = bench.settle(bench.operation(["title": "older"], at: future(10)))
    // Later the claim is not from the future any more, and greater than the settled stamp.
    bench.time += 600_000
    let claim = ServerBench.stamp((current?.origin.milliseconds ?? 0) - 5)
    let late = bench.settle(bench.operation(["title": "older"], at: claim))
    #expect(early.stamps["title"] == current?.stamp)
    #expect(late.stamps["title"] == current?.stamp)
    #expect(late.record?.state == bench.stored)
    #expect(bench.title == current)
  }

  @Test mutating func `nor what somebody wrote over the newer one`() throws {
    bench.create("newer", at: future(20))
    let seen = try #require(bench.title)
    bench.time += 10_000
    let over = Over(stamp: seen.stamp, origin: seen.origin)
    bench.settle(
      bench.operation(["title": "theirs"], at: ServerBench.stamp(1_005_000, by: 2), over: over))
    bench.time += 600_000
    let verdict = bench.settle(
      bench.operation(
        ["title": "older"], at: ServerBench.stamp(seen.origin.milliseconds - 5)))
    #expect(bench.title?.value == .text("theirs"))
    #expect((verdict.stamps["title"] ?? .floor) < seen.stamp)
  }

  @Test mutating func `another replica's claim is not measured by it`() {
    bench.create("a", at: future(20))
    bench.time += 600_000
    let claim = ServerBench.stamp((bench.title?.origin.milliseconds ?? 0) - 5, by: 2)
    bench.settle(bench.operation(["title": "b"], at: claim))
    #expect(bench.title?.value == .text("b"))
  }

  @Test mutating func `a deletion from the future is settled and remembered like a field`() {
    bench.create("a")
    let first = bench.settle(bench.operation(deleted: future()))
    let second = bench.settle(bench.operation(deleted: future()))
    #expect(first.deleted != nil)
    #expect(first.deleted == second.deleted)
    #expect(bench.stored?.deleted == first.deleted)
    let memory = bench.state.restamps[FieldKey(record: ServerBench.key, field: "")]
    #expect(memory?.count == 1)
  }

  @Test mutating func `seeds are never from the future`() {
    bench.time = 1
    let verdict = bench.settle(bench.operation(["title": "a"], at: .floor, creates: true))
    #expect(verdict.stamps.isEmpty)
    #expect(bench.title?.stamp == .floor)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `a server clock out of its range traps nowhere`(time: Int64) {
    var bench = ServerBench()
    bench.time = time
    let claim = ServerBench.stamp(Stamp.latestReadMillisecond)
    let verdict = bench.settle(bench.operation(["title": "a"], at: claim, creates: true))
    #expect(verdict.kind == .applied)
  }
}
