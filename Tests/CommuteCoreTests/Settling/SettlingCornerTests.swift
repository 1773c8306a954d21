import CommuteCore
import Testing

/// Verdicts that only rarely come: rules of the server's own that wait, claims settled long ago,
/// clocks at their start.
@Suite struct SettlingCornerTests {
  var bench = ServerBench()

  @Test mutating func `a rule that cannot judge yet defers and tells nothing`() {
    bench.create()
    bench.settlement.validate = { _ in .later(afterMilliseconds: 7_000) }
    let verdict = bench.settle(bench.operation(["title": "b"]))
    #expect(verdict.kind == .later(.unavailable, afterMilliseconds: 7_000))
    #expect(verdict.record == nil)
    #expect(verdict.revision == nil)
    #expect(bench.title?.value == .text("first"))
  }

  @Test mutating func `a rule that forbids tells the record as it is`() {
    bench.create()
    bench.settlement.validate = { _ in .forbidden("not yours") }
    let verdict = bench.settle(bench.operation(["title": "b"]))
    #expect(verdict.kind == .rejected(.forbidden, message: "not yours"))
    #expect(verdict.record?.state == bench.stored)
    #expect(verdict.revision == bench.stored?.revision)
  }

  @Test mutating func `a feed may be read only, and a write of it is refused with its name`() {
    bench.state.heads["books"] = FeedHead(isReadOnly: true)
    let verdict = bench.settle(bench.operation(["title": "b"], creates: true))
    #expect(verdict.kind.code == .forbidden)
    guard case .rejected(_, let message) = verdict.kind else { return }
    #expect(message.contains("books"))
  }

  @Test mutating func `a claim settled at the very start of time keeps its order`() {
    bench.time = 1
    let far = ServerBench.stamp(9_000_000, by: 2)
    let farther = ServerBench.stamp(9_000_001)
    bench.create("late", at: farther)
    let settled = bench.title?.stamp
    #expect(settled?.milliseconds == 1)
    bench.settle(bench.operation(["title": "early"], at: far))
    #expect(bench.title?.value == .text("late"))
    #expect(bench.title?.stamp == settled)
    let memory = bench.state.restamps.values.first ?? []
    #expect(memory.count == 2)
    #expect(memory.last.map { $0.settled < (settled ?? .floor) } == true)
  }

  @Test mutating func `a claim that is from the future no longer is measured by its own replica`() {
    let ahead = ServerBench.stamp(2_000_000)
    bench.create("one", at: ahead)
    bench.settle(
      bench.operation(["title": "two"], at: ServerBench.stamp(2_500_000, by: 2)))
    bench.time = 1_960_000
    let before = bench.state.restamps.values.first?.count
    #expect(before == 2)
    // Of the first replica, and before what it claimed: its own memory alone counts.
    bench.settle(bench.operation(["title": "three"], at: ServerBench.stamp(1_900_000)))
    let memory = bench.state.restamps.values.first ?? []
    let first = memory.first { $0.claimed == ahead }
    let last = memory.last
    #expect(memory.count == 3)
    #expect(last?.claimed == ServerBench.stamp(1_900_000))
    #expect((last?.settled ?? .floor) < (first?.settled ?? .floor))
    #expect(
      last?.settled.milliseconds == (first?.settled.milliseconds).map { $0 - 1 })
  }

  @Test mutating func `a memory loses the replicas that are retired, and keeps the others`() {
    bench.create("one", at: ServerBench.stamp(2_000_000))
    bench.settle(bench.operation(["title": "two"], at: ServerBench.stamp(2_500_000, by: 2)))
    let devices = [
      Purge.Progress(replica: ReplicaID(rawValue: 1), seenAt: 0, cursors: [:]),
      Purge.Progress(replica: ReplicaID(rawValue: 2), seenAt: Purge.defaultRetention, cursors: [:]),
    ]
    bench.state.purge(Purge(time: Purge.defaultRetention + 1, devices: devices)) { _ in 0 }
    let memory = bench.state.restamps.values.first ?? []
    #expect(memory.map { $0.replica } == [ReplicaID(rawValue: 2)])
    #expect(bench.state.retired == [ReplicaID(rawValue: 1)])
  }

  @Test mutating func `a feed that a request does not ask about takes no offer`() {
    bench.settlement.takesOffers = true
    var request = bench.request([], feeds: [SyncRequest.Feed(feed: "desk")])
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 5, low: 5), feed: "books",
        record: RecordMessage(key: ServerBench.key, state: RecordState()))
    ]
    let verdict = bench.settle(request)[0]
    #expect(verdict.kind.code == .feed)
    guard case .rejected(_, let message) = verdict.kind else { return }
    #expect(message == "the request does not ask about the feed books")
    #expect(bench.stored == nil)
  }

  @Test mutating func `a retired replica's sums are taken once more, unless the record is gone`() {
    bench.settlement.tables = [
      "book": TableSchema("book", fields: [FieldSchema("best", .integer, rule: .maximum)])
    ]
    bench.create()
    bench.state.retired = [ReplicaID(rawValue: 1)]
    func again(_ operation: Operation) -> RejectionCode? {
      var request = bench.request([operation])
      request.again = [operation.id]
      return bench.settle(request)[0].kind.code
    }
    var best = bench.operation()
    best.fields["best"] = OperationField(
      value: .integer(7), stamp: ServerBench.stamp(600), rule: .maximum)
    var code = again(best)
    #expect(code == nil)
    #expect(bench.stored?.fields["best"]?.value == .integer(7))
    code = again(bench.operation(["title": "b"]))
    #expect(code == .expired)
    code = again(bench.operation())
    #expect(code == .expired)
    code = again(bench.operation(deleted: ServerBench.stamp(700)))
    #expect(code == .expired)
    best.id = OperationID(high: 3, low: 3)
    best.deleted = ServerBench.stamp(700)
    code = again(best)
    #expect(code == .expired)
    best.deleted = nil
    bench.settle(
      bench.operation(at: ServerBench.stamp(800, by: 2), deleted: ServerBench.stamp(800, by: 2)))
    best.id = OperationID(high: 3, low: 4)
    code = again(best)
    #expect(code == .expired)
  }
}

/// Claims from the future that come again, and deletions among them.
@Suite struct ReclaimingTests {
  var bench = ServerBench()

  @Test mutating func `a deletion claimed again under another id keeps its stamp`() {
    bench.create()
    let claimed = ServerBench.stamp(9_000_000)
    let first = bench.settle(bench.operation(deleted: claimed))
    bench.time += 1_000
    let again = bench.settle(bench.operation(deleted: claimed))
    #expect(first.deleted?.replica == ServerBench.server)
    #expect(again.deleted == first.deleted)
    #expect(bench.stored?.deleted == first.deleted)
    #expect(bench.outcome.restamps.isEmpty)
  }

  @Test mutating func `a claim is settled right above what its writer saw, if there is room`() {
    let ahead = ServerBench.stamp(9_000_000)
    bench.create("late", at: ahead)
    let settled = bench.title?.stamp ?? .floor
    func settle(seeing time: UInt64, at claim: UInt64) -> Stamp {
      let seen = Stamp(time: time, replica: ReplicaID(rawValue: 5))
      let stamp = ServerBench.stamp(claim, by: 2)
      bench.settle(
        bench.operation(["title": "x"], at: stamp, over: Over(stamp: seen, origin: seen)))
      let memories = bench.state.restamps.values.first ?? []
      return memories.first { $0.claimed == stamp }?.settled ?? .floor
    }
    let millisecond: UInt64 = 1 << 16
    let far = settle(seeing: settled.time - 2 * millisecond, at: 8_000_000)
    #expect(far.time == settled.time - millisecond)
    let near = settle(seeing: settled.time - 3, at: 8_500_000)
    #expect(near.time == settled.time - 2)
    #expect(near.replica == settled.replica)
    let none = settle(seeing: settled.time - 1, at: 8_600_000)
    #expect(settled < none)
  }

  @Test mutating func `of several later claims the earliest settled one counts`() {
    let claims: [UInt64] = [9_000_000, 9_500_000, 9_200_000]
    var settled: [Stamp] = []
    for (place, claim) in claims.enumerated() {
      let stamp = ServerBench.stamp(claim, by: UInt64(place) + 1)
      bench.create("\(claim)", at: stamp)
      bench.time += 1_000
      let memories = bench.state.restamps.values.first ?? []
      settled.append(memories.first { $0.claimed == stamp }?.settled ?? .floor)
    }
    // The third lies below the second, and the fourth below the first of them.
    #expect(settled[2] < settled[1])
    let lowest = ServerBench.stamp(8_000_000, by: 4)
    bench.settle(bench.operation(["title": "lowest"], at: lowest))
    let memories = bench.state.restamps.values.first ?? []
    let last = memories.first { $0.claimed == lowest }?.settled ?? .floor
    #expect(last.milliseconds == settled[0].milliseconds - 1)
    #expect(last < settled.min() ?? .floor)
  }
}

/// Rules that the server decides, where a write comes again or out of nowhere.
@Suite struct DecidingCornerTests {
  var bench = RuleBench()

  @Test(arguments: ["server", "client", "both", "note"] as [Key])
  mutating func `the same write under another operation id changes nothing`(field: Key) throws {
    try bench.create(0, [field: .text("a")])
    try bench.push(0)
    try bench.set(0, [field: .text("b")])
    var operation = try bench.sent(0)
    _ = bench.settle(0, [operation], user: "ada")
    let before = bench.stored
    operation.id = OperationID(high: 77, low: 1)
    operation.digest = SHA256.Digest(first: 1, second: 1, third: 1, fourth: 1)
    let verdict = bench.settle(0, [operation], user: "ada")[0]
    #expect(verdict.kind == .applied)
    #expect(verdict.stamps[field] == before?.fields[field]?.stamp)
    #expect(bench.stored == before)
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `under clientWins a writer that knew no history wins like any other`() throws
  {
    try bench.create(0, ["client": .text("a")])
    try bench.sync()
    try bench.set(0, ["client": .text("b")])
    try bench.set(1, ["client": .text("c")])
    try bench.push(0)
    bench.phones[1].epoch = nil
    try bench.push(1, user: "ben")
    #expect(bench.held("client") == .text("c"))
    #expect(bench.conflicts.map { $0.lost } == [.text("b")])
  }

  @Test mutating func `an own value that was sent by a copy is told to both its files`() throws {
    try bench.create(0, ["server": .text("start")])
    try bench.sync()
    try bench.set(1, ["server": .text("other")])
    try bench.set(0, ["server": .text("mine")])
    try bench.push(1, user: "ben")
    var operation = try bench.sent(0)
    operation.replica = ReplicaID(rawValue: 8)
    _ = bench.settle(0, [operation], user: "ada")
    #expect(
      bench.conflicts.map { $0.replicas } == [[ReplicaID(rawValue: 1), ReplicaID(rawValue: 8)]])
  }

  @Test mutating func `a write that says nothing of what it saw loses, and a text merges whole`()
    throws
  {
    try bench.create(0, ["server": .text("a"), "note": .text("one")])
    try bench.sync()
    try bench.set(0, ["server": .text("b"), "note": .text("one two")])
    var operation = try bench.sent(0)
    for field: Key in ["server", "note"] {
      operation.fields[field]?.over = nil
      operation.fields[field]?.base = nil
    }
    _ = bench.settle(0, [operation], user: "ada")
    #expect(bench.held("server") == .text("a"))
    #expect(bench.held("note") == .text("one one two"))
  }

  @Test mutating func `what an edit of a deleted record might find is told beforehand`() throws {
    try bench.create(0, ["title": .text("a"), "count": .integer(1)])
    try bench.sync()
    try bench.edit(1, ["title": .set(.text("b")), "count": .add(1)])
    try bench.delete(0)
    try bench.push(0)
    let late = try bench.sent(1)
    let expected = Settlement.conflicts(of: late, on: bench.state.records[RuleTable.key])
    _ = bench.settle(1, [late], user: "ben")
    let found = bench.outcome.changedRecords.filter { $0.table == ConflictEntry.table }
    #expect(found.count == 1)
    #expect(Set(expected).isSuperset(of: found))
  }
}
