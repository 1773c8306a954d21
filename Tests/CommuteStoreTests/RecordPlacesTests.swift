import CommuteCore
import Testing

@testable import CommuteStore

@Suite struct RecordPlacesTests {
  private struct Entry: Hashable {
    var low: UInt64
    var place: Int64
  }

  @Test func `it agrees with a set over many additions and removals`() {
    var random = StoreRandom(seed: 11)
    var pending = RecordPlaces()
    var known: Set<Entry> = []
    for _ in 0..<3_000 {
      // Few different ids, many of them neighbours, so that slots collide and holes are closed.
      let low = random.next() % 300 &* (random.next() & 1 == 0 ? 1 : 0x0100_0000_0000_0000)
      let entry = Entry(low: low, place: Int64(random.next() % 3))
      let id = RecordID(high: 1, low: low)
      if random.next() % 2 == 0 {
        pending.insert(id, at: entry.place)
        known.insert(entry)
      } else {
        pending.remove(id, at: entry.place)
        known.remove(entry)
      }
      #expect(pending.count == known.count)
      let other = random.next() % 300
      let places = known.filter { $0.low == other }.map(\.place)
      #expect(pending.contains(RecordID(high: 1, low: other)) == !places.isEmpty)
      #expect(
        pending.places(of: RecordID(high: 1, low: other))
          == places.filter { $0 != RecordPlaces.offer }.sorted())
    }
  }

  @Test func `ids that share a half are told apart`() {
    var pending = RecordPlaces()
    pending.insert(RecordID(high: 1, low: 7), at: 1)
    pending.insert(RecordID(high: 2, low: 7), at: 2)
    pending.remove(RecordID(high: 1, low: 7), at: 1)
    #expect(pending.contains(RecordID(high: 2, low: 7)))
    #expect(!pending.contains(RecordID(high: 1, low: 7)))
  }

  @Test func `nothing is found in nothing`() {
    var pending = RecordPlaces()
    pending.remove(RecordID(high: 1, low: 2), at: 1)
    #expect(!pending.contains(.zero))
    #expect(pending.places(of: .zero) == [])
    #expect(pending.isEmpty)
  }
}
