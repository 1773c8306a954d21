import CommuteCore
import CommuteStore
import Testing

@testable import CommuteSync

/// Answers that no server of ours gives stop the round by name, and lose nothing.
@Suite(.timeLimit(.minutes(2))) struct StopTests {
  let scene: Scene
  let store: Store
  let driver: SyncDriver

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    driver = scene.driver(store)
    try await scene.otherDevice(adds: 5...5)
    _ = await driver.sync()
    try await store.add(1...1)
    try await scene.otherDevice(adds: 6...6)
  }

  /// Syncs once with a changed answer: it stops with a reason and applies nothing of it.
  private func stop(
    _ change: @escaping @Sendable (inout SyncAnswer) -> Void
  ) async throws -> String {
    let before = try await store.device().feeds.entries.map(\.value.cursor)
    scene.client.next(.changed(change))
    let report = await driver.sync()
    guard case .stopped(1, let reason) = report.status else { return "\(report.status)" }
    let after = try await store.device().feeds.entries.map(\.value.cursor)
    let titles = try await store.titles()
    #expect(after == before)
    #expect(titles == ["1", "5"])
    #expect(scene.sleep.count == 0)
    return reason
  }

  private func expectAllGoesOn() async throws {
    await driver.unblock()
    try await scene.until { try await store.titles() == ["1", "5", "6"] }
    try await scene.until { try await store.counts() == StoreCounts() }
  }

  @Test func `a history that is shorter than what was read`() async throws {
    let reason = try await stop { answer in
      answer.feeds[0].cursor = 0
      answer.feeds[0].records = []
    }
    #expect(reason.hasPrefix("the server holds less of the feed books"))
    try await expectAllGoesOn()
  }

  @Test func `a protocol that this build does not speak is no answer`() async throws {
    scene.client.next(.changed { $0.protocolVersion = 9 })
    let report = await driver.sync()
    let counts = try await store.counts()
    #expect(counts.waiting == 1)
    #expect(report.settled == 0)
    try await expectAllGoesOn()
  }
}
