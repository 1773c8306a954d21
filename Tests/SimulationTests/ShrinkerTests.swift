import Testing

@testable import CommuteSimulator

@Suite struct ShrinkerTests {
  @Test func `a failing sequence is cut down to what makes it fail`() {
    let long: [UInt32] = (0..<200).map { $0 % 10 }
    var shrinker = Shrinker { choices in
      // Fails if a seven comes before a nine.
      guard let seven = choices.firstIndex(of: 7) else { return nil }
      return choices[seven...].contains(9) ? choices : nil
    }
    #expect(shrinker.shrink(long) == [7, 9])
  }

  @Test func `numbers become as small as they can be`() {
    var shrinker = Shrinker { choices in choices.contains { $0 >= 6 } ? choices : nil }
    let short = shrinker.shrink([1, 90, 4])
    #expect(short.count == 1)
    #expect(short[0] < 12)
  }

  @Test func `it stops when its budget is used up`() {
    var tries = 0
    var shrinker = Shrinker(budget: 10) { choices in
      tries += 1
      return choices
    }
    _ = shrinker.shrink(Array(repeating: 1, count: 1_000))
    #expect(tries <= 10)
  }

  @Test func `a sequence that has run out goes on with zeros`() {
    var choices = Choices(playing: [5, 3])
    let drawn = [choices.draw(10), choices.draw(2), choices.draw(10)]
    #expect(drawn == [5, 1, 0])
    #expect(choices.isOver)
    #expect(choices.drawn == [5, 1, 0])
  }

  @Test func `the same seed draws the same, and only below the bound`() {
    var one = Choices(seed: 7)
    var other = Choices(seed: 7)
    for count in 1...500 {
      let draw = one.draw(count)
      #expect(draw == other.draw(count))
      #expect(draw < count)
    }
  }
}
