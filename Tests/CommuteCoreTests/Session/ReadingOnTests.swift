import CommuteCore
import Testing

/// The request for the page that follows one not applied yet.
@Suite struct ReadingOnTests {
  private static let build = Device.Build(
    schema: SchemaID(name: "s", version: 1, hash: 1), build: "b", device: "d")
  private let asked = Nonce(high: 1, low: 2)
  private let fresh = Nonce(high: 3, low: 4)
  private var device: Device

  init() {
    device = Device(
      account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 1)), number: 5,
      epoch: Epoch(rawValue: 7), feeds: ["books": FeedState(cursor: 10, grant: 1)])
    _ = device.begin(with: [], nonce: asked, build: Self.build, wall: 100)
  }

  private func answer(cursor: UInt64 = 20, more: Bool = true) -> SyncAnswer {
    SyncAnswer(
      epoch: Epoch(rawValue: 7), time: 100, nonce: asked,
      feeds: [SyncAnswer.Feed(feed: "books", grant: 1, cursor: cursor, more: more)])
  }

  private func next(after answer: SyncAnswer) -> SyncRequest? {
    device.readingOn(after: answer, nonce: fresh, build: Self.build, wall: 200)?.request
  }

  @Test func `it asks on from where the answer will have led, under the same number`() {
    let before = device
    let request = next(after: answer())
    #expect(request?.feeds.map(\.cursor) == [20])
    #expect(request?.nonce == fresh)
    #expect(request?.number == 5)
    #expect(request?.operations.isEmpty == true)
    #expect(device == before)
  }

  @Test func `what is asked next follows from what will be known then`() {
    let first = device.readingOn(after: answer(), nonce: fresh, build: Self.build, wall: 200)
    var second = answer(cursor: 30)
    second.nonce = fresh
    let next = first?.device.readingOn(
      after: second, nonce: asked, build: Self.build, wall: 300)
    #expect(next?.request.feeds.map(\.cursor) == [30])
    #expect(
      first?.device.readingOn(after: answer(), nonce: asked, build: Self.build, wall: 300) == nil)
  }

  @Test func `nothing is asked where nothing follows, or nothing would move`() {
    #expect(next(after: answer(more: false)) == nil)
    #expect(next(after: answer(cursor: 10)) == nil)
  }

  @Test func `verdicts are applied first`() {
    var answer = answer()
    answer.verdicts = [
      Verdict(id: OperationID(high: 1, low: 1), kind: .duplicate)
    ]
    #expect(next(after: answer) == nil)
  }

  @Test func `an answer that is not applied leads to no request`() {
    var other = answer()
    other.nonce = fresh
    #expect(next(after: other) == nil)
    var restored = answer()
    restored.epoch = Epoch(rawValue: 8)
    #expect(next(after: restored) == nil)
    var shorter = answer(cursor: 9)
    #expect(next(after: shorter) == nil)
    shorter = answer()
    shorter.renew = []
    #expect(next(after: shorter) == nil)
  }

  @Test func `only a round that nothing waits behind reads on`() {
    var conversation = Conversation()
    #expect(!conversation.mayReadOn)
    _ = conversation.handle(.requested)
    #expect(conversation.mayReadOn)
    _ = conversation.handle(.changed)
    #expect(!conversation.mayReadOn)
  }

  @Test func `a page that was stored makes the next failure the first`() {
    var conversation = Conversation()
    for _ in 0..<5 {
      _ = conversation.handle(.requested)
      _ = conversation.handle(.failed(.timedOut, wall: 0, draw: 0))
    }
    _ = conversation.handle(.requested)
    conversation.noteProgress()
    _ = conversation.handle(.failed(.timedOut, wall: 0, draw: 0))
    #expect(conversation.failures == 1)
  }
}
