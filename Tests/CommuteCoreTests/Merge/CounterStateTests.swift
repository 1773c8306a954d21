import CommuteCore
import Testing

@Suite struct CounterStateTests {
  static let phone = ReplicaID(rawValue: 1)
  static let tablet = ReplicaID(rawValue: 2)

  @Test func `a counter shows what was added less what was taken away`() {
    var counter = CounterState()
    counter.raise(Self.phone, to: CounterTotal(up: 5, down: 2))
    counter.raise(Self.tablet, to: CounterTotal(up: 1, down: 9))
    #expect(counter.value == -5)
    #expect(counter.entries.map { $0.replica } == [Self.phone, Self.tablet])
  }

  @Test func `the same total counts once and a lower one not at all`() {
    var counter = CounterState()
    counter.raise(Self.phone, to: CounterTotal(up: 5))
    counter.raise(Self.phone, to: CounterTotal(up: 5))
    counter.raise(Self.phone, to: CounterTotal(up: 3, down: 1))
    #expect(counter[Self.phone] == CounterTotal(up: 5, down: 1))
  }

  @Test func `totals stop at the greatest and do not trap`() {
    let greatest = CounterTotal.greatest
    let total = CounterTotal(up: greatest - 1).adding(up: .max, down: .max)
    #expect(total == CounterTotal(up: greatest, down: greatest))
    #expect(CounterTotal(up: .max, down: .max) == total)
    #expect(CounterTotal(up: 3).subtracting(up: 5, down: 1) == CounterTotal())
    #expect(CounterTotal(Int64.min).value == -Int64.max)
  }

  @Test func `the sum of many greatest totals is held within 64 bits`() {
    var up = CounterState()
    var down = CounterState()
    for replica in 1..<40 as Range<UInt64> {
      let id = ReplicaID(rawValue: replica)
      up.raise(id, to: CounterTotal(up: CounterTotal.greatest))
      down.raise(id, to: CounterTotal(down: CounterTotal.greatest))
    }
    #expect(up.value == Int64.max)
    #expect(down.value == Int64.min)
    #expect(up.merged(with: down).value == 0)
  }

  @Test(arguments: [Int64.min, Int64.min + 1, -1, 0, 1, Int64.max])
  func `the whole range shows`(value: Int64) {
    var counter = CounterState()
    counter.raise(Self.phone, to: CounterTotal(value))
    if value == Int64.min { counter.raise(Self.tablet, to: CounterTotal(-1)) }
    #expect(counter.value == value)
  }

  @Test func `of two seeds the greater canonical bytes stay, whoever comes first`() {
    var one = CounterState()
    one.raise(CounterState.seed, to: CounterTotal(5))
    var two = CounterState()
    two.raise(CounterState.seed, to: CounterTotal(-3))
    #expect(one.merged(with: two).value == -3)
    #expect(two.merged(with: one) == one.merged(with: two))
  }

  @Test func `of two seeds of one value the one that goes up more stays`() {
    var one = CounterState()
    one.raise(CounterState.seed, to: CounterTotal(up: 5, down: 2))
    var two = CounterState()
    two.raise(CounterState.seed, to: CounterTotal(up: 4, down: 1))
    #expect(one.merged(with: two) == one)
    #expect(two.merged(with: one) == one)
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{\"x\":[\"1\",\"0\"]}", "{\"0000000000000001\":[1,0]}",
    "{\"0000000000000001\":[\"1\"]}", "{\"0000000000000001\":[\"-1\",\"0\"]}",
  ])
  func `a state of another form counts as empty`(json: String) {
    let field = FieldState(value: .integer(3), stamp: .floor, merge: Array(json.utf8))
    #expect(field.counter == CounterState())
  }
}
