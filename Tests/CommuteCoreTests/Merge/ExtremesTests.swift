import CommuteCore
import Testing

@Suite struct ExtremesTests {
  static func stamp(_ time: UInt64, by replica: UInt64 = 1) -> Stamp {
    Stamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: replica))
  }

  static func merged(_ one: FieldState, _ two: FieldState, _ rule: MergeRule) -> FieldState {
    let merged = one.merged(with: two, rule: rule)
    #expect(two.merged(with: one, rule: rule) == merged)
    return merged
  }

  static let ascending: [(FieldValue, FieldValue)] = [
    (.integer(-5), .integer(3)), (.integer(.min), .integer(.max)), (.double(-1.5), .double(0)),
    (.double(2), .double(10)), (.instant(-1), .instant(1)), (.text("a"), .text("b")),
    (.boolean(false), .boolean(true)), (.text("e\u{301}"), .text("\u{E9}")),
    (.bytes([1]), .bytes([1, 0])),
  ]

  @Test(arguments: ascending)
  func `the greatest and the least are told by size, not by stamp`(
    less: FieldValue, greater: FieldValue
  ) {
    let early = FieldState(value: greater, stamp: Self.stamp(1))
    let late = FieldState(value: less, stamp: Self.stamp(9, by: 2))
    #expect(Self.merged(early, late, .maximum) == early)
    #expect(Self.merged(early, late, .minimum) == late)
  }

  @Test(arguments: [MergeRule.maximum, .minimum])
  func `no value gives way to any, and a seed to every edit`(rule: MergeRule) {
    let none = FieldState(value: .null, stamp: Self.stamp(9))
    let some = FieldState(value: .integer(0), stamp: Self.stamp(1))
    #expect(Self.merged(none, some, rule) == some)
    for value in [Int64.min, .max] {
      let seed = FieldState(value: .integer(value), stamp: .floor)
      #expect(Self.merged(seed, some, rule) == some)
      #expect(Self.merged(seed, none, rule) == none)
    }
  }

  @Test(arguments: [MergeRule.maximum, .minimum])
  func `two seeds are decided by canonical bytes`(rule: MergeRule) {
    let one = FieldState(value: .integer(-1), stamp: .floor)
    let two = FieldState(value: .integer(1), stamp: .floor)
    #expect(Self.merged(one, two, rule) == one)
  }

  @Test(arguments: [MergeRule.maximum, .minimum])
  func `of equal values the later stamps stay`(rule: MergeRule) {
    let early = FieldState(value: .integer(4), stamp: Self.stamp(1))
    let late = FieldState(value: .integer(4), stamp: Self.stamp(2))
    #expect(Self.merged(early, late, rule) == late)
  }
}
