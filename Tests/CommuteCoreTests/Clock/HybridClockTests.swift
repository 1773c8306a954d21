import CommuteCore
import CommuteTestKit
import Testing

@Suite struct HybridClockTests {
  var clock = HybridClock(replica: ReplicaID(rawValue: 1))

  @Test mutating func `stamps rise while the wall clock stands still or runs backwards`() {
    var last = clock.now(wall: 1_000)
    for wall: Int64 in [1_000, 1_000, 999, 0, -5, .min, 1_001, 500] {
      let next = clock.now(wall: wall)
      #expect(last < next)
      last = next
    }
    #expect(clock.now(wall: 2_000).milliseconds == 2_000)
  }

  @Test mutating func `a full counter spills into the next millisecond`() {
    clock.observe(Stamp(milliseconds: 1_000, counter: 0xFFFF, replica: ReplicaID(rawValue: 2)))
    let next = clock.now(wall: 900)
    #expect(next.milliseconds == 1_001)
    #expect(next.counter == 0)
  }

  @Test mutating func `an answer is later than what it answers`() {
    let note = Stamp(milliseconds: 9_000, counter: 3, replica: ReplicaID(rawValue: 2))
    clock.observe(note)
    #expect(note < clock.now(wall: 5_000))
  }

  @Test mutating func `an older stamp changes nothing`() {
    let last = clock.now(wall: 1_000)
    clock.observe(.floor)
    #expect(clock.last == last.time)
  }

  @Test func `no wall clock and no stamp makes it trap, and stamps stay readable`() {
    let walls: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 47, (1 << 47) + 1, 1 << 60, .max]
    for wall in walls {
      for offset in walls {
        var clock = HybridClock(replica: ReplicaID(rawValue: 1), last: .max, offset: offset)
        for time in [0, UInt64.max, 1 << 63] {
          clock.observe(Stamp(time: time, replica: ReplicaID(rawValue: .max)))
        }
        clock.measure(serverTime: wall, wall: offset, roundTrip: wall)
        clock.measure(serverTime: offset, wall: wall, roundTrip: offset)
        let stamp = clock.now(wall: wall)
        #expect(Stamp(text: stamp.text) == stamp)
        #expect(stamp < clock.now(wall: wall))
      }
    }
  }

  @Test mutating func `a clock at the end of its range still counts`() {
    var last = clock.now(wall: .max)
    for _ in 0..<100_000 {
      let next = clock.now(wall: .max)
      #expect(last < next)
      last = next
    }
    #expect(Stamp(text: last.text) == last)
  }

  @Test mutating func `the first measure is taken whole, the next with a quarter`() {
    #expect(clock.measuredOffset == nil)
    clock.measure(serverTime: 11_000, wall: 1_000, roundTrip: 200)
    #expect(clock.offset == 10_100)
    clock.measure(serverTime: 11_500, wall: 1_000, roundTrip: 200)
    #expect(clock.offset == 10_225)
    #expect(clock.now(wall: 1_000).milliseconds == 11_225)
    #expect(clock.measuredOffset == 10_225)
  }

  @Test mutating func `a jump of more than a minute is taken whole`() {
    clock.measure(serverTime: 1_000_000, wall: 1_000_000, roundTrip: 0)
    clock.measure(serverTime: 1_000_000, wall: 500_000, roundTrip: 0)
    #expect(clock.offset == 500_000)
  }

  @Test func `a stored clock goes on where it stood`() {
    var first = HybridClock(replica: ReplicaID(rawValue: 1))
    first.measure(serverTime: 5_000, wall: 4_000, roundTrip: 0)
    let last = first.now(wall: 4_000)
    var second = HybridClock(
      replica: first.replica, last: first.last, offset: first.measuredOffset)
    #expect(second == first)
    #expect(last < second.now(wall: 0))
  }
}
