import CommuteFeatures
import CommuteSync
import Foundation
import Observation

/// `commute books watch`.
struct WatchCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "watch", "shows the books and keeps the list up to date until Ctrl-C",
    details: [
      "It also shows what other commands do on this device, and syncs by itself.",
      "Where nobody looks at a terminal, it prints a new list for every change.",
    ],
    options: FilterOptions.specs + [
      OptionSpec("every", "SECONDS", "how often the server is asked for news (2)")
    ])

  let device: DeviceOptions
  let endsBySignal = true
  private let filter: BookFilter
  private let every: Int
  private let isJSON: Bool

  /// What a list on a screen waits for.
  private enum Event: Sendable {
    case changed, end
  }

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    filter = try FilterOptions(arguments).filter
    every = try arguments.number("every", in: 1...86_400) ?? 2
    isJSON = arguments.has("json")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    guard let way = try await device.way() else {
      await watch(device, nil)
      return Report([], ["event": "ended"])
    }
    let work = try await BackgroundWork(way, on: device)
    await watch(device, (work, way))
    return Report([], ["event": "ended"])
  }

  @MainActor private func watch(
    _ device: OpenDevice, _ sync: (work: BackgroundWork, way: ServerWay)?
  ) async {
    let statuses = sync?.work.driver.statuses()
    let model = ReadingListModel(device.list, statuses: statuses, filter: filter)
    let (events, speaker) = AsyncStream.makeStream(of: Event.self)
    let running = Task { await model.run() }
    let syncing = sync.map { sync in
      Task {
        // Its queue's files are the store's: what cannot be written there, status says.
        async let working: Void? = try? sync.work.run()
        await keepAsking(sync.work.driver, sync.way, on: device)
        await working
      }
    }
    let listening = Task {
      await Signals.untilEnding()
      speaker.yield(.end)
    }
    draw(model, whenChanged: speaker)
    for await event in events {
      if event == .end { break }
      draw(model, whenChanged: speaker)
    }
    listening.cancel()
    syncing?.cancel()
    running.cancel()
    await syncing?.value
  }

  /// Asks for news as long as nothing stands in the way.
  private func keepAsking(
    _ driver: SyncDriver, _ way: ServerWay, on device: OpenDevice
  ) async {
    while (try? await Task.sleep(for: .seconds(every))) != nil {
      switch driver.status {
      case .idle, .pending, .notGranted:
        let outcome = await driver.sync()
        guard outcome.rounds > 0, outcome.failure == nil else { break }
        await LastProblem.note(outcome.status, on: device.store)
        try? await device.noteAnswer(of: way)
      // After a failure the driver itself knows when to try again, or waits for a person.
      case .syncing, .offline, .retryPending, .needsSignIn, .needsUpdate, .stopped: break
      }
    }
    // Whoever looks later is told what stood in the way at the end.
    switch driver.status {
    case .needsSignIn, .needsUpdate, .stopped:
      await LastProblem.note(driver.status, on: device.store)
    case .idle, .syncing, .pending, .offline, .retryPending, .notGranted: break
    }
  }

  /// Draws the list, and has the next change told once.
  @MainActor private func draw(
    _ model: ReadingListModel, whenChanged speaker: AsyncStream<Event>.Continuation
  ) {
    let (isLoaded, books, total, status, problem) = withObservationTracking {
      (model.isLoaded, model.books, model.total, model.status, model.problem)
    } onChange: {
      speaker.yield(.changed)
    }
    guard isLoaded || problem != nil else { return }
    let output = Output(isJSON: isJSON)
    if Output.isTerminal, !isJSON { output.clear() }
    let isSeen = output.say(
      BookLines.table(books, idLength: BookReference.shortLength(for: books))
        + ["", "\(BookLines.count(books.count, of: total)) · \(status.text)"]
        + (problem.map { [$0] } ?? []))
    let isHeard = output.tell(
      .object(
        [JSON.Member(name: "books", value: .list(books.map(\.json)))] + status.members))
    if !isSeen || !isHeard { speaker.yield(.end) }
  }
}
