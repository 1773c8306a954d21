import CommuteCore
import CommuteHTTP
import CommuteStore
import Testing

@testable import CommuteSync

/// What a screen is told, and in which order.
@Suite(.timeLimit(.minutes(2))) struct StatusTests {
  @Test func `the stream tells each status in order`() async throws {
    let scene = try await Scene()
    let store = try scene.open()
    let driver = scene.driver(store)
    var told = driver.statuses().makeAsyncIterator()
    let first = await told.next()
    try await store.add(1...1)
    let gate = Gate()
    scene.client.next(.failure(.noNetwork(.refused)), .held(by: gate))
    var texts = [first?.text]
    let failing = Task { await driver.sync() }
    _ = await failing.value
    texts.append(await told.next()?.text)
    let call = Task { await driver.sync() }
    await gate.arrival()
    texts.append(await told.next()?.text)
    gate.open()
    _ = await call.value
    texts.append(await told.next()?.text)
    #expect(
      texts == [
        "Up to date", "Server not reachable · 1 change waiting", "Syncing · 1 change waiting",
        "Up to date",
      ])
    await driver.stop()
    let last = await told.next()
    #expect(last == nil)
  }

  @Test func `one who comes later is told the latest`() {
    let board = StatusBoard()
    board.show(.needsUpdate(waiting: 2))
    #expect(board.latest == .needsUpdate(waiting: 2))
  }

  @Test func `the same status twice wakes nobody`() async {
    let board = StatusBoard()
    var told = board.stream().makeAsyncIterator()
    _ = await told.next()
    board.show(.pending(waiting: 1))
    let first = await told.next()
    board.show(.pending(waiting: 1))
    board.finish()
    let second = await told.next()
    #expect(first == .pending(waiting: 1))
    #expect(second == nil)
  }

  static let lines: [(SyncStatus, String)] = [
    (.idle(lastSuccess: nil), "Up to date"),
    (.syncing(waiting: 0), "Syncing"),
    (.syncing(waiting: 1), "Syncing · 1 change waiting"),
    (.pending(waiting: 2), "Not sent yet · 2 changes waiting"),
    (.offline(waiting: 1, retryAt: 0), "Server not reachable · 1 change waiting"),
    (.retryPending(waiting: 3, retryAt: 0, reason: "Later"), "Later · 3 changes waiting"),
    (.needsSignIn(waiting: 0, reason: "Sign in"), "Sign in"),
    (
      .needsUpdate(waiting: 1),
      "Update needed before changes can be sent · 1 change waiting"
    ),
    (.stopped(waiting: 1, reason: "Stopped"), "Stopped · 1 change waiting"),
    (.notGranted(waiting: 0, feeds: ["a", "b"]), "No longer granted to you: a, b"),
  ]

  @Test(arguments: lines.indices) func `each status is one line for people`(index: Int) {
    let (status, line) = Self.lines[index]
    #expect(status.text == line)
  }

  @Test func `a certificate that is not trusted counts as not reachable`() {
    let state = Conversation.State.waiting(failure: .badCertificate("expired"), due: 9)
    let status = SyncStatus(state: state, waiting: 1, lastSuccess: nil)
    #expect(status == .offline(waiting: 1, retryAt: 9))
  }

  @Test func `a slash behind the server's address is taken off`() {
    #expect(SyncSettings(server: "http://a//").server == "http://a")
  }
}
