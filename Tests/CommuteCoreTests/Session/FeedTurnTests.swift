import CommuteCore
import Testing

@Suite struct FeedTurnTests {
  var device = Device(
    account: Account(tenant: "home", user: "ada"),
    clock: HybridClock(replica: ReplicaID(rawValue: 1)),
    feeds: ["books": FeedState(cursor: 4, grant: 2, fence: 1)])

  func page(
    cursor: UInt64, more: Bool = false, reset: UInt64? = nil, grant: UInt64 = 2
  ) -> SyncAnswer.Feed {
    SyncAnswer.Feed(
      feed: "books", grant: grant, cursor: cursor, fence: reset ?? 1, more: more, reset: reset)
  }

  var state: FeedState? { device.feeds["books"] }

  @Test mutating func `an ordinary page moves the cursor`() {
    let turn = device.turn(to: page(cursor: 6))
    #expect(turn == .read)
    #expect(state == FeedState(cursor: 6, grant: 2, fence: 1))
  }

  @Test mutating func `a reset begins, goes on and ends`() {
    let first = device.turn(to: page(cursor: 2, more: true, reset: 9))
    #expect(first == .reset(begins: true, ends: false))
    #expect(state == FeedState(cursor: 2, grant: 2, fence: 9, reset: 9))
    let second = device.turn(to: page(cursor: 5, more: true, reset: 9))
    #expect(second == .reset(begins: false, ends: false))
    let last = device.turn(to: page(cursor: 11, reset: 9))
    #expect(last == .reset(begins: false, ends: true))
    #expect(state == FeedState(cursor: 11, grant: 2, fence: 9))
  }

  @Test mutating func `a reset of one page begins and ends`() {
    let turn = device.turn(to: page(cursor: 2, reset: 9))
    #expect(turn == .reset(begins: true, ends: true))
    #expect(state?.reset == nil)
  }

  @Test mutating func `a fence that has moved begins anew`() {
    _ = device.turn(to: page(cursor: 2, more: true, reset: 9))
    let turn = device.turn(to: page(cursor: 1, more: true, reset: 12))
    #expect(turn == .reset(begins: true, ends: false))
    #expect(state?.reset == 12)
  }

  @Test mutating func `another grant begins anew under the same fence`() {
    _ = device.turn(to: page(cursor: 2, more: true, reset: 9))
    let turn = device.turn(to: page(cursor: 1, more: true, reset: 9, grant: 3))
    #expect(turn == .reset(begins: true, ends: false))
    #expect(state?.grant == 3)
  }

  @Test mutating func `a reset that the server no longer knows of is begun from the start`() {
    _ = device.turn(to: page(cursor: 2, more: true, reset: 9))
    let turn = device.turn(to: page(cursor: 5))
    #expect(turn == .read)
    #expect(state?.cursor == nil)
    #expect(state?.reset == nil)
  }

  @Test mutating func `a revocation ends the subscription`() {
    let part = SyncAnswer.Feed(feed: "books", grant: 2, cursor: nil, revoked: "left")
    let turn = device.turn(to: part)
    #expect(turn == .revoked(reason: "left"))
    #expect(state == nil)
  }

  @Test mutating func `a feed that is not subscribed to moves nothing`() {
    let turn = device.turn(to: SyncAnswer.Feed(feed: "desk", grant: 1, cursor: 3, reset: 2))
    #expect(turn == .read)
    #expect(device.feeds["desk"] == nil)
  }

  @Test mutating func `a request says where inside which reset it is`() {
    _ = device.turn(to: page(cursor: 2, more: true, reset: 9))
    let request = device.begin(
      with: [], nonce: DeviceTests.nonce, build: DeviceTests.build, wall: 50)
    #expect(
      request.feeds == [SyncRequest.Feed(feed: "books", grant: 2, cursor: 2, reset: 9)])
  }
}
