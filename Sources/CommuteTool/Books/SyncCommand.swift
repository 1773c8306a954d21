import CommuteCore
import CommuteStore

/// `commute books sync`.
struct SyncCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "sync", "exchanges what has changed with the server",
    details: ["It ends with 3 where the server is not reached; everything is kept here then."],
    options: [
      OptionSpec("subscribe", "asks for the feeds again that were taken away from you")
    ])

  let device: DeviceOptions
  private let subscribes: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    subscribes = arguments.has("subscribe")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    if subscribes {
      try await Self.translating {
        for feed in try await device.store.revokedFeeds().names {
          try await device.store.subscribe(to: feed.text)
        }
      }
    }
    return try await Round.run(on: device)
  }
}
