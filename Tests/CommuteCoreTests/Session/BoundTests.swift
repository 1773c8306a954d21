@testable import CommuteCore
import Testing

/// Numbers that are held within bounds, each at its bound and beside it.
@Suite struct BoundTests {
  @Test func `a delay doubles forty times at most`() {
    let backoff = Backoff(firstDelay: 1, delayLimit: .max, leastDelay: 0)
    #expect(backoff.ceiling(afterFailures: 40) == 1 << 39)
    #expect(backoff.ceiling(afterFailures: 41) == 1 << 40)
    #expect(backoff.ceiling(afterFailures: 42) == 1 << 40)
    #expect(backoff.ceiling(afterFailures: .max) == 1 << 40)
    let usual = Backoff()
    #expect([usual.firstDelay, usual.delayLimit, usual.leastDelay] == [1_000, 300_000, 100])
    #expect(usual.delay(afterFailures: 1, draw: 0) == 100)
  }

  @Test func `failures are counted up to the greatest number`() {
    var conversation = Conversation(waiting: (failure: .timedOut, due: 5), failures: .max)
    _ = conversation.handle(.retryDue)
    let effects = conversation.handle(.failed(.unreachable("lost"), wall: 0, draw: 0))
    #expect(conversation.failures == .max)
    #expect(effects == [.scheduleRetry(at: 100, afterMilliseconds: 100)])
    #expect(Conversation().failures == 0)
    #expect(Conversation.greatestBatch == 500)
  }

  @Test func `a time and a delay stay in range`() {
    #expect(Int64(5).adding(milliseconds: 7) == 12)
    #expect(Int64(5).adding(milliseconds: .max) == 5 + (1 << 50))
    #expect(Int64(5).adding(milliseconds: 1 << 50) == 5 + (1 << 50))
    #expect(Int64.max.adding(milliseconds: 1) == .max)
    #expect(Int64.min.adding(milliseconds: 1) == .min + 1)
  }

  @Test func `a page takes a hundred thousand records at most, and one at least`() {
    func taken(_ records: UInt64) -> Int {
      var budget = PageBudget(limit: SyncRequest.Limit(bytes: .max, records: records))
      var count = 0
      while budget.take(0) { count += 1 }
      return count
    }
    #expect(taken(.max) == 100_000)
    #expect(taken(100_001) == 100_000)
    #expect(taken(99_999) == 99_999)
    #expect([taken(0), taken(1), taken(2)] == [1, 1, 2])
  }

  @Test func `each ability is one of its own`() {
    let abilities: [Device.Abilities] = [.reset, .epochs, .revocation]
    #expect(abilities.map { $0.rawValue } == [1, 2, 4])
    #expect(Device.Abilities.all.rawValue == 7)
  }

  @Test func `a new row and a new offer were never sent`() {
    let operation = Operation(
      id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
      key: DeviceBench.key, feed: "books")
    let row = OutboxRow(operation: operation)
    #expect(row.order == 0)
    #expect(!row.isInFlight)
    #expect(row.bytes.isEmpty)
    #expect([row.attempts, row.unanswered] == [0, 0])
    #expect(row.notBefore == 0)
    let offer = RecordOffer(id: operation.id, state: RecordState())
    #expect(offer.attempts == 0)
    #expect(offer.notBefore == 0)
    let device = Device(account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 1)))
    #expect(device.number == 0)
    let head = FeedHead()
    #expect([head.head, head.fence, head.grant] == [0, 0, 1])
    #expect(!head.isReadOnly)
    #expect(FeedState().fence == 0)
    #expect(!Settlement().takesOffers)
    #expect(Settlement().retention == 7_776_000_000)
  }

  @Test mutating func `a change that is too large is told by what it takes`() throws {
    var bench = RuleBench()
    let huge = String(repeating: "x", count: Limits.operationBytes)
    try bench.create(0, ["labels": .list(["old", "older"])])
    let edits: FieldMap<FieldEdit> = [
      "count": .add(1), "labels": .elements(insert: [huge], remove: ["old", "older"]),
      "title": .set(.text("abc")),
    ]
    let bytes = 256 + 5 + 80 + 6 + Limits.operationBytes + 44 + 2 * 40 + 5 + 5
    let refusal = WriteRefusal.tooLarge(
      RuleTable.key, bytes: bytes, limit: Limits.operationBytes)
    #expect(throws: refusal) { try bench.edit(0, edits) }
  }

  @Test mutating func `what just fits is taken, and a byte more is not`() throws {
    var bench = RuleBench()
    let room = Limits.operationBytes - 256 - 5 - 2
    let refusal = WriteRefusal.tooLarge(
      RuleTable.key, bytes: Limits.operationBytes + 1, limit: Limits.operationBytes)
    #expect(throws: refusal) {
      try bench.create(0, ["title": .text(String(repeating: "x", count: room + 1))])
    }
    let names = try bench.create(0, ["title": .text(String(repeating: "x", count: room))])
    #expect(names == ["title"])
  }

  @Test mutating func `an offer that nobody takes is a creation of its latest writer`() {
    var bench = DeviceBench()
    bench.absorb(
      DeviceBench.state(
        ["a": ("x", DeviceBench.stamp(5, by: 3)), "b": ("y", DeviceBench.stamp(4))], revision: 6))
    let id = OperationID(high: 9, low: 9)
    bench.record.offerAgain(
      after: EpochChange(known: DeviceBench.epoch, told: Epoch(rawValue: 8), ancestry: []), id: id)
    let verdict = Verdict(id: id, kind: .rejected(.late, message: "late"))
    let outcome = bench.record.settleOffer(verdict, clock: &bench.clock, wall: 1)
    let operation = outcome.rejections.first?.row.operation
    #expect(operation?.schema == 0)
    #expect(operation?.creates == true)
    #expect(operation?.replica == ReplicaID(rawValue: 3))
  }
}
