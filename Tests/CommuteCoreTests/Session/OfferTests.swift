import CommuteCore
import Testing

/// Records offered again after the server began another history.
@Suite struct OfferTests {
  static let next = Epoch(rawValue: 8)
  static let id = OperationID(high: 9, low: 9)
  /// The server holds nothing of what the device knew.
  static let lost = EpochChange(known: DeviceBench.epoch, told: next, ancestry: [])

  var bench = DeviceBench()

  static func ancestor(_ epoch: UInt64, _ held: UInt64, ended: Int64 = 0) -> SyncAnswer.Ancestor {
    SyncAnswer.Ancestor(epoch: Epoch(rawValue: epoch), ended: ended, heads: ["books": held])
  }

  mutating func settle(
    _ kind: Verdict.Kind, record told: RecordState? = nil
  ) -> DeviceRecord.Outcome {
    let verdict = Verdict(
      id: Self.id, kind: kind, revision: told?.revision,
      record: told.map { RecordMessage(key: DeviceBench.key, state: $0) })
    return bench.record.settleOffer(verdict, clock: &bench.clock, wall: bench.wall)
  }

  mutating func absorbAndOffer() {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))], revision: 6))
    bench.record.offerAgain(after: Self.lost, id: Self.id)
  }

  @Test mutating func `a refusal that tells nothing leaves what was told since`() throws {
    absorbAndOffer()
    var told = DeviceBench.state(["title": ("older", DeviceBench.stamp(2))], revision: 3)
    told.revision?.epoch = Self.next
    bench.absorb(told)
    let outcome = settle(.rejected(.forbidden, message: "only to be read"))
    #expect(outcome.rejections.count == 1)
    #expect(bench.record.base == told)
    #expect(bench.record.view == told)
  }

  @Test mutating func `a refusal that tells nothing takes what only the device had`() {
    absorbAndOffer()
    let outcome = settle(.rejected(.forbidden, message: "only to be read"))
    #expect(outcome.rejections.count == 1)
    #expect(bench.record.base == nil)
  }

  // MARK: - What the server holds

  @Test func `it is the least along the ancestry, from the epoch on`() {
    let change = EpochChange(
      known: Epoch(rawValue: 3), told: Epoch(rawValue: 4),
      ancestry: [Self.ancestor(1, 20), Self.ancestor(2, 9), Self.ancestor(3, 12)])
    let held = (1...4).map { change.held(of: Epoch(rawValue: $0), in: "books") }
    #expect(held == [9, 9, 12, .max])
  }

  @Test func `of an epoch it does not know, and of a feed it never had, it holds nothing`() {
    let change = EpochChange(
      known: Epoch(rawValue: 3), told: Self.next, ancestry: [Self.ancestor(3, 12)])
    #expect(change.held(of: Epoch(rawValue: 5), in: "books") == 0)
    #expect(change.held(of: Epoch(rawValue: 3), in: "desk") == 0)
  }

  @Test func `exactly what is above that number is offered`() {
    let change = EpochChange(
      known: DeviceBench.epoch, told: Self.next, ancestry: [Self.ancestor(7, 6)])
    for (revision, isOffered) in [(UInt64(6), false), (7, true)] {
      var bench = DeviceBench()
      bench.absorb(DeviceBench.state([:], revision: revision))
      let did = bench.record.offerAgain(after: change, id: Self.id)
      #expect(did == isOffered)
      #expect((bench.record.offer != nil) == isOffered)
    }
  }

  // MARK: - While it is outstanding

  @Test mutating func `it is shown over base, under what is pending`() throws {
    bench.absorb(
      DeviceBench.state(
        ["title": ("new", DeviceBench.stamp(9)), "note": ("n", DeviceBench.stamp(8))],
        revision: 6))
    bench.record.offerAgain(after: Self.lost, id: Self.id)
    try bench.change(["note": .text("mine")])
    bench.absorb(DeviceBench.state(["title": ("old", DeviceBench.stamp(3))], revision: 2))
    #expect(bench.base == ["title": "old"])
    #expect(bench.view == ["title": "new", "note": "mine"])
  }

  @Test mutating func `a write over it names it as seen`() throws {
    absorbAndOffer()
    bench.record.base = nil
    try bench.change(["title": .text("b")])
    let over = bench.record.rows[0].operation.fields["title"]?.over
    #expect(over?.stamp == DeviceBench.stamp(5))
  }

  @Test mutating func `it survives a further change of epoch, and what base has beyond joins it`() {
    absorbAndOffer()
    bench.absorb(DeviceBench.state(["note": ("n", DeviceBench.stamp(7))], revision: 8))
    let further = EpochChange(
      known: Self.next, told: Epoch(rawValue: 9), ancestry: [Self.ancestor(7, 5)])
    bench.record.offerAgain(after: further, id: OperationID(high: 1, low: 1))
    #expect(DeviceBench.texts(bench.record.offer?.state) == ["title": "a", "note": "n"])
    let back = EpochChange(known: Self.next, told: DeviceBench.epoch, ancestry: [])
    let isOffered = bench.record.offerAgain(after: back, id: OperationID(high: 2, low: 2))
    #expect(!isOffered)
    #expect(bench.record.offer?.id == OperationID(high: 1, low: 1))
  }

  @Test mutating func `the request carries the full state and its feed`() {
    absorbAndOffer()
    let sent = bench.record.markOffered()
    #expect(sent?.id == Self.id)
    #expect(sent?.feed == "books")
    #expect(sent?.record.state == bench.record.base)
    #expect(bench.record.offer?.attempts == 1)
  }

  // MARK: - Its verdict

  @Test mutating func `taken, what the server made of it is base`() {
    absorbAndOffer()
    let outcome = settle(
      .applied, record: DeviceBench.state(["title": ("b", DeviceBench.stamp(30))], revision: 2))
    #expect(outcome.isSettled)
    #expect(outcome.rejections.isEmpty)
    #expect(bench.record.offer == nil)
    #expect(bench.base == ["title": "b"])
    #expect(bench.clock.last >= DeviceBench.stamp(30).time)
  }

  @Test mutating func `gone, it makes no entry in the inbox`() {
    absorbAndOffer()
    let outcome = settle(.rejected(.gone, message: ""))
    #expect(outcome.isSettled)
    #expect(outcome.rejections.isEmpty)
    #expect(bench.record.view == nil)
  }

  @Test mutating func `late, it is a creation in the inbox that only this device still has`() {
    absorbAndOffer()
    let outcome = settle(.rejected(.late, message: "only this device still has it"))
    #expect(outcome.rejections.map { $0.code } == [.late])
    #expect(outcome.rejections.first?.row.operation.creates == true)
    #expect(
      outcome.rejections.first?.row.operation.fields["title"]?.value == .text("a"))
    #expect(bench.record.view == nil)
  }

  @Test mutating func `put off, it waits as long as it is told, and at most two hours`() {
    absorbAndOffer()
    let outcome = settle(.later(.offers, afterMilliseconds: 5_000))
    #expect(!outcome.isSettled)
    #expect(bench.record.offer?.isDue(wall: bench.wall + 4_999) == false)
    #expect(bench.record.offer?.isDue(wall: bench.wall + 5_000) == true)
    _ = settle(.later(.offers, afterMilliseconds: .max))
    #expect(bench.record.offer?.notBefore == bench.wall + OutboxRow.longestDelay)
  }

  @Test mutating func `another verdict changes nothing`() {
    absorbAndOffer()
    let before = bench.record
    let verdict = Verdict(id: OperationID(high: 1, low: 1), kind: .applied)
    let outcome = bench.record.settleOffer(verdict, clock: &bench.clock, wall: 0)
    #expect(outcome == DeviceRecord.Outcome())
    #expect(bench.record == before)
  }

  // MARK: - The device

  @Test func `another epoch sets every cursor to the start and keeps grants`() {
    var device = Device(
      account: Account(tenant: "home", user: "ada"),
      clock: HybridClock(replica: ReplicaID(rawValue: 1)), epoch: DeviceBench.epoch,
      feeds: [
        "books": FeedState(cursor: 4, grant: 2, fence: 3),
        "desk": FeedState(cursor: 9, grant: 1, fence: 8, reset: 8),
      ])
    _ = device.begin(
      with: [], nonce: DeviceTests.nonce, build: DeviceTests.build, wall: 50)
    let answer = SyncAnswer(
      epoch: Self.next, ancestry: [Self.ancestor(7, 3)], time: 1, nonce: DeviceTests.nonce)
    let reading = device.read(
      answer, wall: 1, roundTrip: 0, newReplica: ReplicaID(rawValue: 2), carryingOut: .all)
    let change = EpochChange(
      known: DeviceBench.epoch, told: Self.next, ancestry: answer.ancestry)
    #expect(reading == .newEpoch(change))
    #expect(device.epoch == Self.next)
    #expect(device.feeds == ["books": FeedState(grant: 2), "desk": FeedState(grant: 1)])
    #expect(device.nonce == nil)
  }

  @Test func `offers raise the request number and bring their feed along`() {
    var device = Device(
      account: Account(tenant: "home", user: "ada"),
      clock: HybridClock(replica: ReplicaID(rawValue: 1)))
    let offer = SyncRequest.Offer(
      id: Self.id, feed: "books",
      record: RecordMessage(key: DeviceBench.key, state: RecordState()))
    let request = device.begin(
      with: [], offers: [offer], nonce: DeviceTests.nonce, build: DeviceTests.build, wall: 50)
    #expect(request.number == 1)
    #expect(request.offers == [offer])
    #expect(request.feeds.map { $0.feed } == ["books"])
  }

  @Test func `what a device can carry out does not stop its round`() {
    for (abilities, part) in [
      (Device.Abilities.reset, SyncAnswer.Feed(feed: "books", grant: 2, cursor: 1, reset: 9)),
      (.revocation, SyncAnswer.Feed(feed: "books", grant: 2, cursor: nil, revoked: "left")),
    ] {
      var device = Device(
        account: Account(tenant: "home", user: "ada"),
        clock: HybridClock(replica: ReplicaID(rawValue: 1)), epoch: DeviceBench.epoch,
        feeds: ["books": FeedState(cursor: 4, grant: 2)])
      var other = device
      var answer = SyncAnswer(epoch: DeviceBench.epoch, time: 1, nonce: DeviceTests.nonce)
      answer.feeds = [part]
      _ = device.begin(with: [], nonce: DeviceTests.nonce, build: DeviceTests.build, wall: 50)
      _ = other.begin(with: [], nonce: DeviceTests.nonce, build: DeviceTests.build, wall: 50)
      let reading = device.read(
        answer, wall: 1, roundTrip: 0, newReplica: ReplicaID(rawValue: 2),
        carryingOut: abilities)
      #expect(reading == .apply)
      let stopped = other.read(
        answer, wall: 1, roundTrip: 0, newReplica: ReplicaID(rawValue: 2),
        carryingOut: Device.Abilities.all.subtracting(abilities))
      #expect(stopped != .apply)
    }
  }
}

extension OfferTests {
  @Test mutating func `a value seen and settled anew by a put-back server does not win back`()
    throws
  {
    let claim = DeviceBench.stamp(9_000_000, by: 5)
    var state = DeviceBench.state([:], revision: 6)
    state.fields["title"] = FieldState(
      value: .text("theirs"), stamp: DeviceBench.stamp(12, by: 9), origin: claim)
    bench.absorb(state)
    try bench.change(["title": .text("mine")])
    state.fields["title"]?.stamp = DeviceBench.stamp(5_000, by: 9)
    bench.absorb(state)
    #expect(bench.view == ["title": "mine"])
  }
}
