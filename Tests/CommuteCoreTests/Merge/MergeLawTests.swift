import CommuteCore
import CommuteTestKit
import Testing

/// The laws of the rules that are decided anywhere, over every small universe: three replicas, two
/// changes each, laid in any order, any number of times, or merged as copies.
@Suite struct MergeLawTests {
  static let rules: [MergeRule] = [
    .latest, .maximum, .minimum, .growOnlyCounter, .counter, .set,
  ]
  static let record = RecordKey(table: "t", id: RecordID(high: 0, low: 1))

  static func stamp(_ change: Int, choice: Int) -> Stamp {
    if choice == 2, change % 2 == 0 { return .floor }
    // The second change of a replica is later than its first; between replicas it is left to
    // chance.
    let time = UInt64(1 + change % 2 * 2 + choice)
    return Stamp(
      milliseconds: time, counter: 0, replica: ReplicaID(rawValue: UInt64(change / 2 + 1)))
  }

  static func tag(_ change: Int) -> ElementTag {
    ElementTag(high: 0x4000, low: UInt64(7 - change))
  }

  /// What one replica writes: its first change (even) and its second (odd).
  static func change(_ number: Int, _ rule: MergeRule, choices: [Int]) -> OperationField {
    let choice = choices[number]
    let stamp = stamp(number, choice: choice)
    var field = OperationField(value: .integer([-2, 0, 3][choice]), stamp: stamp, rule: rule)
    switch rule {
    case .counter, .growOnlyCounter:
      field.value = .null
      let first = [0, 1, 5][choices[number / 2 * 2]]
      let total = CounterTotal(
        up: UInt64(first + (number % 2) * [1, 2, 0][choice]),
        down: rule == .counter ? UInt64(number % 2 * choice) : 0)
      let replica = stamp.isFloor ? CounterState.seed : ReplicaID(rawValue: UInt64(number / 2 + 1))
      field.detail = .total([CounterShare(replica: replica, before: CounterTotal(), after: total)])
    case .set:
      field.value = .null
      let element = ["a", "\u{E9}", "e\u{301}"][choice]
      // The second change also removes what another replica added first, and its own.
      let removed = number % 2 == 1 ? [tag((number + 1 + choice * 2) % 6), tag(number - 1)] : []
      field.detail = .tags(
        TagChange(added: [TaggedElement(tag: tag(number), element: element)], removed: removed))
    default: break
    }
    return field
  }

  /// The field after the changes of a subset, laid in the order of their numbers.
  static func field(_ changes: [OperationField], of subset: Int) -> FieldState? {
    var field: FieldState?
    for number in 0..<6 where subset & 1 << number != 0 {
      field = FieldState(laying: changes[number], over: field, stamp: changes[number].stamp)
    }
    return field
  }

  static func bytes(_ field: FieldState?) -> [UInt8] {
    guard let field else { return [] }
    var state = RecordState(revision: Revision(epoch: Epoch(rawValue: 1), number: 1))
    state.fields["f"] = field
    return RecordMessage(key: record, state: state).encodedJSON()
  }

  /// Every subset merged with every other gives their union, and so does each change laid over
  /// each subset: by that alone, any order and any repetition comes to the same bytes.
  @Test(arguments: rules)
  func `copies and changes come to the same bytes in any order`(rule: MergeRule) {
    var cases = 0
    var random = SeededGenerator(seed: UInt64(rule.rawValue) + 1)
    for universe in 0..<6 {
      let choices = (0..<6).map { _ in universe == 0 ? 1 : random.draw(3) }
      let changes = (0..<6).map { Self.change($0, rule, choices: choices) }
      let fields = (0..<64).map { Self.field(changes, of: $0) }
      for one in 1..<64 {
        for two in 1..<64 {
          guard let left = fields[one], let right = fields[two] else { continue }
          let merged = left.merged(with: right, rule: rule)
          cases += 1
          if merged != fields[one | two] {
            Issue.record("\(rule) \(choices): \(one) and \(two) differ from their union")
            return
          }
        }
        for number in 0..<6 {
          let laid = FieldState(
            laying: changes[number], over: fields[one], stamp: changes[number].stamp)
          cases += 1
          if laid != fields[one | 1 << number] {
            Issue.record("\(rule) \(choices): \(number) over \(one) differs from their union")
            return
          }
        }
      }
    }
    #expect(cases >= 6 * (63 * 63 + 63 * 6))
  }

  /// The same said with every order written out, each change laid twice.
  @Test(arguments: rules)
  func `all seven hundred and twenty orders come to the same bytes`(rule: MergeRule) {
    let changes = (0..<6).map { Self.change($0, rule, choices: [0, 1, 2, 1, 0, 2]) }
    let expected = Self.bytes(Self.field(changes, of: 63))
    var orders = 0
    func play(_ field: FieldState?, _ left: [Int]) {
      if left.isEmpty {
        orders += 1
        #expect(Self.bytes(field) == expected)
      }
      for index in left.indices {
        var rest = left
        let change = changes[rest.remove(at: index)]
        let once = FieldState(laying: change, over: field, stamp: change.stamp)
        play(FieldState(laying: change, over: once, stamp: change.stamp), rest)
      }
    }
    play(nil, Array(0..<6))
    #expect(orders == 720)
  }

  @Test(arguments: rules)
  func `what a copy knew is never lost`(rule: MergeRule) {
    let changes = (0..<6).map { Self.change($0, rule, choices: [1, 2, 0, 0, 2, 1]) }
    for one in 1..<64 {
      for two in 1..<64 {
        guard let left = Self.field(changes, of: one), let right = Self.field(changes, of: two)
        else { continue }
        let merged = left.merged(with: right, rule: rule)
        #expect(merged.merged(with: left, rule: rule) == merged)
        #expect(merged.merged(with: merged, rule: rule) == merged)
        #expect(!(merged.stamp < left.stamp) || rule == .maximum || rule == .minimum)
        for entry in left.counter.entries {
          let total = merged.counter[entry.replica]
          #expect(entry.replica == CounterState.seed || total.up >= entry.total.up)
          #expect(entry.replica == CounterState.seed || total.down >= entry.total.down)
        }
        for removal in left.set.removals { #expect(merged.set.knows(removal.tag)) }
      }
    }
  }
}
