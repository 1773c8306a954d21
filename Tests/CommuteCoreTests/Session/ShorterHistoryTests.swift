import CommuteCore
import Testing

/// A server that was put back to an earlier copy knows less than the device has read.
@Suite struct ShorterHistoryTests {
  private func reading(told: UInt64) -> AnswerReading {
    var device = Device(
      account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 1)),
      epoch: Epoch(rawValue: 7), feeds: ["books": FeedState(cursor: 10, grant: 1)])
    let nonce = Nonce(high: 1, low: 2)
    _ = device.begin(
      with: [], nonce: nonce,
      build: Device.Build(
        schema: SchemaID(name: "s", version: 1, hash: 1), build: "b", device: "d"),
      wall: 100)
    let answer = SyncAnswer(
      epoch: Epoch(rawValue: 7), time: 100, nonce: nonce,
      feeds: [SyncAnswer.Feed(feed: "books", grant: 1, cursor: told)])
    return device.read(answer, wall: 100, roundTrip: 0, newReplica: ReplicaID(rawValue: 2))
  }

  @Test func `a log that ends before the cursor stops the round by name`() {
    #expect(reading(told: 9) == .stop(.historyShorter(feed: "books")))
  }

  @Test func `a log that ends at the cursor, or goes on, is applied`() {
    #expect(reading(told: 10) == .apply)
    #expect(reading(told: 11) == .apply)
  }
}
