import CommuteCore
import Testing

@Suite struct StampTests {
  static let one = ReplicaID(rawValue: 1)
  static let two = ReplicaID(rawValue: 2)

  @Test func `the order is time, then counter, then replica`() {
    let stamps = [
      Stamp.floor,
      Stamp(milliseconds: 0, counter: 0, replica: Self.one),
      Stamp(milliseconds: 0, counter: 1, replica: Self.one),
      Stamp(milliseconds: 5, counter: 0, replica: Self.one),
      Stamp(milliseconds: 5, counter: 0, replica: Self.two),
      Stamp(milliseconds: 5, counter: 0xFFFF, replica: Self.one),
      Stamp(milliseconds: 6, counter: 0, replica: Self.one),
      Stamp(milliseconds: Stamp.latestReadMillisecond, counter: 0xFFFF, replica: Self.two),
    ]
    for (left, one) in stamps.enumerated() {
      for (right, other) in stamps.enumerated() {
        #expect((one < other) == (left < right))
        #expect((one.text < other.text) == (left < right))
      }
      #expect(Stamp(text: one.text) == one)
    }
  }

  @Test func `milliseconds beyond 48 bits are held`() {
    let stamp = Stamp(milliseconds: .max, counter: 3, replica: Self.one)
    #expect(stamp.milliseconds == 0xFFFF_FFFF_FFFF)
    #expect(stamp.counter == 3)
    #expect(Stamp(text: stamp.text) == nil)
  }

  @Test func `only the stamp of all zeros is the floor`() {
    #expect(Stamp.floor.isFloor)
    #expect(!Stamp(time: 0, replica: Self.one).isFloor)
    #expect(!Stamp(time: 1, replica: Stamp.floor.replica).isFloor)
  }
}
