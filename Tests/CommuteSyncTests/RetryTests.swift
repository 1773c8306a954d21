import CommuteCore
import CommuteHTTP
import CommuteStore
import Dispatch
import Testing

@testable import CommuteSync

/// When it is tried again, and what survives a restart.
@Suite(.timeLimit(.minutes(2))) struct RetryTests {
  let scene: Scene
  let store: Store
  let driver: SyncDriver

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    driver = scene.driver(store)
    try await store.add(1...1)
  }

  @Test func `a retry fires by itself, without a new write`() async throws {
    var asked = scene.sleep.asked.makeAsyncIterator()
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    let delay = await asked.next()
    #expect(delay == 1_000)
    scene.sleep.wake()
    try await scene.until { try await store.counts().waiting == 0 }
    #expect(scene.client.requests.count == 2)
  }

  @Test func `delays double while failures go on, and begin anew after a success`() async throws {
    var asked = scene.sleep.asked.makeAsyncIterator()
    scene.client.next(
      .failure(.noNetwork(.refused)), .failure(.noNetwork(.refused)),
      .failure(.noNetwork(.refused)))
    var delays: [Int64?] = []
    for _ in 0..<3 {
      _ = await driver.sync()
      delays.append(await asked.next())
    }
    _ = await driver.sync()
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    delays.append(await asked.next())
    #expect(delays == [1_000, 2_000, 4_000, 1_000])
  }

  @Test func `a write while waiting does not hurry the retry`() async throws {
    scene.client.next(.failure(.noNetwork(.refused)))
    await driver.start()
    await scene.until { scene.sleep.count == 1 }
    try await store.add(2...2)
    await scene.until { driver.status.waiting == 2 }
    #expect(scene.client.requests.count == 1)
    await driver.stop()
  }

  @Test func `a network that comes back is used at once`() async throws {
    scene.client.next(.failure(.noNetwork(.unreachable)))
    _ = await driver.sync()
    await driver.noteOnline()
    try await scene.until { try await store.counts().waiting == 0 }
    #expect(scene.client.requests.count == 2)
  }

  @Test func `a batch that was halved stays so in the next process`() async throws {
    try await store.add(2...8)
    await driver.stop()
    await store.close()
    scene.client.usually(
      Reply { (request, client) async throws(HTTPClientError) in
        if request.operations.count <= 2 { return try await client.passOn(request) }
        return HTTPResponse(status: 502, line: "status 502")
      })
    var open: Store?
    for _ in 1...3 {
      await open?.close()
      let store = try scene.open()
      let process = scene.driver(store)
      _ = await process.sync()
      await process.stop()
      open = store
    }
    #expect(scene.client.requests.prefix(3).map(\.operations.count) == [8, 4, 2])
    // What was taken doubles it again, once.
    let waiting = try await open?.counts().waiting
    #expect(waiting == 6)
    await open?.close()
  }

  @Test func `a stored retry goes on after a restart, with what is left of its time`()
    async throws
  {
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    await driver.stop()
    await store.close()
    scene.time.advance(400)
    let reopened = try scene.open()
    let second = scene.driver(reopened)
    let firstSleeps = scene.sleep.count
    await second.start()
    await scene.until { scene.sleep.count == firstSleeps + 1 }
    #expect(second.status == .offline(waiting: 1, retryAt: scene.time.wall + 600))
    #expect(scene.client.requests.count == 1)
    scene.sleep.wake()
    try await scene.until { try await reopened.counts().waiting == 0 }
    await second.stop()
  }

  @Test func `failures in a row are counted over a restart`() async throws {
    scene.client.next(
      .failure(.noNetwork(.refused)), .failure(.noNetwork(.refused)))
    _ = await driver.sync()
    await driver.stop()
    await store.close()
    let second = scene.driver(try scene.open())
    let report = await second.sync()
    #expect(report.status == .offline(waiting: 1, retryAt: scene.time.wall + 2_000))
  }

  @Test func `a stored retry that is due counts as part of the sync that found it`() async throws {
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    await driver.stop()
    await store.close()
    scene.time.advance(5_000)
    let reopened = try scene.open()
    var settings = SyncSettings(server: "http://server.example")
    settings.sleep = { _ in }
    let second = SyncDriver(store: reopened, client: scene.client, settings: settings)
    let report = await second.sync()
    #expect(report.settled == 1)
    await second.stop()
  }

  @Test func `starting and syncing at once do not get in each other's way`() async throws {
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    await driver.stop()
    let second = scene.driver(store)
    // While somebody writes, both calls stand at the beginning.
    let door = DispatchSemaphore(value: 0)
    let writing = Task { try await store.write(durability: .full) { _ in door.wait() } }
    let starting = Task { await second.start() }
    let call = Task { await second.sync() }
    for _ in 0..<200 { await Task.yield() }
    door.signal()
    try await writing.value
    await starting.value
    let report = await call.value
    #expect(report.settled == 1)
    #expect(report.status == .idle(lastSuccess: scene.time.wall))
    await second.stop()
  }

  @Test func `a success forgets the stored retry`() async throws {
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await driver.sync()
    let stored = try await store.retry()
    #expect(stored?.failures == 1)
    _ = await driver.sync()
    let after = try await store.retry()
    #expect(after == nil)
  }

  @Test(arguments: [429, 503]) func `the server's own delay is respected`(status: Int) async throws
  {
    var asked = scene.sleep.asked.makeAsyncIterator()
    scene.client.next(.status(status, retryAfter: 120))
    let report = await driver.sync()
    let delay = await asked.next()
    #expect(delay == 120_000)
    #expect(
      report.status.text
        == "the server cannot answer now (\(status)); it is asked again · 1 change waiting")
  }

  @Test func `giving up is no failure: nothing is stored, nothing is lost`() async throws {
    let gate = Gate()
    scene.client.next(.held(by: gate))
    let call = Task { await driver.sync() }
    await gate.arrival()
    await driver.stop()
    let report = await call.value
    let stored = try await store.retry()
    #expect(report.status == .pending(waiting: 1))
    #expect(report.status.text == "Not sent yet · 1 change waiting")
    #expect(stored == nil)
    #expect(scene.sleep.count == 0)
    let next = await driver.sync()
    #expect(next.settled == 1)
  }

  @Test func `stopping ends the rounds that were still wanted, too`() async throws {
    let gates = [Gate(), Gate()]
    scene.client.next(.held(by: gates[0]), .held(by: gates[1]))
    await driver.start()
    await gates[0].arrival()
    let call = Task { await driver.sync() }
    await scene.until { await driver.waiterCount == 1 }
    await driver.stop()
    let isRunning = await driver.isRunning
    #expect(!isRunning)
    for gate in gates { gate.open() }
    _ = await call.value
  }
}
