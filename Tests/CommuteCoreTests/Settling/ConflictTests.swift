import CommuteCore
import Testing

@Suite struct ConflictTests {
  var bench = RuleBench()

  private mutating func diverge(_ first: String = "a", _ second: String = "b") throws {
    try bench.create(0, ["title": .text("start")])
    try bench.sync()
    try bench.set(0, ["title": .text(first)])
    try bench.set(1, ["title": .text(second)])
  }

  @Test mutating func `a later value that replaces an unseen one makes a conflict of it`() throws {
    try diverge()
    try bench.push(0)
    try bench.push(1, user: "ben")
    let conflict = try #require(bench.conflicts.first)
    #expect(bench.conflicts.count == 1)
    #expect(conflict.record == RuleTable.key)
    #expect(conflict.field == "title")
    #expect(conflict.rule == "latest")
    #expect(conflict.lost == .text("a"))
    #expect(conflict.kept == .text("b"))
    #expect(conflict.keptBy == "ben")
    #expect(conflict.lostBy == nil)
    #expect(conflict.replicas == [ReplicaID(rawValue: 1)])
    #expect(conflict.keptOrigin == bench.stored?.fields["title"]?.origin)
  }

  @Test mutating func `an earlier value that comes later loses`() throws {
    try diverge()
    try bench.push(1)
    try bench.push(0, user: "ada")
    let conflict = try #require(bench.conflicts.first)
    #expect(conflict.lost == .text("a"))
    #expect(conflict.lostBy == "ada")
    #expect(bench.conflicts.count == 1)
  }

  @Test mutating func `a conflict gets a revision of its own and is named among what changed`()
    throws
  {
    try diverge()
    try bench.push(0)
    try bench.push(1)
    let keys = bench.outcome.changedRecords
    #expect(keys.count == 2)
    let numbers = keys.compactMap { bench.state.records[$0]?.state.revision?.number }
    #expect(numbers == [3, 4])
    #expect(bench.state.heads["items"]?.head == 4)
    #expect(keys.last.flatMap { bench.state.records[$0]?.feed } == "items")
  }

  @Test mutating func `seen values, same values, own values and seeds make none`() throws {
    try bench.seed(0, ["title": .text("seed")])
    try bench.seed(1, ["title": .text("other seed")])
    try bench.sync()
    try bench.set(0, ["title": .text("a")])
    try bench.sync()
    try bench.set(1, ["title": .text("b")])
    try bench.sync()
    try bench.set(0, ["title": .text("same")])
    try bench.set(1, ["title": .text("same")])
    try bench.sync()
    try bench.set(0, ["title": .text("c")])
    let first = try bench.sent(0)
    try bench.set(0, ["title": .text("d")])
    let verdict = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, verdict)
    try bench.sync()
    #expect(bench.held("title") == .text("d"))
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `a conflict is found once, also if it was dismissed`() throws {
    try diverge()
    var lost = try bench.sent(0)
    try bench.push(1)
    try bench.push(0)
    let key = try #require(bench.state.records.keys.first { $0.table == ConflictEntry.table })
    let head = try #require(bench.state.heads["items"]?.head)
    lost.id = OperationID(high: 77, low: 1)
    _ = bench.settle(0, [lost], user: "ada")
    #expect(bench.state.heads["items"]?.head == head)
    // Dismissing deletes the record.
    let dismissal = Operation(
      id: OperationID(high: 77, low: 2), schema: 1, replica: ReplicaID(rawValue: 1), key: key,
      feed: "items", deleted: Stamp(time: 1 << 40, replica: ReplicaID(rawValue: 1)))
    #expect(bench.settle(0, [dismissal], user: "ada")[0].kind == .applied)
    #expect(bench.conflicts.isEmpty)
    lost.id = OperationID(high: 77, low: 3)
    _ = bench.settle(0, [lost], user: "ada")
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `an edit of a deleted record is a conflict without a value that was kept`()
    throws
  {
    try bench.create(0, ["title": .text("a"), "count": .integer(1)])
    try bench.sync()
    try bench.delete(0)
    try bench.edit(1, ["title": .set(.text("late")), "count": .add(1)])
    try bench.push(0)
    try bench.push(1, user: "ben")
    let conflict = try #require(bench.conflicts.first)
    #expect(bench.conflicts.count == 1)
    #expect(conflict.lost == .text("late"))
    #expect(conflict.kept == nil)
    #expect(conflict.keptOrigin == nil)
    #expect(conflict.lostBy == "ben")
  }

  @Test mutating func `a deletion and seeds of a deleted record are none`() throws {
    try bench.create(0, ["title": .text("a")])
    try bench.sync()
    try bench.delete(0)
    try bench.delete(1)
    bench.phones.append(RuleBench(phones: 3).phones[2])
    try bench.seed(2, ["title": .text("seed")])
    for phone in 0..<3 { try bench.push(phone) }
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `a lost claim from the future is no stamp of the server's state`() throws {
    try bench.create(0, ["server": .text("a")])
    try bench.sync()
    try bench.set(0, ["server": .text("b")])
    bench.time += 10_000_000
    try bench.set(1, ["server": .text("ahead")])
    bench.time -= 10_000_000
    try bench.push(0)
    try bench.push(1)
    #expect(bench.conflicts.count == 1)
    for stored in bench.state.records.values {
      #expect(stored.state.greatestStamp.milliseconds <= UInt64(bench.time) + 60_000)
    }
    #expect(bench.conflicts.first?.lostOrigin.milliseconds ?? 0 > UInt64(bench.time) + 60_000)
  }

  @Test mutating func `a refused operation finds no conflict`() throws {
    try diverge()
    try bench.push(1)
    bench.settlement.validate = { _ in .invalid("no") }
    let operation = try bench.sent(0)
    #expect(bench.settle(0, [operation], user: "ada")[0].kind.code == .invalid)
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `what might be found is told beforehand, and nothing for ordinary changes`()
    throws
  {
    try diverge()
    let stored = bench.state.records[RuleTable.key]
    let ordinary = try bench.sent(0)
    #expect(Settlement.conflicts(of: ordinary, on: stored).isEmpty)
    #expect(Settlement.conflicts(of: ordinary, on: nil).isEmpty)
    try bench.push(0)
    let late = try bench.sent(1)
    let expected = Set(Settlement.conflicts(of: late, on: bench.state.records[RuleTable.key]))
    try bench.push(1)
    let found = bench.outcome.changedRecords.filter { $0.table == ConflictEntry.table }
    #expect(found.count == 1)
    #expect(expected.isSuperset(of: found))
  }

  @Test mutating func `it is addressed to the files of the device that lost`() throws {
    try diverge()
    try bench.push(0)
    try bench.push(1)
    let conflict = try #require(bench.conflicts.first)
    let account = Account(tenant: "home", user: "ada")
    var device = Device(account: account, clock: HybridClock(replica: ReplicaID(rawValue: 1)))
    #expect(conflict.isAddressed(to: device))
    device.renewReplica(to: ReplicaID(rawValue: 8))
    #expect(conflict.isAddressed(to: device))
    let other = Device(account: account, clock: HybridClock(replica: ReplicaID(rawValue: 2)))
    #expect(!conflict.isAddressed(to: other))
    guard case .set(.text("a")) = conflict.restoring else {
      Issue.record("restoring writes something else")
      return
    }
  }

  @Test mutating func `a record that is no conflict, or half of one, is none`() throws {
    try diverge()
    try bench.push(0)
    try bench.push(1)
    let key = try #require(bench.state.records.keys.first { $0.table == ConflictEntry.table })
    let state = try #require(bench.state.records[key]?.state)
    #expect(ConflictEntry(key: key, state: state) != nil)
    #expect(ConflictEntry(key: RuleTable.key, state: state) == nil)
    for name: Key in ["table", "record", "field", "rule", "lost", "time", "devices"] {
      var half = state
      half.fields[name] = nil
      #expect(ConflictEntry(key: key, state: half) == nil)
    }
    let message = RecordMessage(key: key, state: state)
    let back = try RecordMessage(json: message.encodedJSON())
    #expect(ConflictEntry(key: key, state: back.state) == bench.conflicts.first)
  }
}
