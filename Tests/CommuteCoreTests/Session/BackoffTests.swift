import CommuteCore
import CommuteTestKit
import Testing

@Suite struct BackoffTests {
  let backoff = Backoff(firstDelay: 1_000, delayLimit: 60_000, leastDelay: 100)

  @Test func `the ceiling doubles with each failure up to the limit`() {
    let ceilings = (1...8).map { backoff.ceiling(afterFailures: UInt32($0)) }
    #expect(ceilings == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  }

  @Test(arguments: [0, 50, 100] as [UInt64])
  func `the ceiling never falls`(growth: UInt64) {
    let constant = Backoff(firstDelay: 1_000, growthPercent: growth, delayLimit: 60_000)
    #expect(constant.ceiling(afterFailures: .max) == 1_000)
  }

  @Test func `it grows for forty failures`() {
    let slow = Backoff(firstDelay: 1_000, growthPercent: 110, delayLimit: .max)
    let ceilings = [40, 41, 42].map { slow.ceiling(afterFailures: $0) }
    #expect(ceilings[0] < ceilings[1])
    #expect(ceilings[1] == ceilings[2])
  }

  @Test func `a ceiling that takes more than 64 bits is the limit`() {
    let half = Backoff(firstDelay: 1 << 63, delayLimit: .max, leastDelay: 0)
    #expect(half.ceiling(afterFailures: 2) == .max)
    let less = Backoff(firstDelay: (1 << 63) - 1, delayLimit: .max, leastDelay: 0)
    #expect(less.ceiling(afterFailures: 2) == UInt64.max - 1)
  }

  @Test func `no failure and very many are taken, too`() {
    #expect(backoff.ceiling(afterFailures: 0) == 1_000)
    #expect(backoff.ceiling(afterFailures: .max) == 60_000)
    let endless = Backoff(firstDelay: .max, delayLimit: .max, leastDelay: 0)
    #expect(endless.ceiling(afterFailures: .max) == .max)
  }

  @Test func `the least and the greatest draw give the ends of the range`() {
    #expect(backoff.delay(afterFailures: 1, draw: 0) == 100)
    #expect(backoff.delay(afterFailures: 1, draw: .max) == 1_000)
    #expect(backoff.delay(afterFailures: 1, draw: .max / 2) == 500)
  }

  @Test func `where any delay is as likely the draw is the delay`() {
    let endless = Backoff(firstDelay: .max, delayLimit: .max, leastDelay: 0)
    for draw in [0, 12_345, .max] as [UInt64] {
      #expect(endless.delay(afterFailures: 1, draw: draw) == draw)
    }
    let nearly = Backoff(firstDelay: .max - 1, delayLimit: .max, leastDelay: 0)
    #expect(nearly.delay(afterFailures: 1, draw: .max) == UInt64.max - 1)
  }

  @Test func `the server's word is a lower bound`() {
    #expect(backoff.delay(afterFailures: 1, draw: 0, atLeast: 5_000) == 5_000)
    #expect(backoff.delay(afterFailures: 9, draw: .max, atLeast: 5_000) == 60_000)
  }

  @Test func `draws spread over the whole range`() {
    var generator = SeededGenerator(seed: 3)
    let delays = (0..<4_000).map { _ in
      backoff.delay(afterFailures: 4, draw: generator.next())
    }
    for quarter in 0..<4 {
      let low = UInt64(quarter) * 2_000
      let share = delays.count { $0 >= low && $0 < low + 2_000 }
      #expect((800...1_200).contains(share))
    }
    #expect(delays.allSatisfy { $0 <= 8_000 })
  }
}
