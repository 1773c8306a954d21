import CommuteCore
import CommuteHTTP
import CommuteRelay
import CommuteServer
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Testing

@testable import CommuteSync

/// Sync's waiting as tasks of the queue, in the file that holds what is to be sent.
@Suite(.timeLimit(.minutes(2))) struct BackgroundSyncTests {
  let scene: Scene

  init() async throws {
    scene = try await Scene()
  }

  /// A device whose driver waits by its queue.
  private struct Device {
    let store: Store
    let queue: TaskQueue
    let driver: SyncDriver
    let background: BackgroundSync
  }

  private func device(_ monitor: ConnectivityMonitor? = nil) async throws -> Device {
    let store = try scene.open()
    let background = BackgroundSync()
    var handlers = Handlers()
    background.add(to: &handlers)
    var queueSettings = QueueSettings()
    queueSettings.poll = 20
    let queue = try await TaskQueue(store, handlers, settings: queueSettings)
    var settings = SyncSettings(server: "http://server.example/")
    settings.draw = { .max }
    background.prepare(&settings, queue: queue, monitor: monitor)
    let driver = SyncDriver(store: store, client: scene.client, settings: settings)
    try await background.attach(driver, to: queue)
    return Device(store: store, queue: queue, driver: driver, background: background)
  }

  /// The tasks of sync as the file holds them, read by a connection of its own.
  private func tasks() throws -> [[SQLValue]] {
    let connection = try Connection(
      .file("\(scene.folder)/device/commute.db"), Configuration(.readOnly))
    defer { connection.close() }
    return try connection.statement(
      "SELECT state, due_at FROM q_task WHERE kind = 'commute.sync' ORDER BY id"
    ).all { row in [row.value(0), row.value(1)] }
  }

  @Test func `what the driver waits for is one task, and success takes it back`() async throws {
    let device = try await device()
    try await device.store.add(1...1)
    #expect(try tasks().isEmpty, "a local edit queues nothing")
    scene.client.next(.failure(.noNetwork(.refused)), .failure(.noNetwork(.refused)))
    _ = await device.driver.sync()
    #expect(try tasks() == [[.integer(1), .integer(scene.time.wall + 1_000)]])
    _ = await device.driver.sync()
    #expect(try tasks() == [[.integer(1), .integer(scene.time.wall + 2_000)]])
    _ = await device.driver.sync()
    #expect(try tasks().map { $0[0] } == [.integer(12)])
    #expect(try await device.store.counts().waiting == 0)
  }

  @Test func `a retry comes in the next process, by its queue`() async throws {
    let first = try await device()
    try await first.store.add(1...3)
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await first.driver.sync()
    await first.driver.stop()
    await first.store.close()
    let second = try await device()
    let early = try await second.queue.drain(until: .now + .seconds(3_600))
    #expect(scene.client.requests.count == 1)
    #expect(early.nextDue == scene.time.wall + 1_000)
    scene.time.advance(1_000)
    try await second.queue.drain(until: .now + .seconds(3_600))
    #expect(scene.client.requests.count == 2)
    #expect(try await second.store.counts().waiting == 0)
    let states = try tasks().map { $0[0] }
    // The driver that took the retry up asked for its own, and took it back.
    #expect(states.first == .integer(10) && states.dropFirst().allSatisfy { $0 == .integer(12) })
  }

  @Test func `a retry that fails asks for the next one while it runs`() async throws {
    let device = try await device()
    try await device.store.add(1...1)
    scene.client.usually(.failure(.noNetwork(.refused)))
    _ = await device.driver.sync()
    for (round, delay) in [1_000, 2_000, 4_000].enumerated() {
      let waiting = try tasks().filter { $0[0] == .integer(1) }
      #expect(waiting == [[.integer(1), .integer(scene.time.wall + Int64(delay))]])
      scene.time.advance(Int64(delay))
      try await device.queue.drain(until: .now + .seconds(3_600))
      #expect(scene.client.requests.count == round + 2)
    }
  }

  @Test func `without a driver the task waits for a process that has one`() async throws {
    let device = try await device()
    try await device.store.add(1...1)
    scene.client.next(.failure(.noNetwork(.refused)))
    _ = await device.driver.sync()
    device.background.detach(from: device.queue)
    scene.time.advance(1_000)
    try await device.queue.drain(until: .now + .seconds(3_600))
    #expect(scene.client.requests.count == 1)
    #expect(try tasks().map { $0[0] } == [.integer(2)])
    try await device.background.attach(device.driver, to: device.queue)
    try await device.queue.drain(until: .now + .seconds(3_600))
    #expect(scene.client.requests.count == 2)
  }

  @Test func `coming online starts one round`() async throws {
    let source = GivenPathSource(Connectivity.Path(isSatisfied: false))
    let sleep = scene.sleep
    let monitor = ConnectivityMonitor(
      source: source, prober: Echo(), clock: scene.time.clock,
      sleep: { try await sleep.wait(.milliseconds($0)) })
    let device = try await device(monitor)
    try await device.store.add(1...1)
    scene.client.next(.failure(.noNetwork(.unreachable)))
    let running = Task {
      try await device.background.run(device.driver, queue: device.queue, monitor: monitor)
    }
    try await scene.until { try tasks().count == 1 && monitor.connectivity.state == .offline }
    #expect(scene.client.requests.count == 1)
    scene.time.advance(60_000)
    source.tell(Connectivity.Path(isSatisfied: true))
    await scene.until { monitor.connectivity.path?.isSatisfied == true }
    // The way must stand for two seconds before the server is asked.
    await scene.until { sleep.count > 0 }
    #expect(scene.client.requests.count == 1)
    scene.time.advance(2_000)
    sleep.wake()
    try await scene.until { try await device.store.counts().waiting == 0 }
    #expect(scene.client.requests.count == 2)
    running.cancel()
    _ = await running.result
  }

  private struct Echo: Prober {
    func probe(limit: Duration) async -> Connectivity.Verdict { .reachable }
  }
}

/// Whether it is our server that answers.
@Suite(.timeLimit(.minutes(2))) struct ServerProberTests {
  private func verdict(_ response: HTTPResponse?) async -> Connectivity.Verdict {
    await ServerProber(server: "http://hotel.example/", client: Portal(response: response))
      .probe(limit: .seconds(5))
  }

  /// Answers everything with one page, as the portal of a network does.
  private struct Portal: HTTPClient {
    let response: HTTPResponse?

    func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
      guard let response else { throw .noNetwork(.refused) }
      return response
    }
  }

  @Test func `G32 only the echo of a fresh nonce is our server`() async throws {
    for status in [200, 302, 307, 511] {
      #expect(await verdict(HTTPResponse(status: status, line: "please sign in")) == .captive)
    }
    let old = HTTPResponse(status: 200, body: Array("{\"nonce\":\"1\"}".utf8))
    #expect(await verdict(old) == .captive, "an echo of somebody else's nonce is none")
    #expect(await verdict(HTTPResponse(status: 503, line: "later")) == .unreachable)
    #expect(await verdict(nil) == .unreachable)
  }

  #if os(Linux)
    @Test func `a real server gives the nonce back, a closed door does not`() async throws {
      let scene = try await Scene()
      var settings = ServerSettings()
      settings.http.port = 0
      let server = try Server(store: scene.server, settings: settings)
      let relay = try Relay(to: try await server.start().port)
      let prober = ServerProber(server: "http://127.0.0.1:\(relay.port)", client: CurlClient())
      #expect(await prober.probe(limit: .seconds(30)) == .reachable)
      await relay.close()
      #expect(await prober.probe(limit: .seconds(30)) == .unreachable)
      await server.drain()
    }
  #endif
}
