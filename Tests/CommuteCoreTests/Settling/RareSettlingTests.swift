@testable import CommuteCore
import Testing

/// What a server comes across once in a long while, and must do all the same.
@Suite struct RareSettlingTests {
  var bench = ServerBench()

  init() { bench.settlement.takesOffers = true }

  mutating func offer(_ state: RecordState) -> Verdict {
    var request = bench.request([])
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 5, low: 5), feed: "books",
        record: RecordMessage(key: ServerBench.key, state: state))
    ]
    return bench.settle(request)[0]
  }

  static func state(
    _ title: String, _ stamp: Stamp, origin: Stamp? = nil
  ) -> RecordState {
    RecordState(
      revision: Revision(epoch: Epoch(rawValue: 3), number: 5),
      fields: ["title": FieldState(value: .text(title), stamp: stamp, origin: origin)])
  }

  @Test mutating func `an offer that would make a record too large tells the record as it is`() {
    bench.create()
    let before = bench.stored
    var state = Self.state("a", ServerBench.stamp(600))
    for index in 0..<20 {
      state.fields[Key("f\(index)")] = FieldState(
        value: .text(String(repeating: "x", count: 250_000)), stamp: ServerBench.stamp(500))
    }
    let verdict = offer(state)
    #expect(verdict.kind.code == .tooLarge)
    #expect(verdict.record?.state == before)
    #expect(verdict.revision == before?.revision)
    #expect(bench.stored == before)
  }

  @Test mutating func `how late an offer is goes by the end of its own epoch`() {
    bench.create()
    let ancestor = { (epoch: UInt64, ended: Int64) in
      SyncAnswer.Ancestor(epoch: Epoch(rawValue: epoch), ended: ended, heads: [:])
    }
    bench.time = 1_000_000 + Purge.defaultRetention
    bench.state.ancestry = [ancestor(3, 999_999), ancestor(4, 1_000_000)]
    let late = offer(Self.state("a", ServerBench.stamp(600)))
    #expect(late.kind.code == .late)
    #expect(late.record?.state == bench.stored)
    bench.state.ancestry = [ancestor(4, 0), ancestor(3, 1_000_000)]
    #expect(bench.title?.value == .text("first"))
    let inTime = offer(Self.state("b", ServerBench.stamp(600)))
    #expect(inTime.kind == .applied)
    #expect(bench.title?.value == .text("b"))
  }

  @Test mutating func `what an offer tells of a claim is remembered once`() {
    let claim = ServerBench.stamp(9_000_000)
    let settled = ServerBench.stamp(700, by: 50)
    _ = offer(Self.state("a", settled, origin: claim))
    _ = offer(Self.state("a", ServerBench.stamp(800, by: 50), origin: claim))
    #expect(bench.outcome.restamps.isEmpty)
    let memory = bench.state.restamps.values.first ?? []
    #expect(memory.map { $0.settled } == [settled])
  }

  @Test mutating func `a claim that comes again does not win over what was written since`() {
    let claim = ServerBench.stamp(9_000_000)
    bench.create("mine", at: claim)
    let settled = bench.title?.stamp ?? .floor
    bench.time += 10
    let over = Over(stamp: settled, origin: claim)
    bench.settle(
      bench.operation(["title": "theirs"], at: ServerBench.stamp(1_000_005, by: 2), over: over))
    bench.time += 10_000
    let verdict = bench.settle(bench.operation(["title": "mine"], at: claim))
    #expect(verdict.stamps["title"] == settled)
    #expect(bench.title?.value == .text("theirs"))
    #expect(bench.outcome.restamps.isEmpty)
  }

  @Test func `of two deletions the later one is laid, in either order`() {
    for (first, second) in [(5, 7), (7, 5)] as [(UInt64, UInt64)] {
      var state = RecordState(deleted: ServerBench.stamp(first))
      var bench = bench
      state.lay(bench.operation(deleted: ServerBench.stamp(second)))
      #expect(state.deleted == ServerBench.stamp(7))
    }
  }

  @Test func `a refusal that tells no record holds the stamps of its row alone`() {
    var bench = bench
    let row = OutboxRow(operation: bench.operation(["title": "a"], at: ServerBench.stamp(5)))
    var rejection = Rejection(row: row, code: .invalid, message: "no")
    #expect(rejection.greatestStamp == ServerBench.stamp(5))
    rejection.record = Self.state("a", ServerBench.stamp(9))
    #expect(rejection.greatestStamp == ServerBench.stamp(9))
  }

  @Test func `a value that did not replace the refused one forgets nothing`() {
    let mine = OperationField(
      value: .text("a"), stamp: ServerBench.stamp(5), rule: .keepBoth,
      detail: .replaces([ServerBench.stamp(3)]))
    let refused = OperationField(
      value: .text("b"), stamp: ServerBench.stamp(4), rule: .keepBoth,
      detail: .replaces([ServerBench.stamp(2)]))
    var after = mine
    after.forget(refused)
    #expect(after == mine)
  }

  @Test func `a record may be made with a value that resolves`() throws {
    var rules = RuleBench()
    let names = try rules.write(0) { (record, id, context) throws(WriteRefusal) in
      try record.create(["both": .resolve(.text("a"))], operation: id, context: &context)
    }
    #expect(names == ["both"])
    #expect(rules.shown(0, "both") == .text("a"))
  }

  @Test mutating func `a table that is not declared has no keys`() {
    let key = ServerBench.key
    let found = Settlement().uniqueIdentities(
      of: ["title": .text("a")], on: nil, key: key, feed: "books")
    #expect(found.isEmpty)
    bench.state.isWhole = false
    bench.create()
    #expect(bench.state.holders.isEmpty)
    #expect(bench.title?.value == .text("first"))
  }
}

/// Removals that a purge takes out of sets.
@Suite struct RemovalPurgingTests {
  static let day: Int64 = 86_400_000
  static let other = RecordKey(table: "book", id: RecordID(high: 0, low: 2))
  static let live = RecordKey(table: "book", id: RecordID(high: 0, low: 3))

  static func stored(_ number: UInt64, removed day: UInt64?) -> StoredRecord {
    var set = SetState()
    if let day {
      let tag = ElementTag.added(
        by: OperationID(high: 0, low: number), field: "labels", element: "a")
      set.remove(SetState.Removal(tag: tag, milliseconds: day * 86_400_000))
    }
    let stamp = ServerBench.stamp(number)
    return StoredRecord(
      feed: "books",
      state: RecordState(
        revision: Revision(epoch: Epoch(rawValue: 1), number: number),
        fields: ["labels": FieldState(set, stamp: stamp, origin: stamp)]))
  }

  @Test func `old removals go where every device has passed, under numbers of their own`() {
    var state = ServerState(
      epoch: ServerBench.epoch, clock: HybridClock(replica: ServerBench.server))
    state.heads["books"] = FeedHead(head: 9, fence: 1)
    state.records[ServerBench.key] = Self.stored(3, removed: 10)
    state.records[Self.other] = Self.stored(4, removed: 399)
    state.records[Self.live] = Self.stored(8, removed: 10)
    let last = RecordKey(table: "book", id: RecordID(high: 0, low: 4))
    state.records[last] = Self.stored(7, removed: 10)
    let untouched = [Self.other, Self.live].map { state.records[$0] }
    let device = Purge.Progress(
      replica: ReplicaID(rawValue: 1), seenAt: 399 * Self.day, cursors: ["books": 7])
    state.purge(Purge(time: 400 * Self.day, devices: [device])) { _ in 0 }
    let pruned = state.records[ServerBench.key]?.state
    #expect(pruned?.fields["labels"]?.set.removals.isEmpty == true)
    #expect(pruned?.revision == Revision(epoch: ServerBench.epoch, number: 10))
    #expect([Self.other, Self.live].map { state.records[$0] } == untouched)
    #expect(state.records[last]?.state.revision?.number == 11)
    #expect(state.heads["books"] == FeedHead(head: 11, fence: 7))
    #expect(Purge(time: 400 * Self.day, devices: []).horizon == UInt64(310 * Self.day))
  }
}
