@testable import CommuteCore
import Testing

/// Two that are the same: neither stands against the other, and nothing beside them is lost.
@Suite struct TieTests {
  static let values: [FieldValue] = [
    .null, .integer(-1), .integer(7), .instant(7), .double(0.5), .text("a"), .bytes([1]),
  ]

  @Test func `no value is less than itself`() {
    for value in Self.values { #expect(!value.isLess(than: value), "\(value)") }
  }

  @Test func `of a number and what is none one is less, so that everybody chooses the same`() {
    let none = FieldValue.double(.nan)
    let number = FieldValue.double(1)
    #expect(none.isLess(than: number) != number.isLess(than: none))
  }

  @Test func `no copy of a field stands against itself, be it a seed or written`() {
    for value in Self.values {
      for stamp in [Stamp.floor, DeviceBench.stamp(5)] {
        let field = FieldState(value: value, stamp: stamp)
        #expect(!field.wins(over: field))
        #expect(!field.isChosen(over: field, rule: .maximum))
        #expect(!field.isChosen(over: field, rule: .minimum))
      }
    }
  }

  @Test func `a seed that comes again leaves what is kept beside its value`() {
    let current = FieldState(value: .text("a"), stamp: .floor, merge: Array(#"{"x":1}"#.utf8))
    func laid(_ text: String) -> FieldState {
      let change = OperationField(value: .text(text), stamp: .floor, rule: .text)
      return FieldState(laying: change, over: current, stamp: .floor)
    }
    #expect(laid("a") == current)
    #expect(laid("b").value == .text("b"))
  }

  @Test func `a counter of many full totals shows the greatest there is, or the least`() {
    var counter = CounterState()
    for replica in 1...5 as ClosedRange<UInt64> {
      counter.raise(
        ReplicaID(rawValue: replica),
        to: CounterTotal(
          up: replica < 4 ? CounterTotal.greatest : 0, down: replica < 4 ? 0 : UInt64(replica)))
    }
    #expect(counter.value == Int64.max)
    for replica in 6...8 as ClosedRange<UInt64> {
      counter.raise(ReplicaID(rawValue: replica), to: CounterTotal(down: CounterTotal.greatest))
    }
    #expect(counter.value == -9)
    counter.raise(ReplicaID(rawValue: 9), to: CounterTotal(down: CounterTotal.greatest))
    #expect(counter.value == Int64.min)
  }
}
