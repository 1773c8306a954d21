@testable import CommuteCore
import Testing

/// What a device does where there is nothing to do, or more than it can.
@Suite struct DeviceCornerTests {
  var bench = DeviceBench()

  @Test mutating func `without rows nothing is marked, and without an offer nothing is offered`() {
    let before = bench.record
    bench.record.markInFlight(epoch: DeviceBench.epoch)
    bench.record.noteUnsettled()
    #expect(bench.record.markOffered() == nil)
    #expect(bench.record == before)
  }

  @Test mutating func `an offer taken without words is what is shown, under the revision told`() {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))], revision: 6))
    let change = EpochChange(
      known: DeviceBench.epoch, told: Epoch(rawValue: 8), ancestry: [])
    bench.record.offerAgain(after: change, id: OperationID(high: 9, low: 9))
    let shown = bench.view
    let revision = Revision(epoch: Epoch(rawValue: 8), number: 1)
    let verdict = Verdict(id: OperationID(high: 9, low: 9), kind: .applied, revision: revision)
    let outcome = bench.record.settleOffer(verdict, clock: &bench.clock, wall: bench.wall)
    #expect(outcome.isSettled)
    #expect(bench.record.offer == nil)
    #expect(bench.record.base?.revision == revision)
    #expect(bench.view == shown)
  }

  @Test mutating func `a deferred row waits for no longer than numbers go`() {
    var row = OutboxRow(
      operation: Operation(
        id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
        key: DeviceBench.key, feed: "books"))
    #expect(row.patience(1_000) == 1_000)
    row.attempts = 1
    #expect(row.patience(1_000) == 1_000)
    row.attempts = 2
    #expect(row.patience(1_000) == 2_000)
    row.attempts = 12
    #expect(row.patience(1) == 2_048)
    row.attempts = 13
    #expect(row.patience(1) == 4_096)
    row.attempts = .max
    #expect(row.patience(1) == 4_096)
    #expect(row.patience(1_000) == 3_600_000)
    #expect(row.patience(3_600_001) == 3_600_001)
    #expect(row.patience(.max) == .max)
    #expect(OutboxRow.longestDelay == 7_200_000)
  }

  @Test(
    arguments: [
      (nil, 500), (250, 250), (1, 1), (0, 1), (-1, 1), (500, 500), (501, 500), (.max, 500),
    ] as [(Int?, Int)])
  func `a stored batch is taken within its bounds`(stored: Int?, batch: Int) {
    var conversation = Conversation(
      waiting: (failure: .timedOut, due: 5), failures: 3, batch: stored)
    #expect(conversation.batch == batch)
    let effects = conversation.handle(.retryDue)
    #expect(effects == [.exchange(batch: batch)])
  }

  @Test func `an answer inside a reset is applied before more is asked`() {
    let nonce = Nonce(high: 1, low: 2)
    let build = Device.Build(
      schema: SchemaID(name: "s", version: 1, hash: 1), build: "b", device: "d")
    var device = Device(
      account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 1)),
      epoch: DeviceBench.epoch,
      feeds: ["books": FeedState(cursor: 1, grant: 1), "desk": FeedState(cursor: 1, reset: 4)])
    _ = device.begin(with: [], nonce: nonce, build: build, wall: 1)
    func answer(_ feeds: [SyncAnswer.Feed]) -> SyncAnswer {
      SyncAnswer(epoch: DeviceBench.epoch, time: 1, nonce: nonce, feeds: feeds)
    }
    func asks(_ feeds: SyncAnswer.Feed...) -> Bool {
      device.readingOn(after: answer(feeds), nonce: nonce, build: build, wall: 1) != nil
    }
    let books = SyncAnswer.Feed(feed: "books", grant: 1, cursor: 5, more: true)
    let desk = SyncAnswer.Feed(feed: "desk", grant: 1, cursor: 5)
    #expect(asks(books))
    #expect(!asks(books, desk))
  }

  @Test func `a round that another process makes is told apart, and a full disk in its words`() {
    #expect(RoundFailure.syncedElsewhere(by: "process 3").isAnothersRound)
    #expect(!RoundFailure.timedOut.isAnothersRound)
    #expect(RoundFailure.storage("the disk is full").message == "the disk is full")
    #expect(RoundFailure.storage("the disk is full").isRetryable)
    #expect(RoundFailure.syncedElsewhere(by: "process 3").isRetryable)
  }

  @Test func `every refusal of a write names what it is about`() {
    let key = DeviceBench.key
    #expect(
      WriteRefusal.cannotFall(key, field: "read").message
        == "book.read only rises; use the rule counter for totals that fall, too")
    #expect(WriteRefusal.ruleUnknown(key, field: "read").message.hasPrefix("book.read is kept by"))
    #expect(
      WriteRefusal.tooLarge(key, bytes: 9, limit: 8).message.contains("takes 9 bytes, an operation")
    )
  }

  @Test(arguments: [
    (100, RoundFailure.notAnAnswer("status 100")), (399, .notAnAnswer("status 399")),
    (99, .refused(status: 99)), (400, .refused(status: 400)), (402, .refused(status: 402)),
    (510, .unavailable(status: 510, retryAfterMilliseconds: 0)), (410, .refused(status: 410)),
    (512, .unavailable(status: 512, retryAfterMilliseconds: 0)), (600, .refused(status: 600)),
    (499, .refused(status: 499)), (424, .refused(status: 424)), (427, .refused(status: 427)),
    (412, .refused(status: 412)), (414, .refused(status: 414)), (430, .refused(status: 430)),
  ])
  func `a status beside those that are known is refused`(status: Int, failure: RoundFailure) {
    #expect(RoundFailure(status: status) == failure)
  }
}

/// Writes under rules whose edits are more than a value.
@Suite struct RuleCornerTests {
  var bench = RuleBench()

  @Test mutating func `resolving what is settled writes nothing, and another value does`() throws {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    var names = try bench.edit(0, ["both": .resolve(.text("a"))])
    #expect(names.isEmpty)
    try bench.set(1, ["both": .text("b")])
    names = try bench.edit(0, ["both": .resolve(.text("c"))])
    #expect(names == ["both"])
    try bench.sync()
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.count == 2)
    let shown = try #require(bench.shown(0, "both"))
    names = try bench.edit(0, ["both": .resolve(shown)])
    #expect(names == ["both"])
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [shown])
  }

  @Test mutating func `the value that shows is not written again under maximum and minimum`() throws
  {
    try bench.create(0, ["best": .integer(5), "least": .integer(5)])
    try bench.sync()
    var names = try bench.set(0, ["best": .integer(5), "least": .integer(5)])
    #expect(names.isEmpty)
    names = try bench.set(0, ["best": .integer(4), "least": .integer(6)])
    #expect(names.isEmpty)
    names = try bench.set(0, ["best": .integer(6), "least": .integer(4)])
    #expect(names == ["best", "least"])
  }

  @Test mutating func `a new record's sums and sets may have no value`() throws {
    let names = try bench.create(0, ["count": .null, "labels": .null, "title": .text("a")])
    #expect(names == ["title"])
    #expect(throws: WriteRefusal.editDoesNotFit(RuleTable.key, field: "count", rule: .counter)) {
      try bench.set(0, ["count": .null])
    }
    #expect(throws: WriteRefusal.editDoesNotFit(RuleTable.key, field: "labels", rule: .set)) {
      try bench.set(0, ["labels": .null])
    }
  }

  @Test mutating func `values that stand side by side come back as they stood`() throws {
    bench = RuleBench(table: RuleTable.reviving)
    try bench.create(0, ["both": .text("a"), "title": .text("t")])
    try bench.sync()
    try bench.set(0, ["both": .text("b")])
    try bench.set(1, ["both": .text("c")])
    try bench.sync()
    let siblings = bench.stored?.fields["both"]?.siblings
    #expect(siblings?.count == 2)
    try bench.delete(0)
    try bench.sync()
    let names = try bench.set(0, ["title": .text("u")])
    #expect(names == ["title"])
    try bench.sync()
    #expect(bench.stored?.deleted == nil)
    #expect(bench.stored?.fields["both"]?.siblings == siblings)
  }

  @Test mutating func `what a refused value had replaced is replaced by the one behind it`() throws
  {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    let first = try #require(bench.stored?.fields["both"]?.origin)
    try bench.set(0, ["both": .text("b")])
    let refused = try bench.sent(0)
    try bench.set(0, ["both": .text("c")])
    let behind = bench.phones[0].record.rows[1].operation.fields["both"]
    #expect(behind?.detail == .replaces([try #require(refused.fields["both"]?.stamp)]))
    bench.take(0, Verdict(id: refused.id, kind: .rejected(.invalid, message: "no")))
    #expect(bench.phones[0].record.rows[0].operation.fields["both"]?.detail == .replaces([first]))
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("c")])
  }

  @Test mutating func `a value stamped anew before it left is still replaced by the next`() throws {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    try bench.set(0, ["both": .text("b")])
    let first = try bench.sent(0)
    try bench.set(0, ["both": .text("c")])
    // Under another replica id what is written stands behind in a row of its own.
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    try bench.set(0, ["both": .text("d")])
    bench.time += 50_000
    let verdict = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, verdict)
    let rows = bench.phones[0].record.rows
    #expect(rows.count == 2)
    let lifted = try #require(rows[0].operation.fields["both"]?.stamp)
    #expect((verdict.stamps["both"] ?? .floor) < lifted)
    #expect(rows[1].operation.fields["both"]?.detail == .replaces([lifted]))
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("d")])
  }

  @Test mutating func `a value that a file sent before it was put back is replaced by the next`()
    throws
  {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    try bench.set(0, ["both": .text("b")])
    let first = try bench.sent(0)
    try bench.set(0, ["both": .text("c")])
    let copy = bench.phones[0]
    bench.time += 50_000
    bench.take(0, bench.settle(0, [first], user: "ada")[0])
    let second = try bench.sent(0)
    _ = bench.settle(0, [second], user: "ada")
    // The file goes back to when both waited, and goes on under another id.
    bench.phones[0] = copy
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    bench.time += 50_000
    try bench.set(0, ["both": .text("d")])
    bench.take(0, bench.settle(0, [first], user: "ada")[0])
    let again = try bench.sent(0)
    let stamps = [second, again].compactMap { $0.fields["both"]?.stamp }.sorted()
    #expect(Set(stamps).count == 2)
    let verdict = bench.settle(0, [again], user: "ada")[0]
    #expect(verdict.kind.code == .mismatch)
    bench.take(0, verdict)
    let rows = bench.phones[0].record.rows
    #expect(rows.map { $0.operation.fields["both"]?.detail } == [.replaces(stamps)])
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("d")])
  }

  @Test mutating func `a refused value under keepBoth comes back as what it was`() throws {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    try bench.set(0, ["both": .text("b")])
    let change = try #require(try bench.sent(0).fields["both"])
    let shown = try #require(bench.stored?.fields["both"])
    // It had replaced all that shows, or there is nothing: it resolves.
    #expect(CountedTwiceTests.words(change.edit(over: shown)) == "resolve \(FieldValue.text("b"))")
    #expect(CountedTwiceTests.words(change.edit(over: nil)) == "resolve \(FieldValue.text("b"))")
    try bench.set(1, ["both": .text("c")])
    try bench.push(1)
    let later = try #require(bench.stored?.fields["both"])
    #expect(CountedTwiceTests.words(change.edit(over: later)) == "set \(FieldValue.text("b"))")
    #expect(change.wanted == .text("b"))
  }
}

/// Counts that move to another replica id, in files that hold more than one row or none.
@Suite struct RecountCornerTests {
  static let old = RenewalTests.old
  static let new = RenewalTests.new
  var record = DeviceRecord(key: DeviceBench.key, feed: "books", table: RenewalTests.schema)
  var context = WriteContext(clock: HybridClock(replica: old), wall: 100, schema: 1)

  func id(_ number: UInt64) -> OperationID { OperationID(high: 0, low: number) }

  mutating func renew(told: RecordState?) -> [Recount] {
    context.clock = HybridClock(replica: Self.new, last: context.clock.last)
    return record.recount(
      told: told, from: Self.old, operation: OperationID(high: 9, low: 9), context: &context)
  }

  @Test mutating func `a creation that another copy made, too, keeps its other totals`() throws {
    try record.seed(["read": .integer(5)], operation: id(1), context: &context)
    try record.change(["read": .add(2)], operation: id(2), context: &context)
    #expect(record.rows.count == 1)
    record.rows[0].operation.digest = SHA256.Digest(first: 1, second: 2, third: 3, fourth: 4)
    let moved = renew(told: RenewalTests.state((Self.old, 4)))
    #expect(moved.map { $0.amount } == [CounterTotal(up: 2)])
    #expect(moved.map { $0.shown } == [7])
    let none = SHA256.Digest(first: 0, second: 0, third: 0, fourth: 0)
    #expect(record.rows[0].operation.digest == none)
    let seed = CounterShare(
      replica: CounterState.seed, before: CounterTotal(), after: CounterTotal(up: 5))
    #expect(record.rows.map { $0.operation.replica } == [Self.old, Self.new])
    #expect(record.rows[0].operation.fields["read"]?.detail == .total([seed]))
  }

  @Test mutating func `rows that say nothing of the counter stay as they are`() throws {
    record.base = RenewalTests.state((Self.old, 3))
    try record.change(["title": .text("b")], operation: id(1), context: &context)
    record.markInFlight(epoch: DeviceBench.epoch)
    record.rows[0].bytes = [1]
    let first = record.rows[0]
    try record.change(["read": .add(2)], operation: id(2), context: &context)
    let moved = renew(told: RenewalTests.state((Self.old, 4)))
    #expect(moved.map { $0.shown } == [5])
    #expect(record.rows.count == 2)
    #expect(record.rows[0] == first)
  }

  @Test mutating func `where the count cannot be written anew nothing is moved`() throws {
    record.base = RenewalTests.state((Self.old, 3))
    try record.change(["read": .add(2)], operation: id(1), context: &context)
    record.table = nil
    let before = record
    let moved = renew(told: RenewalTests.state((Self.old, 4)))
    #expect(moved.isEmpty)
    #expect(record == before)
  }
}
