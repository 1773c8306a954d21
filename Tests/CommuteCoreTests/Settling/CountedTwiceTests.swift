@testable import CommuteCore
import Testing

/// What a server tells a device whose counts another copy may hide, and what the device does.
@Suite struct CountedTwiceTests {
  static let one = ReplicaID(rawValue: 1)
  static let two = ReplicaID(rawValue: 2)
  var bench = ServerBench()

  init() {
    bench.settlement.tables = [
      "book": TableSchema(
        "book",
        fields: [
          FieldSchema("read", .integer, rule: .counter), FieldSchema("title", .text),
        ])
    ]
  }

  static func count(_ shares: (ReplicaID, UInt64)...) -> OperationField {
    let totals = shares.map { replica, up in
      CounterShare(replica: replica, before: CounterTotal(), after: CounterTotal(up: up))
    }
    return OperationField(
      value: .null, stamp: ServerBench.stamp(500), rule: .counter, detail: .total(totals))
  }

  mutating func counting(creates: Bool = true, key: RecordKey = ServerBench.key) -> Operation {
    var operation = bench.operation(["title": "a"], creates: creates, key: key)
    operation.fields["read"] = Self.count((Self.one, 3))
    return operation
  }

  @Test mutating func `a renewal tells the records that were counted in, each once`() {
    bench.settle(counting())
    let request = bench.request([counting(creates: false), counting(creates: false)])
    let told = Settlement.renewal(of: request, in: bench.state)
    #expect(told.map { $0.key } == [ServerBench.key])
    #expect(told.first?.state == bench.stored)
  }

  @Test mutating func `it tells nothing of what was not counted in, is not there, or not theirs`() {
    bench.settle(counting())
    let plain = bench.request([bench.operation(["title": "b"])])
    #expect(Settlement.renewal(of: plain, in: bench.state).isEmpty)
    let other = RecordKey(table: "book", id: RecordID(high: 0, low: 2))
    let missing = bench.request([counting(key: other)])
    #expect(Settlement.renewal(of: missing, in: bench.state).isEmpty)
    var elsewhere = counting(creates: false)
    elsewhere.feed = "desk"
    let request = bench.request([elsewhere])
    #expect(Settlement.renewal(of: request, in: bench.state).isEmpty)
    let revoked = bench.request([counting(creates: false)])
    bench.state.heads["books"]?.revoked = "left"
    #expect(Settlement.renewal(of: revoked, in: bench.state).isEmpty)
  }

  @Test mutating func `the replicas of a counting operation are its writer and those it raises`() {
    var operation = bench.operation(["title": "a"])
    #expect(!operation.counts)
    #expect(operation.countingReplicas.isEmpty)
    operation.fields["read"] = Self.count((Self.two, 3), (Self.one, 2))
    operation.fields["again"] = Self.count((Self.two, 1))
    #expect(operation.counts)
    #expect(operation.countingReplicas == [Self.one, Self.two])
  }

  /// An operation of replica 1 that counts on from a total to another.
  mutating func counting(
    from before: UInt64, to after: UInt64, under replica: ReplicaID = one
  ) -> Operation {
    var operation = bench.operation(["title": "a"])
    let share = CounterShare(
      replica: replica, before: CounterTotal(up: before), after: CounterTotal(up: after))
    operation.fields["read"] = OperationField(
      value: .null, stamp: ServerBench.stamp(500), rule: .counter, detail: .total([share]))
    return operation
  }

  mutating func renews(_ request: SyncRequest) -> Bool {
    bench.settle(request)
    return bench.outcome.renews
  }

  @Test mutating func `a count from below what is held renews the replica, settling nothing`() {
    bench.settle(counting())
    let before = bench.stored
    let below = bench.request([counting(from: 0, to: 2)])
    let verdicts = bench.settle(below)
    #expect(verdicts.isEmpty)
    #expect(bench.outcome.renews)
    #expect(!bench.outcome.isSettled)
    #expect(bench.stored == before)
    let above = bench.request([counting(from: 0, to: 9)])
    #expect(renews(above))
    #expect(Settlement.renewal(of: above, in: bench.state).map { $0.key } == [ServerBench.key])
  }

  @Test mutating func `a count that goes on from what is held is settled`() {
    bench.settle(counting())
    #expect(!renews(bench.request([counting(from: 3, to: 5)])))
    // What a server that was put back has forgotten is above what it holds.
    #expect(!renews(bench.request([counting(from: 8, to: 9)])))
    #expect(bench.stored?.fields["read"]?.counter[Self.one] == CounterTotal(up: 9))
  }

  @Test mutating func `what was settled comes again without a renewal`() {
    let operation = counting()
    bench.settle(operation)
    bench.settle(counting(from: 3, to: 5))
    #expect(!renews(bench.request([operation])))
    #expect(bench.outcome.verdicts.map { $0.kind } == [.duplicate])
  }

  @Test mutating func `what may have been settled is no other's where its very total is there`() {
    bench.settle(counting())
    let again = counting(from: 0, to: 3)
    let other = counting(from: 0, to: 2)
    var request = bench.request([again])
    request.again = [again.id]
    #expect(!renews(request))
    request = bench.request([counting(from: 0, to: 3)])
    #expect(renews(request))
    request = bench.request([other])
    request.again = [other.id]
    #expect(renews(request))
  }

  @Test mutating func `totals of earlier ids, of deleted records and other feeds renew nothing`() {
    bench.settle(counting())
    var request = bench.request([counting(from: 0, to: 2)], replica: 2)
    request.replicas = [Self.one]
    #expect(!renews(request))
    var elsewhere = counting(from: 0, to: 2)
    elsewhere.feed = "desk"
    #expect(!renews(bench.request([elsewhere])))
    bench.state.heads["books"]?.revoked = "left"
    #expect(!renews(bench.request([counting(from: 0, to: 2)])))
    bench.state.heads["books"]?.revoked = nil
    bench.settle(bench.operation(deleted: ServerBench.stamp(900)))
    #expect(!renews(bench.request([counting(from: 0, to: 2)])))
  }

  /// A count of which it is not known whether it was counted once or twice.
  static func conflict(kept: FieldValue?, lost: FieldValue, rule: Key = "counter") -> ConflictEntry
  {
    ConflictEntry(
      id: RecordID(high: 1, low: 1), record: ServerBench.key, field: "read", rule: rule,
      lost: lost, lostOrigin: ServerBench.stamp(5), lostBy: "ada", kept: kept,
      keptOrigin: ServerBench.stamp(5), keptBy: nil, time: 9, replicas: [one])
  }

  /// An edit in words, since edits do not compare.
  static func words(_ edit: FieldEdit) -> String {
    switch edit {
    case .set(let value): "set \(value)"
    case .count(let up, let down): "count \(up) \(down)"
    case .elements: "elements"
    case .resolve(let value): "resolve \(value)"
    }
  }

  @Test func `restoring a count that may be there twice takes the second one back`() {
    for rule: Key in ["counter", "growOnlyCounter"] {
      let twice = Self.conflict(kept: .integer(8), lost: .integer(5), rule: rule)
      #expect(Self.words(twice.restoring) == "count 0 3")
      #expect(twice.mayBeCountedTwice)
    }
    let fallen = Self.conflict(kept: .integer(2), lost: .integer(5))
    #expect(Self.words(fallen.restoring) == "count 3 0")
    let far = Self.conflict(kept: .integer(.min), lost: .integer(5))
    #expect(Self.words(far.restoring) == Self.words(.set(.integer(5))))
  }

  @Test func `restoring anything else writes the lost value`() {
    let set = Self.words(.set(.integer(5)))
    #expect(Self.words(Self.conflict(kept: nil, lost: .integer(5)).restoring) == set)
    #expect(Self.words(Self.conflict(kept: .text("a"), lost: .integer(5)).restoring) == set)
    let latest = Self.conflict(kept: .integer(8), lost: .integer(5), rule: "latest")
    #expect(Self.words(latest.restoring) == set)
    #expect(!latest.mayBeCountedTwice)
    let text = Self.conflict(kept: .integer(8), lost: .text("a"))
    #expect(Self.words(text.restoring) == Self.words(.set(.text("a"))))
  }

  @Test func `a count at the end of the range is told as it shows`() throws {
    let device = Device(
      account: .local, clock: HybridClock(replica: Self.two), earlierReplicas: [Self.one])
    let recount = Recount(
      field: "read", rule: .counter, amount: CounterTotal(up: 1), stamp: ServerBench.stamp(5),
      shown: .min)
    let conflict = recount.conflict(of: ServerBench.key, on: device, time: 3)
    #expect(conflict.lost == .integer(.min))
    #expect(conflict.kept == .integer(.min))
    #expect(conflict.replicas == [Self.one, Self.two])
    #expect(conflict.lostBy == "local")
  }

  @Test func `conflicts are the same where all of them is, and texts by their bytes`() {
    let entry = Self.conflict(kept: .integer(8), lost: .integer(5))
    var other = entry
    #expect(entry == other)
    #expect(Set([entry, other]).count == 1)
    let changes: [(inout ConflictEntry) -> Void] = [
      { $0.id = RecordID(high: 1, low: 2) }, { $0.record.table = "shelf" }, { $0.field = "a" },
      { $0.rule = "latest" }, { $0.lost = .null }, { $0.kept = nil },
      { $0.lostOrigin = ServerBench.stamp(6) }, { $0.keptOrigin = nil }, { $0.lostBy = nil },
      { $0.lostBy = "Ada" }, { $0.keptBy = "ada" }, { $0.time = 8 }, { $0.replicas = [] },
    ]
    for change in changes {
      other = entry
      change(&other)
      #expect(entry != other)
    }
    var composed = entry
    composed.lostBy = "\u{E9}"
    var decomposed = entry
    decomposed.lostBy = "e\u{301}"
    #expect(composed != decomposed)
    composed.lostBy = nil
    composed.keptBy = "\u{E9}"
    decomposed = composed
    decomposed.keptBy = "e\u{301}"
    #expect(composed != decomposed)
  }
}

/// Removals that go behind the fence.
@Suite struct RemovalPruningTests {
  static func stamp(_ milliseconds: UInt64) -> Stamp { ServerBench.stamp(milliseconds) }

  static func tag(_ number: UInt64) -> ElementTag {
    ElementTag.added(by: OperationID(high: 0, low: number), field: "labels", element: "a")
  }

  static func set(removed: [(UInt64, UInt64)]) -> FieldState {
    var set = SetState()
    for (number, time) in removed {
      set.remove(SetState.Removal(tag: tag(number), milliseconds: time))
    }
    return FieldState(set, stamp: stamp(5), origin: stamp(5))
  }

  @Test func `removals before the moment go, the others stay`() {
    var record = RecordState(fields: [
      "labels": Self.set(removed: [(1, 10), (2, 20)]), "more": Self.set(removed: [(3, 30)]),
      "title": FieldState(value: .text("a"), stamp: Self.stamp(5)),
    ])
    var isPruned = record.pruneRemovals(before: 20)
    #expect(isPruned)
    #expect(record.fields["labels"]?.set.removals.map { $0.milliseconds } == [20])
    #expect(record.fields["more"]?.set.removals.map { $0.milliseconds } == [30])
    let before = record
    isPruned = record.pruneRemovals(before: 20)
    #expect(!isPruned)
    #expect(record == before)
  }

  @Test func `what another rule keeps is not touched, also where it reads like a set`() {
    var field = Self.set(removed: [(1, 10)])
    field.merge = Array(" ".utf8) + field.merge
    var record = RecordState(fields: ["labels": field])
    let before = record
    let isPruned = record.pruneRemovals(before: 20)
    #expect(!isPruned)
    #expect(record == before)
  }
}
