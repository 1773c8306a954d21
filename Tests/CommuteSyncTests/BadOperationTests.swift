import CommuteCore
import CommuteHTTP
import CommuteStore
import Testing

@testable import CommuteSync

/// One operation that the server cannot take does not hold up the others.
@Suite(.timeLimit(.minutes(2))) struct BadOperationTests {
  let scene: Scene
  let store: Store
  let driver: SyncDriver

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    driver = scene.driver(store)
  }

  @Test func `a request that is too large is halved down to the one, which goes to the inbox`()
    async throws
  {
    try await store.add(1...8)
    scene.client.usually(.status(413, withTitle: "3"))
    let report = await driver.sync()
    let inbox = try await store.inbox()
    #expect(report.settled == 7)
    #expect(report.rejected == 1)
    #expect(report.status == .idle(lastSuccess: scene.time.wall))
    #expect(inbox.map(\.key.id) == [id(3)])
    #expect(inbox.map(\.code) == [.tooLarge])
    #expect(inbox.map(\.message) == ["the server takes no operation of this size"])
    #expect(scene.client.requests.map(\.operations.count).prefix(3) == [8, 4, 2])
    #expect(scene.sleep.count == 0)
  }

  @Test func `a page in between that takes nothing sends nothing to the inbox`() async throws {
    try await store.add(1...3)
    scene.client.usually(.status(413))
    let report = await driver.sync()
    let counts = try await store.counts()
    #expect(counts.waiting == 3)
    #expect(counts.refused == 0)
    #expect(report.failure != nil)
  }

  @Test func `an operation that alone draws 500 five times is set aside, the rest goes on`()
    async throws
  {
    try await store.add(1...3)
    scene.client.usually(.status(500, withTitle: "1"))
    var rounds = 0
    try await scene.until {
      rounds += 1
      _ = await driver.sync()
      return try await store.counts().waiting == 1 || rounds > 20
    }
    let alone = scene.client.requests.count { $0.operations.count == 1 && $0.carries(id(1)) }
    #expect(alone == 5)
    #expect(driver.status == .pending(waiting: 1))
    #expect(rounds == 7)
  }

  @Test func `five failures over five processes set an operation aside`() async throws {
    try await store.add(1...1)
    await store.close()
    scene.client.usually(.status(500, withTitle: "1"))
    for count in 1...5 {
      let process = try scene.open()
      let driver = scene.driver(process)
      _ = await driver.sync()
      let due = try await process.nextDue()
      #expect((due != nil) == (count == 5))
      await driver.stop()
      await process.close()
    }
    let process = try scene.open()
    try await process.add(2...2)
    let report = await scene.driver(process).sync()
    #expect(report.settled == 1)
    #expect(report.failure == nil)
    #expect(report.status == .pending(waiting: 1))
  }

  @Test func `an answer takes back what was held against an operation`() async throws {
    try await store.add(1...1)
    scene.client.usually(.status(500, withTitle: "1"))
    for _ in 0..<4 { _ = await driver.sync() }
    scene.client.next(.verdicts(.later(.unavailable, afterMilliseconds: 1)))
    _ = await driver.sync()
    scene.time.advance(1_000)
    _ = await driver.sync()
    let due = try await store.nextDue()
    #expect(due == nil)
  }

  @Test func `what was set aside is tried again in its time, then later still`() async throws {
    try await store.add(1...1)
    scene.client.usually(.status(500, withTitle: "1"))
    for _ in 0..<5 { _ = await driver.sync() }
    let before = scene.client.requests.count
    _ = await driver.sync()
    let due = try await store.nextDue()
    #expect(due == scene.time.wall + 60_000)
    #expect(scene.client.requests.last?.operations.isEmpty == true)
    #expect(scene.client.requests.count == before + 1)
    await scene.until { scene.sleep.count == 1 }
    scene.time.advance(60_000)
    scene.sleep.wake()
    try await scene.until { try await store.nextDue() == scene.time.wall + 120_000 }
    // A call that comes while that round ends would share it.
    await scene.until { await !driver.isRunning }
    scene.time.advance(120_000)
    scene.client.usually(nil)
    let report = await driver.sync()
    #expect(report.settled == 1)
  }

  @Test func `a server that fails for an hour holds nothing back for long`() async throws {
    try await store.add(1...2)
    scene.client.usually(.status(500))
    for _ in 0..<120 {
      _ = await driver.sync()
      scene.time.advance(30_000)
    }
    let due = try await store.nextDue() ?? 0
    #expect(due <= scene.time.wall + 60_000)
    scene.client.usually(nil)
    scene.time.advance(60_000)
    let report = await driver.sync()
    #expect(report.settled == 2)
  }

  @Test func `an operation put off by the server is sent when its time has come`() async throws {
    try await store.add(1...1)
    scene.client.next(.verdicts(.later(.unavailable, afterMilliseconds: 5_000)))
    let report = await driver.sync()
    await scene.until { scene.sleep.count == 1 }
    #expect(report.status == .pending(waiting: 1))
    #expect(scene.client.requests.count == 1)
    scene.time.advance(5_000)
    scene.sleep.wake()
    try await scene.until { try await store.counts().waiting == 0 }
  }

  @Test func `a refused operation waits in the inbox, the rest is settled`() async throws {
    try await store.add(1...2)
    scene.client.next(
      Reply { (request, client) async throws(HTTPClientError) in
        var rest = request
        let refused = rest.operations.removeFirst()
        var answer = try await client.answer(rest)
        answer.verdicts.insert(
          Verdict(id: refused.operation.id, kind: .rejected(.invalid, message: "no")), at: 0)
        return .json(answer)
      })
    let report = await driver.sync()
    let counts = try await store.counts()
    #expect(report.settled == 1)
    #expect(report.rejected == 1)
    #expect(counts == StoreCounts(refused: 1))
  }
}

extension Reply {
  /// The server's answer with this verdict on every operation, and no records.
  static func verdicts(_ kind: Verdict.Kind) -> Reply {
    .changed { answer in
      for index in answer.verdicts.indices {
        answer.verdicts[index].kind = kind
        answer.verdicts[index].revision = nil
        answer.verdicts[index].record = nil
      }
      answer.feeds = []
    }
  }
}

extension SyncRequest {
  /// Whether an operation of a record is in it.
  func carries(_ id: RecordID) -> Bool {
    operations.contains { $0.operation.key.id == id }
  }
}
