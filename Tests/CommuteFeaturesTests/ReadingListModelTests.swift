import CommuteFeatures
import CommuteStore
import CommuteSync
import Observation
import Testing

@MainActor @Suite struct ReadingListModelTests {
  /// Waits until the model shows what it should, woken by the model itself.
  private func wait(
    for model: ReadingListModel, until isRight: @MainActor (ReadingListModel) -> Bool
  ) async {
    while true {
      let (changes, speaker) = AsyncStream.makeStream(of: Void.self)
      let isDone = withObservationTracking {
        _ = (model.books, model.total, model.tags, model.status, model.isLoaded, model.problem)
        return isRight(model)
      } onChange: {
        speaker.yield()
      }
      if isDone { return }
      for await _ in changes { break }
    }
  }

  @Test func `the screen shows what the database holds, whoever wrote it`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let model = ReadingListModel(device.list)
    let running = Task { await model.run() }
    await wait(for: model) { $0.isLoaded }
    #expect(model.books.isEmpty)
    await model.add(Book(title: "Emma", tags: ["classics"]))
    await wait(for: model) { $0.total == 1 }
    let id = try #require(model.books.first?.id)
    // Not by the model: it hears of it from the database.
    try await device.list.tick(id)
    await wait(for: model) { $0.books.first?.read == true }
    #expect(model.tags == [TagCount(tag: "classics", count: 1)])
    model.filter.state = .unread
    #expect(model.books.isEmpty)
    #expect(model.total == 1)
    running.cancel()
    await device.store.close()
    await running.value
  }

  @Test func `what sync brings arrives by itself, and the status with it`() async throws {
    let home = try await Household()
    let (tablet, phone) = (try home.device("tablet"), try home.device("phone"))
    try await tablet.list.add(Book(title: "Emma"))
    await tablet.sync()
    let driver = SyncDriver(
      store: phone.store, client: phone.client, settings: SyncSettings(server: "http://server"))
    let model = ReadingListModel(phone.list, statuses: driver.statuses())
    let running = Task { await model.run() }
    _ = await driver.sync()
    await wait(for: model) { $0.books.map(\.title) == ["Emma"] }
    await wait(for: model) { $0.status.text == "Up to date" }
    await driver.stop()
    await phone.store.close()
    await running.value
  }

  @Test func `what is refused is said, and forgotten after the next success`() async throws {
    let home = try await Household()
    let device = try home.device("tablet")
    let model = ReadingListModel(device.list)
    await model.add(Book(title: ""))
    #expect(model.problem == "a book needs a title; nothing was changed")
    await model.add(Book(title: "Emma"))
    #expect(model.problem == nil)
    let id = try #require(try await device.book("Emma")).id
    await model.setRead(id, true)
    await model.note(id, "n")
    await model.rate(id, 3)
    await model.retag(id, adding: ["t"], removing: [])
    await model.delete(id)
    await model.undo()
    let book = try await device.book("Emma")
    #expect(book?.read == true && book?.notes == "n" && book?.rating == 3 && book?.tags == ["t"])
    #expect(model.problem == nil)
  }
}
