import CommuteCore
import CommuteHTTP
import CommuteStore
import Testing

@testable import CommuteSync

/// What the driver makes of everything that is no answer; nothing that was written is ever lost.
@Suite(.timeLimit(.minutes(2))) struct FailureTests {
  let scene: Scene
  let store: Store
  let driver: SyncDriver

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    driver = scene.driver(store)
    try await store.add(1...1)
  }

  /// Whether the change waits, is still shown, and goes when the server answers.
  private func expectNothingIsLost() async throws {
    let counts = try await store.counts()
    let titles = try await store.titles()
    #expect(counts.waiting == 1)
    #expect(titles == ["1"])
    let report = await driver.sync()
    #expect(report.settled == 1)
    #expect(report.status == .idle(lastSuccess: scene.time.wall))
  }

  @Test func `without a network the status says so and counts what waits`() async throws {
    scene.client.next(.failure(.noNetwork(.refused)))
    let report = await driver.sync()
    #expect(
      report.status == .offline(waiting: 1, retryAt: scene.time.wall + 1_000))
    #expect(report.status.text == "Server not reachable · 1 change waiting")
    try await expectNothingIsLost()
  }

  @Test(arguments: [401, 403]) func `a sign-in that is asked for blocks, and reading goes on`(
    status: Int
  ) async throws {
    scene.client.next(.status(status))
    let report = await driver.sync()
    #expect(
      report.status.text == "Sign-in needed: give a valid token · 1 change waiting")
    await driver.start()
    await driver.noteOnline()
    try await store.add(2...2)
    let titles = try await store.titles()
    #expect(titles == ["1", "2"])
    #expect(scene.client.requests.count == 1)
    #expect(scene.sleep.count == 0)
    await driver.unblock()
    try await scene.until { try await store.counts().waiting == 0 }
    await driver.stop()
  }

  @Test func `each request asks for the token anew`() async throws {
    let tokens = TokenList(["old", "new"])
    let signedIn = scene.driver(store) { tokens.next() }
    scene.client.next(.status(401))
    _ = await signedIn.sync()
    _ = await signedIn.sync()
    #expect(scene.client.tokens == ["Bearer old", "Bearer new"])
  }

  @Test func `a server that no longer speaks to this build says to update`() async throws {
    scene.client.next(.status(426))
    let report = await driver.sync()
    #expect(report.status == .needsUpdate(waiting: 1))
    try await expectNothingIsLost()
  }

  @Test func `a file of another account is not sent`() async throws {
    scene.client.next(.status(409))
    let report = await driver.sync()
    #expect(
      report.status
        == .needsSignIn(
          waiting: 1, reason: "Sign-in needed: this file belongs to another account"))
    try await expectNothingIsLost()
  }

  @Test func `a request that the server refuses stops sync with its status`() async throws {
    scene.client.next(.status(400))
    let report = await driver.sync()
    #expect(
      report.status.text == "the server refused the request (400); report this · 1 change waiting")
    try await expectNothingIsLost()
  }

  static let impostors: [(name: String, body: String, type: String?)] = [
    ("a captive portal", "<html>Welcome to the airport</html>", "text/html"),
    ("a captive portal that calls itself JSON", "<html></html>", "application/json"),
    ("a wrong content type", "{}", "text/plain"),
    ("no content type", "{}", nil),
    ("JSON of something else", "{\"status\": \"ok\"}", "application/json"),
    ("an answer cut off", "{\"protocol\": 1, \"epoch\": \"0000", "application/json"),
    ("nothing", "", "application/json"),
  ]

  @Test(arguments: impostors.indices)
  func `what is no answer of ours is not taken for one`(index: Int) async throws {
    let impostor = Self.impostors[index]
    scene.client.next(.body(impostor.body, type: impostor.type))
    let report = await driver.sync()
    guard case .retryPending(1, _, let reason) = report.status else {
      Issue.record("\(impostor.name): \(report.status)")
      return
    }
    #expect(reason.hasPrefix("what answered is not a Commute server"), "\(impostor.name)")
    try await expectNothingIsLost()
  }

  @Test func `an answer that says it is something else is not taken`() async throws {
    scene.client.next(
      Reply { (request, client) async throws(HTTPClientError) in
        var response = try await client.passOn(request)
        response.headers["Content-Type"] = "text/html"
        return response
      })
    let report = await driver.sync()
    #expect(report.failure == .notAnAnswer("it sent text/html"))
    try await expectNothingIsLost()
  }

  @Test func `a content type may be written in capitals`() async throws {
    scene.client.next(
      Reply { (request, client) async throws(HTTPClientError) in
        var response = try await client.passOn(request)
        response.headers["Content-Type"] = "Application/JSON; charset=utf-8"
        return response
      })
    let report = await driver.sync()
    #expect(report.settled == 1)
  }

  @Test func `an answer cut in the middle is not applied in part`() async throws {
    try await scene.otherDevice(adds: 5...9)
    scene.client.next(
      Reply { (request, client) async throws(HTTPClientError) in
        var response = try await client.passOn(request)
        response.body.removeLast(response.body.count / 3)
        return response
      })
    let report = await driver.sync()
    let titles = try await store.titles()
    #expect(report.received == 0)
    #expect(titles == ["1"])
    let next = await driver.sync()
    #expect(next.received == 5)
  }

  @Test func `an answer to another request is ignored as a whole`() async throws {
    try await scene.otherDevice(adds: 5...5)
    scene.client.next(.changed { $0.nonce = Nonce(high: 7, low: 7) })
    let report = await driver.sync()
    let titles = try await store.titles()
    #expect(report.failure == .notAnAnswer("it answers another request"))
    #expect(titles == ["1"])
    let next = await driver.sync()
    #expect(next.settled == 1)
    #expect(next.received == 1)
  }

  @Test func `an answer that comes too late counts as none`() async throws {
    scene.client.next(.failure(.timedOut))
    let report = await driver.sync()
    #expect(
      report.status.text
        == "the server did not answer in time; it is asked again · 1 change waiting")
    try await expectNothingIsLost()
  }

  @Test func `what is sent again after a lost answer is settled once`() async throws {
    scene.client.next(.lost)
    let report = await driver.sync()
    #expect(report.status == .offline(waiting: 1, retryAt: scene.time.wall + 1_000))
    try await expectNothingIsLost()
    let requests = scene.client.requests
    #expect(requests[0].operations.map(\.bytes) == requests[1].operations.map(\.bytes))
    #expect(requests[1].again == requests[1].operations.map(\.operation.id))
  }

  @Test(arguments: [HTTPClientError.noNetwork(.refused), .badCertificate(reason: "", host: "")])
  func `what never left the device is not perhaps sent`(error: HTTPClientError) async throws {
    scene.client.next(.failure(error), .failure(error))
    _ = await driver.sync()
    _ = await driver.sync()
    _ = await driver.sync()
    #expect(scene.client.requests.map(\.again) == [[], [], []])
  }
}
