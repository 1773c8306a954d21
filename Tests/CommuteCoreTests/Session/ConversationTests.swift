import CommuteCore
import Testing

/// Every arrow of the diagram, and every event that must not be one.
@Suite struct ConversationTests {
  var conversation = Conversation(
    backoff: Backoff(firstDelay: 100, delayLimit: 1_000, leastDelay: 0))

  static let lost = RoundFailure.unreachable("refused")
  static let stop = RoundStop.protocolNotSpoken(9)
  static let late: [Conversation.Event] = [
    .answered(more: true), .answered(more: false), .failed(lost, wall: 0, draw: 0),
    .stopped(stop),
  ]

  /// Brings the conversation to waiting; the retry is due at 1,100.
  mutating func wait() -> [Conversation.Effect] {
    _ = conversation.handle(.changed)
    return conversation.handle(.failed(Self.lost, wall: 1_000, draw: .max))
  }

  // MARK: - Idle

  @Test(arguments: [Conversation.Event.changed, .requested, .cameOnline, .unblocked])
  func `a reason to talk starts a round`(event: Conversation.Event) {
    var conversation = Conversation()
    let effects = conversation.handle(event)
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
    #expect(conversation.state == .exchanging(again: false))
  }

  @Test(arguments: late + [.retryDue])
  func `late news does not start one`(event: Conversation.Event) {
    var conversation = Conversation()
    let effects = conversation.handle(event)
    #expect(effects.isEmpty)
    #expect(conversation.state == .idle)
  }

  // MARK: - Exchanging

  @Test mutating func `an answer to everything ends in rest`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.answered(more: false))
    #expect(effects == [.cancelRetry])
    #expect(conversation.state == .idle)
  }

  @Test mutating func `an answer that leaves something starts the next round at once`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.answered(more: true))
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
    #expect(conversation.state == .exchanging(again: false))
  }

  @Test(arguments: [Conversation.Event.changed, .requested, .cameOnline, .unblocked])
  func `what comes up during a round starts another behind it, once`(event: Conversation.Event) {
    var conversation = Conversation()
    _ = conversation.handle(.changed)
    let during = conversation.handle(event) + conversation.handle(event)
    #expect(during.isEmpty)
    #expect(conversation.state == .exchanging(again: true))
    let after = conversation.handle(.answered(more: false))
    #expect(after == [.exchange(batch: Conversation.greatestBatch)])
    #expect(conversation.state == .exchanging(again: false))
  }

  @Test mutating func `a retry that comes due during a round is no second round`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.retryDue)
    #expect(effects.isEmpty)
    #expect(conversation.state == .exchanging(again: false))
  }

  @Test mutating func `a failure is tried again later`() {
    let effects = wait()
    #expect(effects == [.scheduleRetry(at: 1_100, afterMilliseconds: 100)])
    #expect(conversation.state == .waiting(failure: Self.lost, due: 1_100))
    #expect(conversation.failures == 1)
  }

  @Test mutating func `a stop blocks until somebody acts`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.stopped(Self.stop))
    #expect(effects == [.cancelRetry])
    #expect(conversation.state == .blocked(.stopped(Self.stop)))
  }

  @Test(arguments: [
    (RoundFailure.needsSignIn(status: 401), Conversation.Block.signIn),
    (.needsUpdate, .update), (.wrongOwner, .otherAccount),
    (.refused(status: 400), .refused(status: 400)),
  ])
  func `a failure that waiting does not cure blocks`(
    failure: RoundFailure, block: Conversation.Block
  ) {
    var conversation = Conversation()
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.failed(failure, wall: 0, draw: 0))
    #expect(effects == [.cancelRetry])
    #expect(conversation.state == .blocked(block))
    #expect(conversation.failures == 0)
  }

  @Test mutating func `giving up is no failure`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.failed(.cancelled, wall: 0, draw: 0))
    #expect(effects.isEmpty)
    #expect(conversation.state == .idle)
    #expect(conversation.failures == 0)
  }

  @Test mutating func `giving up with news at hand starts anew`() {
    _ = conversation.handle(.changed)
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.failed(.cancelled, wall: 0, draw: 0))
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
  }

  // MARK: - Waiting

  @Test(arguments: [Conversation.Event.requested, .cameOnline, .retryDue, .unblocked])
  func `a person, the network and the time end the wait`(event: Conversation.Event) {
    var test = Self()
    _ = test.wait()
    let effects = test.conversation.handle(event)
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
    #expect(test.conversation.state == .exchanging(again: false))
  }

  @Test(arguments: late + [.changed])
  func `a write and late news do not`(event: Conversation.Event) {
    var test = Self()
    _ = test.wait()
    let effects = test.conversation.handle(event)
    #expect(effects.isEmpty)
    #expect(test.conversation.state == .waiting(failure: Self.lost, due: 1_100))
  }

  @Test mutating func `failures wait longer and longer, up to the limit`() {
    _ = conversation.handle(.changed)
    for delay in [UInt64(100), 200, 400, 800, 1_000, 1_000] {
      let effects = conversation.handle(.failed(Self.lost, wall: 0, draw: .max))
      #expect(effects == [.scheduleRetry(at: Int64(delay), afterMilliseconds: delay)])
      _ = conversation.handle(.retryDue)
    }
    _ = conversation.handle(.answered(more: false))
    #expect(conversation.failures == 0)
    let effects = wait()
    #expect(effects == [.scheduleRetry(at: 1_100, afterMilliseconds: 100)])
  }

  @Test mutating func `the server's word on when is a lower bound, of at most a day`() {
    _ = conversation.handle(.changed)
    let busy = RoundFailure.unavailable(status: 503, retryAfterMilliseconds: 7_000)
    let effects = conversation.handle(.failed(busy, wall: 0, draw: .max))
    #expect(effects == [.scheduleRetry(at: 7_000, afterMilliseconds: 7_000)])
    _ = conversation.handle(.retryDue)
    let year = RoundFailure.unavailable(
      status: 503, retryAfterMilliseconds: 365 * 86_400_000)
    let again = conversation.handle(.failed(year, wall: 0, draw: 0))
    #expect(again == [.scheduleRetry(at: 86_400_000, afterMilliseconds: 86_400_000)])
  }

  @Test func `a stored retry goes on after a restart`() {
    var conversation = Conversation(waiting: (failure: Self.lost, due: 500), failures: 3)
    #expect(conversation.state == .waiting(failure: Self.lost, due: 500))
    #expect(conversation.failures == 3)
    let effects = conversation.handle(.retryDue)
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
  }

  @Test(arguments: [(nil, 500), (31, 31), (0, 1), (-3, 1), (9_000, 500)] as [(Int?, Int)])
  func `a batch that was halved before a restart stays halved`(stored: Int?, batch: Int) {
    var conversation = Conversation(batch: stored)
    let effects = conversation.handle(.changed)
    #expect(effects == [.exchange(batch: batch)])
    var waiting = Conversation(
      waiting: (failure: .timedOut, due: 500), failures: 3, batch: stored)
    let retried = waiting.handle(.retryDue)
    #expect(retried == [.exchange(batch: batch)])
  }

  @Test mutating func `a clock at the end of time schedules without overflow`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.failed(Self.lost, wall: .max, draw: .max))
    #expect(effects == [.scheduleRetry(at: .max, afterMilliseconds: 100)])
  }

  // MARK: - Blocked

  @Test(arguments: [Conversation.Event.requested, .unblocked])
  func `somebody who acts ends a block`(event: Conversation.Event) {
    var conversation = Conversation()
    _ = conversation.handle(.changed)
    _ = conversation.handle(.failed(.needsSignIn(status: 401), wall: 0, draw: 0))
    let effects = conversation.handle(event)
    #expect(effects == [.exchange(batch: Conversation.greatestBatch)])
    #expect(conversation.state == .exchanging(again: false))
  }

  @Test(arguments: late + [.changed, .cameOnline, .retryDue])
  func `nothing else does`(event: Conversation.Event) {
    var conversation = Conversation()
    _ = conversation.handle(.changed)
    _ = conversation.handle(.failed(.needsUpdate, wall: 0, draw: 0))
    let effects = conversation.handle(event)
    #expect(effects.isEmpty)
    #expect(conversation.state == .blocked(.update))
  }

  // MARK: - Batches

  @Test mutating func `a request that is too large is cut in half at once, down to one`() {
    _ = conversation.handle(.changed)
    var batches: [Int] = []
    var effects: [Conversation.Effect] = []
    while true {
      effects = conversation.handle(.failed(.tooLarge, wall: 0, draw: 0))
      guard case .exchange(let batch) = effects.first else { break }
      batches.append(batch)
    }
    #expect(batches == [250, 125, 62, 31, 15, 7, 3, 1])
    #expect(effects == [.scheduleRetry(at: 0, afterMilliseconds: 0)])
    #expect(conversation.batch == 1)
  }

  @Test mutating func `a time-out halves the batch and waits`() {
    _ = conversation.handle(.changed)
    let effects = conversation.handle(.failed(.timedOut, wall: 0, draw: .max))
    #expect(effects == [.scheduleRetry(at: 100, afterMilliseconds: 100)])
    #expect(conversation.batch == 250)
  }

  @Test mutating func `an overloaded server is no reason to halve`() {
    _ = conversation.handle(.changed)
    let busy = RoundFailure.unavailable(status: 503, retryAfterMilliseconds: 0)
    _ = conversation.handle(.failed(busy, wall: 0, draw: 0))
    #expect(conversation.batch == Conversation.greatestBatch)
  }

  @Test mutating func `an answered round makes the next one larger again`() {
    _ = conversation.handle(.changed)
    _ = conversation.handle(.failed(.tooLarge, wall: 0, draw: 0))
    _ = conversation.handle(.answered(more: true))
    #expect(conversation.batch == 500)
    _ = conversation.handle(.answered(more: false))
    #expect(conversation.batch == Conversation.greatestBatch)
  }

  @Test mutating func `what is halved is what was really sent`() {
    _ = conversation.handle(.changed)
    conversation.noteSent(8)
    _ = conversation.handle(.failed(.tooLarge, wall: 0, draw: 0))
    #expect(conversation.batch == 4)
  }

  @Test mutating func `a small round leaves the batch as large as it was`() {
    _ = conversation.handle(.changed)
    conversation.noteSent(1)
    _ = conversation.handle(.answered(more: false))
    #expect(conversation.batch == Conversation.greatestBatch)
  }

  @Test mutating func `a lone operation that is too large has to wait`() {
    _ = conversation.handle(.changed)
    conversation.noteSent(1)
    let effects = conversation.handle(.failed(.tooLarge, wall: 0, draw: .max))
    #expect(effects == [.scheduleRetry(at: 100, afterMilliseconds: 100)])
    #expect(conversation.batch == 1)
  }
}
