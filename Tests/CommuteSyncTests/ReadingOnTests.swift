import CommuteCore
import CommuteHTTP
import CommuteStore
import Dispatch
import Testing

@testable import CommuteSync

/// A pull of many pages: the next one is on its way while one is stored.
@Suite(.timeLimit(.minutes(2))) struct ReadingOnTests {
  let scene: Scene

  init() async throws {
    scene = try await Scene()
    try await scene.otherDevice(adds: 1...600)
  }

  /// The server's answer in pages of 200 records; `before` is told of each request.
  private func pages(
    before: @escaping @Sendable (SyncRequest) -> Void = { _ in }
  ) -> Reply {
    Reply { (request, client) async throws(HTTPClientError) in
      before(request)
      var request = request
      request.limit.records = 200
      return try await client.passOn(request)
    }
  }

  @Test func `the next page is asked for before this one is stored`() async throws {
    let asked = DispatchSemaphore(value: 0)
    scene.client.usually(
      pages { request in
        if request.feeds.contains(where: { $0.cursor == 200 }) { asked.signal() }
      })
    let store = try scene.open { point in
      // Stores nothing before the next page was asked for; the store's own thread waits here.
      guard point == .answerApplied else { return }
      guard asked.wait(timeout: .now() + 60) == .success else {
        Issue.record("nothing was asked for while a page was stored")
        return
      }
      asked.signal()
    }
    let report = await scene.driver(store).sync()
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 600)
    #expect(report.received == 600)
    #expect(report.rounds == 3)
  }

  @Test func `a page that does not come keeps those before it`() async throws {
    scene.client.next(pages(), pages(), .failure(.timedOut))
    let store = try scene.open()
    let driver = scene.driver(store)
    let report = await driver.sync()
    let device = try await store.device()
    #expect(report.received == 400)
    #expect(report.failure == .timedOut)
    #expect(device.feeds["books"]?.cursor == 400)
    #expect(device.nonce == nil)
    let next = await driver.sync()
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 600)
    #expect(next.failure == nil)
  }

  @Test func `a change made during the pull goes before the pull is over`() async throws {
    let gate = Gate()
    scene.client.next(pages(), .held(by: gate))
    scene.client.usually(pages())
    let store = try scene.open()
    let driver = scene.driver(store)
    await driver.start()
    await gate.arrival()
    try await store.write { tx in try tx.insert(Book(id: id(9_000), title: "mine")) }
    await scene.until { await driver.conversation.mayReadOn == false }
    gate.open()
    try await scene.until { try await store.counts().waiting == 0 }
    let carrying = scene.client.requests.filter { !$0.operations.isEmpty }
    #expect(carrying.map(\.operations.count) == [500, 100, 1])
    await driver.stop()
  }

  @Test func `an answer to another request ends the pull, and nothing of it is taken`() async throws
  {
    scene.client.next(pages(), .changed { $0.nonce = Nonce(high: 7, low: 7) })
    let store = try scene.open()
    let report = await scene.driver(store).sync()
    let device = try await store.device()
    #expect(report.received == 200)
    #expect(report.failure == .notAnAnswer("it answers another request"))
    #expect(device.feeds["books"]?.cursor == 200)
  }
}
