import CommuteCore
import CommuteHTTP
import CommuteStore
import Testing

@testable import CommuteSync

/// What one call does when all goes well, and what it shares with others.
@Suite(.timeLimit(.minutes(2))) struct RoundTests {
  let scene: Scene
  let store: Store
  let driver: SyncDriver

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    driver = scene.driver(store)
  }

  @Test func `what was written is settled, and the status says so`() async throws {
    try await store.add(1...3)
    let report = await driver.sync()
    let counts = try await store.counts()
    #expect(report.settled == 3)
    #expect(report.rounds == 1)
    #expect(report.failure == nil)
    #expect(report.status == .idle(lastSuccess: scene.time.wall))
    #expect(counts == StoreCounts())
  }

  @Test func `what others wrote comes, page after page`() async throws {
    try await scene.otherDevice(adds: 1...7)
    let before = scene.client.requests.count
    scene.client.usually(
      Reply { (request, client) async throws(HTTPClientError) in
        var request = request
        request.limit.records = 2
        return try await client.passOn(request)
      })
    let report = await driver.sync()
    let titles = try await store.titles()
    #expect(titles == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(report.received == 7)
    #expect(scene.client.requests.count - before == 4)
  }

  @Test func `more than one request's worth goes in several`() async throws {
    try await store.add(1...1_200)
    let report = await driver.sync()
    #expect(report.settled == 1_200)
    #expect(scene.client.requests.map(\.operations.count) == [500, 500, 200])
  }

  @Test func `callers share the rounds, and never two run at once`() async throws {
    let gate = Gate()
    scene.client.next(.held(by: gate))
    try await store.add(1...1)
    let calls = (1...5).map { _ in Task { await driver.sync() } }
    await gate.arrival()
    await scene.until { await driver.waiterCount == 5 }
    gate.open()
    for call in calls {
      let report = await call.value
      #expect(report.status == .idle(lastSuccess: scene.time.wall))
      #expect(report.settled == 1)
    }
    #expect(scene.client.requests.count == 2)
    #expect(scene.client.mostRunning == 1)
  }

  @Test func `another process that syncs the file is named, and waited for`() async throws {
    try await store.add(1...1)
    let other = try scene.open()
    let claim = try other.claimSync(as: "the widget")
    let report = await driver.sync()
    #expect(scene.client.requests.isEmpty)
    #expect(
      report.status.text == "the widget is syncing this device and sends all that waits here;"
        + " try again when it has ended · 1 change waiting")
    // Nothing is remembered: it was no attempt, and the widget remembers its own.
    let retry = try await store.retry()
    #expect(retry == nil)
    claim.release()
    let next = await driver.sync()
    #expect(next.settled == 1)
  }

  @Test func `an edit made while its record is under way survives and follows`() async throws {
    let gate = Gate()
    scene.client.next(.held(by: gate))
    try await store.add(1...1)
    let call = Task { await driver.sync() }
    await gate.arrival()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.note = "lent to Jo" } }
    gate.open()
    let report = await call.value
    #expect(report.settled == 2)
    let other = try scene.open("other")
    _ = await scene.driver(other).sync()
    let book = try await other.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book?.note == "lent to Jo")
  }

  @Test func `a driver that was started sends each write by itself`() async throws {
    await driver.start()
    await scene.until { driver.status == .idle(lastSuccess: scene.time.wall) }
    try await store.add(1...1)
    try await scene.until { try await store.counts().waiting == 0 }
    #expect(scene.client.requests.count >= 2)
    await driver.stop()
  }

  @Test func `a copy that was sent before gets a new identity and goes on`() async throws {
    scene.client.next(
      Reply { (request, client) async throws(HTTPClientError) in
        // The server knows this number from another copy of the file: it settles nothing.
        let epoch = try await client.answer(SyncRequest.empty(like: request)).epoch
        return .json(
          SyncAnswer(epoch: epoch, renew: [], time: request.time, nonce: request.nonce))
      })
    try await store.add(1...1)
    let before = try await store.device().replica
    let report = await driver.sync()
    let after = try await store.device()
    #expect(report.settled == 1)
    #expect(after.replica != before)
    #expect(after.earlierReplicas == [before])
    #expect(scene.client.requests.map(\.replica).count == 2)
  }
}

extension SyncRequest {
  /// A request of another device that carries nothing.
  static func empty(like request: SyncRequest) -> SyncRequest {
    var empty = request
    empty.replica = ReplicaID(rawValue: 1)
    empty.operations = []
    return empty
  }
}
