import CommuteCore
import Testing

/// A clock that was led astray comes back, but never below what the device still holds.
@Suite struct LoweringTests {
  static let ahead: Int64 = 315_360_000_000
  var bench = DeviceBench()
  var device = Device(
    account: Account(tenant: "home", user: "ada"),
    clock: HybridClock(replica: ReplicaID(rawValue: 1)))

  mutating func lower(to held: Stamp, wall: Int64 = 1_000) -> Bool {
    device.lowerClock(to: held, wall: wall, newReplica: ReplicaID(rawValue: 2))
  }

  @Test mutating func `it goes back to the greatest stamp held, under a new id`() {
    _ = device.clock.now(wall: Self.ahead)
    let isLowered = lower(to: DeviceBench.stamp(900))
    #expect(isLowered)
    #expect(device.clock.last == DeviceBench.stamp(900).time)
    #expect(device.replica == ReplicaID(rawValue: 2))
    #expect(device.earlierReplicas == [ReplicaID(rawValue: 1)])
    #expect(device.number == 0)
    #expect(device.clock.now(wall: 1_000) == DeviceBench.stamp(1_000, by: 2))
  }

  @Test mutating func `it stays where something from the future is still held`() {
    let future = device.clock.now(wall: Self.ahead)
    let isLowered = lower(to: future)
    #expect(!isLowered)
    #expect(device.replica == ReplicaID(rawValue: 1))
  }

  @Test mutating func `it does not go half the way`() {
    _ = device.clock.now(wall: Self.ahead)
    let last = device.clock.last
    let isHalfway = lower(to: DeviceBench.stamp(61_001))
    #expect(!isHalfway)
    #expect(device.clock.last == last)
    let isLowered = lower(to: DeviceBench.stamp(61_000))
    #expect(isLowered)
  }

  @Test mutating func `a minute ahead is not astray`() {
    _ = device.clock.now(wall: 61_000)
    #expect(!device.clock.isAstray(wall: 1_000))
    #expect(device.clock.isAstray(wall: 999))
    let isLowered = lower(to: .floor)
    #expect(!isLowered)
  }

  @Test mutating func `the wall clock is corrected before it is compared`() {
    _ = device.clock.now(wall: 500_000)
    device.clock.measure(serverTime: 500_000, wall: 1_000, roundTrip: 0)
    #expect(!device.clock.isAstray(wall: 1_000))
    #expect(!device.clock.isAstray(wall: .max))
  }

  @Test mutating func `base, offer, rows and inbox all hold it`() throws {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(50))]))
    #expect(bench.record.greatestStamp == DeviceBench.stamp(50))
    bench.record.offer = RecordOffer(
      id: OperationID(high: 1, low: 1),
      state: DeviceBench.state(["title": ("b", DeviceBench.stamp(70))]))
    #expect(bench.record.greatestStamp == DeviceBench.stamp(70))
    bench.wall = 90
    try bench.change(["title": .text("c")])
    #expect(bench.record.greatestStamp == DeviceBench.stamp(90))
    bench.wall = 95
    try bench.delete()
    #expect(bench.record.greatestStamp == DeviceBench.stamp(95))
    let rejection = Rejection(
      row: bench.record.rows[0], code: .invalid, message: "",
      record: DeviceBench.state([:], deleted: DeviceBench.stamp(99)))
    #expect(rejection.greatestStamp == DeviceBench.stamp(99))
    #expect(DeviceRecord(key: DeviceBench.key, feed: "books").greatestStamp == .floor)
  }
}
