import CommuteCore
import Testing

@testable import CommuteStore

@Suite struct PendingRecordsTests {
  @Test func `it agrees with a set over many additions and removals`() {
    var random = StoreRandom(seed: 11)
    var pending = PendingRecords()
    var known: Set<UInt64> = []
    for _ in 0..<3_000 {
      // Few different ids, many of them neighbours, so that slots collide and holes are closed.
      let low = random.next() % 300 &* (random.next() & 1 == 0 ? 1 : 0x0100_0000_0000_0000)
      let id = RecordID(high: 1, low: low)
      if random.next() % 2 == 0 {
        pending.insert(id)
        known.insert(low)
      } else {
        pending.remove(id)
        known.remove(low)
      }
      #expect(pending.count == known.count)
      let other = random.next() % 300
      #expect(
        pending.contains(RecordID(high: 1, low: other)) == known.contains(other))
    }
  }

  @Test func `ids that share a half are told apart`() {
    var pending = PendingRecords()
    pending.insert(RecordID(high: 1, low: 7))
    pending.insert(RecordID(high: 2, low: 7))
    pending.remove(RecordID(high: 1, low: 7))
    #expect(pending.contains(RecordID(high: 2, low: 7)))
    #expect(!pending.contains(RecordID(high: 1, low: 7)))
  }

  @Test func `nothing is found in nothing`() {
    var pending = PendingRecords()
    pending.remove(RecordID(high: 1, low: 2))
    #expect(!pending.contains(.zero))
    #expect(pending.isEmpty)
  }
}
