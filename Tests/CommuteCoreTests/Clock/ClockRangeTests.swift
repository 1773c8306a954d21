import CommuteCore
import Testing

/// What the clock does at the ends of what wall clocks, servers and networks tell it.
@Suite struct ClockRangeTests {
  static let one = ReplicaID(rawValue: 1)
  static let latest = Int64(Stamp.latestMillisecond)

  /// A clock that has heard a server an hour ahead.
  static var measured: HybridClock {
    var clock = HybridClock(replica: one)
    clock.measure(serverTime: 5_000_000, wall: 1_400_000, roundTrip: 0)
    return clock
  }

  @Test func `a wall clock below all times stamps the first millisecond`() {
    for offset: Int64? in [nil, .min, -1] {
      var clock = HybridClock(replica: Self.one, offset: offset)
      #expect(clock.now(wall: .min).milliseconds == 1)
    }
    var clock = HybridClock(replica: Self.one)
    #expect(clock.now(wall: 0) == Stamp(milliseconds: 1, counter: 0, replica: Self.one))
  }

  @Test func `a wall clock beyond all times stamps the latest millisecond`() {
    for wall in [Self.latest, Self.latest + 1, .max] {
      var clock = HybridClock(replica: Self.one, offset: .max)
      #expect(clock.now(wall: wall).milliseconds == Stamp.latestMillisecond)
    }
  }

  @Test func `a new clock has no offset, and a stored one is held far from the ends`() {
    #expect(HybridClock(replica: Self.one).offset == 0)
    #expect(HybridClock(replica: Self.one).last == 0)
    #expect(HybridClock(replica: Self.one, offset: 0).measuredOffset == 0)
    #expect(HybridClock(replica: Self.one, offset: .min).offset == -(1 << 60))
    #expect(HybridClock(replica: Self.one, offset: .max).offset == 1 << 60)
    #expect(HybridClock(replica: Self.one, offset: 7).offset == 7)
  }

  @Test func `what is stored or observed beyond the readable range is held`() {
    let readable = Stamp.latestReadMillisecond << 16
    #expect(HybridClock(replica: Self.one, last: .max).last == readable)
    #expect(HybridClock(replica: Self.one, last: readable).last == readable)
    #expect(HybridClock(replica: Self.one, last: readable - 1).last == readable - 1)
    var clock = HybridClock(replica: Self.one)
    clock.observe(Stamp(time: .max, replica: Self.one))
    #expect(clock.last == readable)
    #expect(Stamp.latestReadMillisecond == (1 << 47) + (1 << 32))
  }

  @Test func `within a millisecond stamps differ by one`() {
    var clock = HybridClock(replica: Self.one)
    let first = clock.now(wall: 1_000)
    let second = clock.now(wall: 1_000)
    #expect(first == Stamp(milliseconds: 1_000, counter: 0, replica: Self.one))
    #expect(second == Stamp(milliseconds: 1_000, counter: 1, replica: Self.one))
    clock.observe(second)
    #expect(clock.last == second.time)
  }

  @Test func `the server's time is that of the middle of the round trip`() {
    var clock = HybridClock(replica: Self.one)
    clock.measure(serverTime: 5_000, wall: 4_000, roundTrip: 100)
    #expect(clock.offset == 1_050)
  }

  @Test(
    arguments: [
      (600_000, 300_000), (600_001, 300_000), (Int64.max, 300_000), (599_998, 299_999), (0, 0),
      (-1, 0), (-2, 0), (.min, 0), (2, 1), (1, 0),
    ] as [(Int64, Int64)])
  func `a round trip counts from none to ten minutes`(trip: Int64, half: Int64) {
    var clock = HybridClock(replica: Self.one)
    clock.measure(serverTime: 5_000, wall: 5_000, roundTrip: trip)
    #expect(clock.offset == half)
  }

  @Test(
    arguments: [
      (0, 1), (Int64.min, 1), (1, 1), (2, 2), (latest, latest), (latest + 1, latest),
      (.max, latest),
    ] as [(Int64, Int64)])
  func `the server's time is believed within the range of stamps`(told: Int64, taken: Int64) {
    var clock = HybridClock(replica: Self.one)
    clock.measure(serverTime: told, wall: 0, roundTrip: 0)
    #expect(clock.offset == taken)
  }

  @Test func `a wall clock at the ends of its range is measured without overflow`() {
    var clock = HybridClock(replica: Self.one)
    clock.measure(serverTime: 1_000, wall: .min, roundTrip: 0)
    #expect(clock.offset == 1 << 60)
    clock.measure(serverTime: 1_000, wall: .max, roundTrip: 0)
    #expect(clock.offset == 1_000 - (1 << 60))
  }

  @Test(
    arguments: [
      (60_000, 15_000), (-60_000, -15_000), (60_001, 60_001), (-60_001, -60_001), (4, 1), (3, 0),
      (-4, -1),
    ] as [(Int64, Int64)])
  func `a minute is smoothed, and more is a changed wall clock`(jump: Int64, moved: Int64) {
    var clock = Self.measured
    #expect(clock.offset == 3_600_000)
    clock.measure(serverTime: 5_000_000 + jump, wall: 1_400_000, roundTrip: 0)
    #expect(clock.offset == 3_600_000 + moved)
  }

  @Test func `the first measure is taken whole, however small`() {
    var clock = HybridClock(replica: Self.one)
    clock.measure(serverTime: 1_004, wall: 1_000, roundTrip: 0)
    #expect(clock.offset == 4)
    #expect(clock.measuredOffset == 4)
  }

  @Test func `a clock is astray beyond a minute ahead, and not at it`() {
    let atLimit = HybridClock(replica: Self.one, last: 61_000 << 16)
    #expect(!atLimit.isAstray(wall: 1_000))
    #expect(atLimit.isAstray(wall: 999))
    let within = HybridClock(replica: Self.one, last: (61_001 << 16) - 1)
    #expect(!within.isAstray(wall: 1_000))
  }
}

/// Replica ids and stamps as text.
@Suite struct StampReadingTests {
  static let text = "000000000005-0003-00000000000000a1"

  @Test func `a replica id is read from its digits and from nothing else`() {
    #expect(ReplicaID(text: "00000000000000a1") == ReplicaID(rawValue: 0xA1))
    for text in ["", "a1", "00000000000000g1", "00000000000000a1 ", "000000000000000a1"] {
      #expect(ReplicaID(text: text) == nil)
    }
  }

  @Test func `zero is never drawn`() {
    struct Zeros: RandomNumberGenerator { mutating func next() -> UInt64 { 0 } }
    var zeros = Zeros()
    #expect(ReplicaID.random(using: &zeros) == ReplicaID(rawValue: 1))
    struct Sevens: RandomNumberGenerator { mutating func next() -> UInt64 { 7 } }
    var sevens = Sevens()
    #expect(ReplicaID.random(using: &sevens) == ReplicaID(rawValue: 7))
  }

  @Test func `a stamp is read from its 34 characters, also amid other bytes`() throws {
    let stamp = Stamp(milliseconds: 5, counter: 3, replica: ReplicaID(rawValue: 0xA1))
    #expect(stamp.text == Self.text)
    #expect(Stamp(text: Self.text) == stamp)
    let message = Array("[\(Self.text)]".utf8)
    #expect(Stamp(utf8: message[1..<35]) == stamp)
    #expect(Stamp(utf8: message[0..<34]) == nil)
    #expect(Stamp(utf8: message[1..<34]) == nil)
  }

  @Test func `no character may be another`() {
    let bytes = Array(Self.text.utf8)
    for place in bytes.indices {
      var changed = bytes
      changed[place] = 0x78
      #expect(Stamp(utf8: changed[...]) == nil)
      let longer = bytes[..<place] + [0x30] + bytes[place...]
      #expect(Stamp(utf8: longer) == nil)
    }
    #expect(Stamp(text: "000000000005_0003-00000000000000a1") == nil)
    #expect(Stamp(text: "000000000005-0003_00000000000000a1") == nil)
  }

  @Test func `the latest readable millisecond is read, and none beyond`() {
    let latest = Stamp(
      milliseconds: Stamp.latestReadMillisecond, counter: 0xFFFF, replica: .init(rawValue: 1))
    #expect(Stamp(text: latest.text) == latest)
    let beyond = Stamp(
      milliseconds: Stamp.latestReadMillisecond + 1, counter: 0, replica: .init(rawValue: 1))
    #expect(Stamp(text: beyond.text) == nil)
  }

  @Test func `the parts of a stamp are those it was made of`() {
    let stamp = Stamp(
      milliseconds: 0xFFFF_FFFF_FFFF, counter: 0xFFFE, replica: ReplicaID(rawValue: 9))
    #expect(stamp.time == 0xFFFF_FFFF_FFFF_FFFE)
    #expect(stamp.milliseconds == 0xFFFF_FFFF_FFFF)
    #expect(stamp.counter == 0xFFFE)
    #expect(Stamp.floor.time == 0)
    #expect(Stamp.floor.replica == ReplicaID(rawValue: 0))
    #expect(Stamp.latestMillisecond == 140_737_488_355_328)
  }
}
