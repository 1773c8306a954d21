@testable import CommuteCore
import Testing

/// Copies of records and fields, and the corners of what is kept beside values.
@Suite struct RecordMergeTests {
  static func stamp(_ milliseconds: UInt64, by replica: UInt64 = 1) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: replica))
  }

  static func record(_ milliseconds: UInt64, deleted: Stamp? = nil) -> RecordState {
    RecordState(
      fields: ["a": FieldState(value: .text("\(milliseconds)"), stamp: stamp(milliseconds))],
      deleted: deleted)
  }

  @Test func `two copies of a reviving table live where an edit is later than the deletion`() {
    let reviving = TableSchema("book", fields: [], rule: .editRevives)
    let deleted = Self.record(3, deleted: Self.stamp(5))
    for edited in [6, 7] as [UInt64] {
      #expect(Self.record(edited).merged(with: deleted, schema: reviving).deleted == nil)
      #expect(deleted.merged(with: Self.record(edited), schema: reviving).deleted == nil)
    }
    for edited in [4, 5] as [UInt64] {
      let merged = deleted.merged(with: Self.record(edited), schema: reviving)
      #expect(merged.deleted == Self.stamp(5))
    }
    #expect(Self.record(1).merged(with: Self.record(2), schema: reviving) == Self.record(2))
    let plain = TableSchema("book", fields: [])
    #expect(deleted.merged(with: Self.record(7), schema: plain).deleted == Self.stamp(5))
  }

  @Test func `a value settled late or ahead brings nothing back`() {
    let reviving = TableSchema("book", fields: [], rule: .editRevives)
    let deleted = Self.record(3, deleted: Self.stamp(5))
    for (settled, written) in [(9, 4), (4, 9), (9, 5), (5, 9)] as [(UInt64, UInt64)] {
      let edited = RecordState(
        fields: [
          "b": FieldState(
            value: .null, stamp: Self.stamp(settled), origin: Self.stamp(written))
        ])
      #expect(deleted.merged(with: edited, schema: reviving).deleted == Self.stamp(5))
    }
  }

  @Test func `of equal stamps the greater origin stays`() {
    let one = FieldState(value: .null, stamp: Self.stamp(5), origin: Self.stamp(3))
    let two = FieldState(value: .null, stamp: Self.stamp(5), origin: Self.stamp(4))
    #expect(one.merged(with: two) == two)
    #expect(two.merged(with: one) == two)
    #expect(one.laterStamps(two).origin == Self.stamp(4))
    #expect(two.laterStamps(one).origin == Self.stamp(4))
    let later = FieldState(value: .null, stamp: Self.stamp(6), origin: Self.stamp(1))
    #expect(two.laterStamps(later).origin == Self.stamp(1))
    #expect(later.laterStamps(two).stamp == Self.stamp(6))
  }

  @Test func `members of a later version merge by their bytes`() {
    var one = RecordState()
    one.unknown["x"] = Array("1".utf8)
    one.unknown["y"] = Array("8".utf8)
    var two = RecordState()
    two.unknown["x"] = Array("2".utf8)
    two.unknown["z"] = Array("3".utf8)
    for merged in [one.merged(with: two), two.merged(with: one)] {
      #expect(merged.unknown["x"] == Array("2".utf8))
      #expect(merged.unknown["y"] == Array("8".utf8))
      #expect(merged.unknown["z"] == Array("3".utf8))
    }
  }

  @Test func `a stamp the server told counts for its field alone`() {
    var record = DeviceBench()
    record.record.base = DeviceBench.state(["a": ("x", Self.stamp(1)), "b": ("x", Self.stamp(1))])
    var state = record.record.base ?? RecordState()
    let operation = Operation(
      id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
      key: DeviceBench.key, feed: "books",
      fields: [
        "a": OperationField(value: .text("y"), stamp: Self.stamp(5)),
        "b": OperationField(value: .text("y"), stamp: Self.stamp(5)),
      ])
    state.lay(operation, settled: ["a": Self.stamp(9, by: 99)])
    #expect(state.fields["a"]?.stamp == Self.stamp(9, by: 99))
    #expect(state.fields["a"]?.origin == Self.stamp(5))
    #expect(state.fields["b"]?.stamp == Self.stamp(5))
  }

  @Test func `the latest claim of each replica is settled, and what came before`() {
    var state = DecidedState()
    for replica in [3, 1, 2] as [UInt64] {
      state.note(Self.stamp(5, by: replica))
      state.note(Self.stamp(4, by: replica))
    }
    #expect(state.claims == [1, 2, 3].map { Self.stamp(5, by: $0) })
    for replica in [1, 2, 3] as [UInt64] {
      #expect(state.hasSettled(Self.stamp(4, by: replica)))
      #expect(state.hasSettled(Self.stamp(5, by: replica)))
      #expect(!state.hasSettled(Self.stamp(6, by: replica)))
    }
    #expect(!state.hasSettled(Self.stamp(1, by: 4)))
    #expect(!state.hasSettled(Self.stamp(1, by: 0)))
    state.note(Self.stamp(7, by: 2))
    #expect(state.claims[1] == Self.stamp(7, by: 2))
  }
}

/// Sums of totals at the ends of 64 bits.
@Suite struct CounterRangeTests {
  static func counter(up: [UInt64], down: [UInt64]) -> CounterState {
    var counter = CounterState()
    for (place, amount) in up.enumerated() {
      counter.raise(ReplicaID(rawValue: UInt64(place) + 1), to: CounterTotal(up: amount))
    }
    for (place, amount) in down.enumerated() {
      counter.raise(ReplicaID(rawValue: UInt64(place) + 100), to: CounterTotal(down: amount))
    }
    return counter
  }

  static let greatest = CounterTotal.greatest

  @Test func `sums beyond 64 bits are taken from each other exactly`() {
    let many = [Self.greatest, Self.greatest, 2]
    #expect(Self.counter(up: many, down: [Self.greatest, Self.greatest]).value == 2)
    #expect(Self.counter(up: [Self.greatest, Self.greatest], down: many).value == -2)
    #expect(Self.counter(up: many, down: many).value == 0)
    let more = many + [7]
    #expect(Self.counter(up: more, down: many).value == 7)
    #expect(Self.counter(up: many, down: more).value == -7)
  }

  @Test func `what is over the greatest or under the least is held`() {
    #expect(Self.counter(up: [Self.greatest], down: []).value == .max)
    #expect(Self.counter(up: [Self.greatest, 1], down: []).value == .max)
    #expect(Self.counter(up: [Self.greatest, 1], down: [1]).value == .max)
    #expect(Self.counter(up: [], down: [Self.greatest]).value == -.max)
    #expect(Self.counter(up: [], down: [Self.greatest, 1]).value == .min)
    #expect(Self.counter(up: [], down: [Self.greatest, 2]).value == .min)
    #expect(Self.counter(up: [], down: [Self.greatest, 2, Self.greatest]).value == .min)
    let four = [UInt64](repeating: Self.greatest, count: 4)
    #expect(Self.counter(up: four, down: []).value == .max)
    #expect(Self.counter(up: [], down: four).value == .min)
    #expect(Self.counter(up: four, down: [1]).value == .max)
  }

  @Test func `a total is made of a value, and of amounts up to the greatest`() {
    #expect(CounterTotal(5) == CounterTotal(up: 5, down: 0))
    #expect(CounterTotal(-5) == CounterTotal(up: 0, down: 5))
    #expect(CounterTotal(Int64(0)) == CounterTotal())
    #expect(CounterTotal(Int64.min) == CounterTotal(up: 0, down: Self.greatest))
    #expect(
      CounterTotal(up: .max, down: .max) == CounterTotal(up: Self.greatest, down: Self.greatest))
    let total = CounterTotal(up: 5, down: 3)
    #expect(total.adding(up: 2, down: 1) == CounterTotal(up: 7, down: 4))
    #expect(total.adding(up: .max, down: .max) == CounterTotal(up: .max, down: .max))
    #expect(total.subtracting(up: 2, down: 1) == CounterTotal(up: 3, down: 2))
    #expect(total.subtracting(up: 6, down: 4) == CounterTotal())
  }

  @Test func `totals are found by their replicas, whatever came first`() {
    var counter = CounterState()
    let replicas: [UInt64] = [5, 1, 3, 2, 4]
    for replica in replicas {
      counter.raise(ReplicaID(rawValue: replica), to: CounterTotal(up: replica))
    }
    #expect(counter.entries.map { $0.replica.rawValue } == [1, 2, 3, 4, 5])
    for replica in replicas {
      #expect(counter[ReplicaID(rawValue: replica)] == CounterTotal(up: replica))
    }
    #expect(counter[ReplicaID(rawValue: 6)] == CounterTotal())
    #expect(counter[CounterState.seed] == CounterTotal())
    #expect(counter.value == 15)
  }

  @Test func `of two seeds of one value the one of the greater totals stays`() {
    for (first, second) in [
      (CounterTotal(up: 5, down: 3), CounterTotal(up: 2)),
      (CounterTotal(up: 2), CounterTotal(up: 5, down: 3)),
    ] {
      var counter = CounterState()
      counter.raise(CounterState.seed, to: first)
      counter.raise(CounterState.seed, to: second)
      #expect(counter[CounterState.seed] == CounterTotal(up: 5, down: 3))
    }
  }
}
