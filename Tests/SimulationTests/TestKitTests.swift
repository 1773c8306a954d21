import CommuteTestKit
import Testing

/// What the test kit gives to everybody's tests.
@Suite struct TestKitTests {
  @Test func `the laws hold for a rule that keeps them`() {
    let breach = MergeLaw.breach(over: Array(0..<6)) { max($0, $1) }
    #expect(breach == nil)
  }

  @Test func `each law is seen broken`() {
    let first = MergeLaw.breach(over: [1, 2]) { one, _ in one }
    let sum = MergeLaw.breach(over: [1, 2]) { $0 + $1 }
    let mean = MergeLaw.breach(over: [0.0, 1.0, 3.0]) { ($0 + $1) / 2 }
    #expect(first?.law == .commutative)
    #expect(sum?.law == .idempotent)
    #expect(mean?.law == .associative)
    #expect(sum?.copies == [1])
    #expect(mean?.copies.count == 3)
  }

  @Test func `a seed gives the same numbers on every machine`() {
    var generator = SeededGenerator(seed: 1)
    let numbers = (0..<3).map { _ in generator.next() }
    // Computed by a program in another language.
    let expected: [UInt64] = [
      7_039_512_345_991_629_731, 15_767_660_576_771_448_089, 7_193_670_008_487_137_392,
    ]
    #expect(numbers == expected)
    var other = SeededGenerator(seed: 2)
    let first = other.next()
    #expect(first != numbers[0])
  }

  @Test func `draws stay below their bound and reach all of it`() {
    var generator = SeededGenerator(seed: 5)
    let draws = (0..<600).map { _ in generator.draw(6) }
    #expect(Set(draws) == Set(0..<6))
    let nothing = [1, 0, -3].map { generator.draw($0) }
    #expect(nothing == [0, 0, 0])
  }
}
