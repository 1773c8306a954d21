import CommuteCore
import Testing

/// What a server that was put back makes of records that devices still have.
@Suite struct OfferSettlementTests {
  static let earlier = Epoch(rawValue: 3)
  var bench = ServerBench()

  init() {
    bench.settlement.takesOffers = true
    bench.state.heads["books"] = FeedHead()
    bench.state.ancestry = [
      SyncAnswer.Ancestor(epoch: Self.earlier, ended: 900_000, heads: ["books": 2])
    ]
  }

  static func state(
    _ title: String, _ stamp: Stamp, origin: Stamp? = nil, number: UInt64 = 5,
    epoch: Epoch = earlier, deleted: Stamp? = nil
  ) -> RecordState {
    RecordState(
      revision: Revision(epoch: epoch, number: number),
      fields: ["title": FieldState(value: .text(title), stamp: stamp, origin: origin)],
      deleted: deleted)
  }

  mutating func offer(
    _ state: RecordState, feed: Key = "books", asked: SyncRequest.Feed? = nil
  ) -> Verdict {
    var request = bench.request([], feeds: [asked ?? SyncRequest.Feed(feed: "books")])
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 5, low: 5), feed: feed,
        record: RecordMessage(key: ServerBench.key, state: state))
    ]
    return bench.settle(request)[0]
  }

  @Test mutating func `a record that the server lacks is there again, under a number of its own`() {
    let verdict = offer(Self.state("a", ServerBench.stamp(500)))
    #expect(verdict.kind == .applied)
    #expect(verdict.revision == Revision(epoch: ServerBench.epoch, number: 1))
    #expect(verdict.record?.state == bench.stored)
    #expect(bench.title?.value == .text("a"))
    #expect(bench.stored?.author == "ada")
  }

  @Test mutating func `the greatest settled stamp stands, whoever offers first`() {
    bench.create("b", at: ServerBench.stamp(600))
    let older = offer(Self.state("a", ServerBench.stamp(500)))
    #expect(older.record?.state.fields["title"]?.value == .text("b"))
    #expect(older.revision?.number == 1)
    let newer = offer(Self.state("c", ServerBench.stamp(700)))
    #expect(newer.revision?.number == 2)
    #expect(bench.title?.value == .text("c"))
  }

  @Test mutating func `an offered tombstone deletes, and the same offer again changes nothing`() {
    bench.create()
    let gone = Self.state("a", ServerBench.stamp(500), deleted: ServerBench.stamp(800))
    let first = offer(gone)
    let again = offer(gone)
    #expect(bench.stored?.deleted == ServerBench.stamp(800))
    #expect(first.revision == again.revision)
  }

  @Test mutating func `a stub is gone`() {
    bench.state.stubs.insert(ServerBench.key)
    let verdict = offer(Self.state("a", ServerBench.stamp(500)))
    #expect(verdict.kind.code == .gone)
    #expect(bench.stored == nil)
  }

  @Test mutating func `after the retention time it is late`() {
    bench.time = 900_000 + Purge.defaultRetention
    let inTime = offer(Self.state("a", ServerBench.stamp(500)))
    bench.time += 1
    let late = offer(Self.state("a", ServerBench.stamp(700)))
    #expect(inTime.kind == .applied)
    #expect(late.kind.code == .late)
    #expect(bench.title?.stamp == ServerBench.stamp(500))
  }

  @Test mutating func `an epoch that nothing is known of ended when the present one began`() {
    bench.time = 900_001 + Purge.defaultRetention
    let verdict = offer(Self.state("a", ServerBench.stamp(500), epoch: Epoch(rawValue: 99)))
    #expect(verdict.kind.code == .late)
    bench.state.ancestry = []
    let fresh = offer(Self.state("a", ServerBench.stamp(500), epoch: Epoch(rawValue: 99)))
    #expect(fresh.kind == .applied)
  }

  @Test mutating func `the present history is learnt from nobody`() {
    bench.create("mine", at: ServerBench.stamp(600))
    let verdict = offer(
      Self.state("forged", ServerBench.stamp(900), number: 9, epoch: ServerBench.epoch))
    #expect(verdict.kind == .applied)
    #expect(verdict.record?.state == bench.stored)
    #expect(bench.title?.value == .text("mine"))
  }

  @Test mutating func `inside a reset it waits`() {
    bench.state.heads["books"] = FeedHead(head: 9, fence: 4)
    let verdict = offer(Self.state("a", ServerBench.stamp(500)))
    #expect(verdict.kind == .later(.reset, afterMilliseconds: 0))
  }

  @Test mutating func `another feed than the record's, and one not asked about, are refused`() {
    bench.create()
    let other = offer(
      Self.state("a", ServerBench.stamp(500)), feed: "desk",
      asked: SyncRequest.Feed(feed: "desk"))
    let unasked = offer(Self.state("a", ServerBench.stamp(500)), feed: "")
    #expect([other, unasked].map { $0.kind.code } == [.feed, .feed])
  }

  @Test mutating func `a feed that was taken away is forbidden, and the record is not told`() {
    bench.create()
    bench.state.heads["books"]?.revoked = "left"
    let offered = offer(Self.state("a", ServerBench.stamp(500)))
    let written = bench.settle(bench.operation(["title": "b"]))
    #expect([offered, written].map { $0.kind.code } == [.forbidden, .forbidden])
    #expect(offered.record == nil)
    #expect(written.record == nil)
  }

  @Test mutating func `a stamp from the future is settled anew`() {
    _ = offer(Self.state("a", ServerBench.stamp(9_000_000)))
    #expect(bench.title?.stamp.replica == ServerBench.server)
    let deleted = Self.state(
      "a", ServerBench.stamp(500), deleted: ServerBench.stamp(9_000_000))
    _ = offer(deleted)
    #expect(bench.stored?.deleted?.replica == ServerBench.server)
  }

  @Test mutating func `a stamp from the future that is offered twice is settled once`() throws {
    let future = ServerBench.stamp(9_000_000)
    _ = offer(Self.state("a", future))
    #expect(bench.outcome.restamps.count == 1)
    let settled = try #require(bench.title?.stamp)
    let write = bench.operation(
      ["title": "b"], at: ServerBench.stamp(settled.milliseconds + 1, by: 2))
    #expect(bench.settle(write).kind == .applied)
    let written = bench.stored
    let again = offer(Self.state("a", future))
    #expect(again.kind == .applied)
    #expect(bench.outcome.restamps.isEmpty)
    #expect(bench.stored == written)
    #expect(bench.title?.value == .text("b"))
  }

  @Test mutating func `a deletion from the future that is offered twice is settled once`() {
    let deleted = Self.state(
      "a", ServerBench.stamp(500), deleted: ServerBench.stamp(9_000_000))
    _ = offer(deleted)
    let first = bench.stored
    #expect(bench.outcome.restamps.count == 1)
    _ = offer(deleted)
    #expect(bench.outcome.restamps.isEmpty)
    #expect(bench.stored == first)
  }

  @Test mutating func `an origin tells under which stamp a claim was settled before`() {
    let claim = ServerBench.stamp(9_000_000)
    let settled = ServerBench.stamp(700, by: 50)
    _ = offer(Self.state("a", settled, origin: claim))
    #expect(bench.outcome.restamps.map { $0.memory.settled } == [settled])
    // The operation whose answer was lost with the history comes again.
    let verdict = bench.settle(bench.operation(["title": "a"], at: claim))
    #expect(verdict.stamps["title"] == settled)
  }

  @Test mutating func `what would be too large is refused by name`() {
    var state = Self.state("a", ServerBench.stamp(500))
    for index in 0..<20 {
      state.fields[Key("f\(index)")] = FieldState(
        value: .text(String(repeating: "x", count: 250_000)), stamp: ServerBench.stamp(500))
    }
    let verdict = offer(state)
    #expect(verdict.kind.code == .tooLarge)
    #expect(bench.stored == nil)
  }

  @Test mutating func `what an offer needs is named before it is judged`() {
    var request = bench.request([bench.operation(["title": "b"], at: ServerBench.stamp(1, by: 4))])
    request.again = [request.operations[0].operation.id]
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 5, low: 5), feed: "desk",
        record: RecordMessage(
          key: RecordKey(table: "memo", id: RecordID(high: 0, low: 7)), state: RecordState()))
    ]
    let needs = Settlement.needs(of: request)
    #expect(needs.records.map { $0.table } == ["book", "memo"])
    #expect(needs.feeds == ["books", "desk"])
    #expect(needs.wantsAncestry)
    #expect(needs.writers == [ReplicaID(rawValue: 4)])
  }

  // MARK: - Retired replicas

  @Test mutating func `what a retired replica perhaps sent before has expired`() {
    bench.create()
    bench.state.retired = [ReplicaID(rawValue: 1)]
    let operation = bench.operation(["title": "b"], at: ServerBench.stamp(900))
    var request = bench.request([operation])
    request.again = [operation.id]
    let again = bench.settle(request)[0]
    let fresh = bench.settle(bench.operation(["title": "c"], at: ServerBench.stamp(901)))
    #expect(again.kind.code == .expired)
    #expect(again.record?.state.revision?.number == 1)
    #expect(fresh.kind == .applied)
  }

  @Test mutating func `what is remembered is still a duplicate`() {
    let operation = bench.operation(["title": "a"], creates: true)
    bench.settle(operation)
    bench.state.retired = [ReplicaID(rawValue: 1)]
    var request = bench.request([operation])
    request.again = [operation.id]
    let verdict = bench.settle(request)[0]
    #expect(verdict.kind == .duplicate)
  }
}
