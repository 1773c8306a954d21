import CommuteCore
import Testing

@Suite struct DeviceTests {
  static let epoch = Epoch(rawValue: 7)
  static let nonce = Nonce(high: 1, low: 1)
  static let build = Device.Build(
    schema: SchemaID(name: "shelf", version: 1, hash: 2), build: "b", device: "Ada's phone")

  var device = Device(
    account: Account(tenant: "home", user: "ada"),
    clock: HybridClock(replica: ReplicaID(rawValue: 1)),
    feeds: ["books": FeedState(cursor: 4, grant: 2, fence: 1)])

  func row(_ id: UInt64, feed: Key = "books", replica: UInt64 = 1) -> OutboxRow {
    OutboxRow(
      operation: Operation(
        id: OperationID(high: 0, low: id), schema: 1, replica: ReplicaID(rawValue: replica),
        key: DeviceBench.key, feed: feed),
      isInFlight: true, bytes: [1, 2], attempts: 1, unanswered: 1)
  }

  mutating func begin(_ rows: [OutboxRow] = [], nonce: Nonce = nonce) -> SyncRequest {
    device.begin(with: rows, nonce: nonce, build: Self.build, wall: 50)
  }

  mutating func read(_ answer: SyncAnswer, wall: Int64 = 1_000) -> AnswerReading {
    device.read(answer, wall: wall, roundTrip: 0, newReplica: ReplicaID(rawValue: 2))
  }

  func answer(nonce: Nonce = nonce) -> SyncAnswer {
    SyncAnswer(epoch: Self.epoch, time: 1_000, nonce: nonce)
  }

  // MARK: - Asking

  @Test mutating func `a request says who asks, and about what`() {
    device.epoch = Self.epoch
    device.earlierReplicas = [ReplicaID(rawValue: 8)]
    let request = begin([row(5)])
    #expect(request.owner == "home/ada")
    #expect(request.replica == ReplicaID(rawValue: 1))
    #expect(request.replicas == [ReplicaID(rawValue: 8)])
    #expect(request.device == "Ada's phone")
    #expect(request.epoch == Self.epoch)
    #expect(request.time == 50)
    #expect(request.feeds == [SyncRequest.Feed(feed: "books", grant: 2, cursor: 4)])
    #expect(request.operations.map { $0.operation.id.low } == [5])
    #expect(request.operations[0].bytes == [1, 2])
  }

  @Test mutating func `the number rises with operations only`() {
    let numbers = [begin([row(5)]).number, begin().number, begin([row(5)]).number]
    #expect(numbers == [1, 1, 2])
  }

  @Test mutating func `an operation of a feed not asked about brings the feed along`() {
    let request = begin([row(5, feed: "desk")])
    #expect(request.feeds.map { $0.feed } == ["books", "desk"])
    #expect(request.feeds[1].cursor == nil)
  }

  @Test mutating func `what was perhaps sent before is named`() {
    var again = row(6)
    again.unanswered = 2
    let request = begin([row(5), again, row(7, replica: 9)])
    #expect(request.again.map { $0.low } == [6, 7])
  }

  // MARK: - Reading

  @Test mutating func `an answer is read once`() {
    _ = begin()
    let first = read(answer())
    let second = read(answer())
    #expect(first == .apply)
    #expect(second == .ignored)
    #expect(device.epoch == Self.epoch)
  }

  @Test mutating func `an answer to another request changes nothing`() {
    _ = begin()
    let before = device
    let reading = read(answer(nonce: Nonce(high: 9, low: 9)))
    #expect(reading == .ignored)
    #expect(device == before)
  }

  @Test mutating func `an answer measures how far the server is ahead`() {
    _ = begin()
    _ = read(answer(), wall: 400)
    #expect(device.clock.measuredOffset == 600)
  }

  @Test mutating func `a number used before renews the replica and applies nothing`() {
    _ = begin([row(5)])
    var answer = answer()
    answer.renew = []
    let reading = read(answer)
    #expect(reading == .renewed)
    #expect(device.replica == ReplicaID(rawValue: 2))
    #expect(device.earlierReplicas == [ReplicaID(rawValue: 1)])
    #expect(device.number == 0)
    #expect(device.epoch == nil)
  }

  @Test mutating func `another history stops the round and is not taken over`() {
    device.epoch = Epoch(rawValue: 3)
    _ = begin()
    let reading = read(answer())
    #expect(reading == .stop(.otherEpoch(known: Epoch(rawValue: 3), told: Self.epoch)))
    #expect(device.epoch == Epoch(rawValue: 3))
    #expect(device.nonce == nil)
  }

  @Test mutating func `a reset stops the round by its feed's name`() {
    _ = begin()
    var answer = answer()
    answer.feeds = [SyncAnswer.Feed(feed: "books", grant: 2, cursor: nil, reset: 9)]
    let reading = read(answer)
    #expect(reading == .stop(.reset(feed: "books")))
  }

  @Test mutating func `a revocation stops the round with its reason`() {
    _ = begin()
    var answer = answer()
    answer.feeds = [SyncAnswer.Feed(feed: "books", grant: 2, cursor: nil, revoked: "left")]
    let reading = read(answer)
    #expect(reading == .stop(.revoked(feed: "books", reason: "left")))
  }

  @Test mutating func `a log that ends before what was read stops the round`() {
    _ = begin()
    var answer = answer()
    answer.feeds = [SyncAnswer.Feed(feed: "books", grant: 2, cursor: 3)]
    let reading = read(answer)
    #expect(reading == .stop(.historyShorter(feed: "books")))
    #expect(device.feeds["books"]?.cursor == 4)
  }

  @Test mutating func `a log that ends where it was read is in order`() {
    _ = begin()
    var answer = answer()
    answer.feeds = [SyncAnswer.Feed(feed: "books", grant: 2, cursor: 4)]
    let reading = read(answer)
    #expect(reading == .apply)
  }

  @Test(arguments: [ProtocolVersion.current + 1, ProtocolVersion.minimum - 1])
  func `another protocol stops the round`(version: UInt64) {
    var test = Self()
    _ = test.begin()
    var answer = test.answer()
    answer.protocolVersion = version
    let reading = test.read(answer)
    #expect(reading == .stop(.protocolNotSpoken(version)))
    #expect(test.device.epoch == nil)
  }

  @Test func `every stop says what happened and that nothing is lost, or what to do`() {
    let stops: [RoundStop] = [
      .protocolNotSpoken(9), .otherEpoch(known: Self.epoch, told: Epoch(rawValue: 8)),
      .reset(feed: "books"), .revoked(feed: "books", reason: "left"),
      .historyShorter(feed: "books"),
    ]
    for stop in stops {
      #expect(stop.message.contains("kept here") || stop.message.contains("update the app"))
    }
  }

  // MARK: - Cursors

  @Test mutating func `a cursor moves where the answer says`() {
    device.moveCursor(by: SyncAnswer.Feed(feed: "books", grant: 3, cursor: 9, fence: 2))
    #expect(device.feeds["books"] == FeedState(cursor: 9, grant: 3, fence: 2))
  }

  @Test mutating func `a part without a cursor leaves it, and one nobody asked for is nothing`() {
    device.moveCursor(by: SyncAnswer.Feed(feed: "books", grant: 2, cursor: nil))
    device.moveCursor(by: SyncAnswer.Feed(feed: "other", grant: 2, cursor: 5))
    #expect(device.feeds["books"]?.cursor == 4)
    #expect(device.feeds["other"] == nil)
  }

  // MARK: - The replica

  @Test mutating func `a file that is what left it goes on under its id`() {
    device.number = 3
    let host = HostRecord(replica: ReplicaID(rawValue: 1), number: 3)
    let older = HostRecord(replica: ReplicaID(rawValue: 1), number: 2)
    for record in [host, older] {
      #expect(device.renewalReason(host: record, bootChanged: false, cleanEnd: false) == nil)
      #expect(device.renewalReason(host: record, bootChanged: true, cleanEnd: true) == nil)
    }
  }

  @Test mutating func `what cannot be the same file takes a new id, and says why`() {
    device.number = 3
    let host = HostRecord(replica: ReplicaID(rawValue: 1), number: 3)
    let ahead = HostRecord(replica: ReplicaID(rawValue: 1), number: 4)
    let other = HostRecord(replica: ReplicaID(rawValue: 2), number: 1)
    let reasons = [
      device.renewalReason(host: nil, bootChanged: false, cleanEnd: true),
      device.renewalReason(host: other, bootChanged: false, cleanEnd: true),
      device.renewalReason(host: ahead, bootChanged: false, cleanEnd: true),
      device.renewalReason(host: host, bootChanged: true, cleanEnd: false),
    ]
    #expect(reasons == [.noHostRecord, .otherReplica, .numberAhead, .uncleanBoot])
    #expect(Set(RenewalReason.allCases.map { $0.message }).count == 4)
  }

  @Test mutating func `a new id keeps the clock, forgets the number and waits for no answer`() {
    device.clock.observe(DeviceBench.stamp(900))
    _ = begin([row(5)])
    device.renewReplica(to: ReplicaID(rawValue: 2))
    #expect(device.replica == ReplicaID(rawValue: 2))
    #expect(device.number == 0)
    #expect(device.nonce == nil)
    #expect(device.clock.last == DeviceBench.stamp(900).time)
    #expect(device.earlierReplicas == [ReplicaID(rawValue: 1)])
  }

  @Test mutating func `a device that forgets what it counted counts on under another id`() {
    let plain = TableSchema("book", fields: [FieldSchema("title", .text)])
    let counting = TableSchema("vote", fields: [FieldSchema("votes", .integer, rule: .counter)])
    let isNeeded = device.forgetCounts(in: [plain], newReplica: ReplicaID(rawValue: 2))
    #expect(!isNeeded)
    #expect(device.replica == ReplicaID(rawValue: 1))
    let isRenewed = device.forgetCounts(in: [plain, counting], newReplica: ReplicaID(rawValue: 2))
    #expect(isRenewed)
    #expect(device.replica == ReplicaID(rawValue: 2))
    #expect(device.earlierReplicas == [ReplicaID(rawValue: 1)])
  }
}
