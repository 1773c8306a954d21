/// `commute books sync`.
struct SyncCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "sync", "exchanges what has changed with the server",
    details: ["It ends with 3 where the server is not reached; everything is kept here then."])

  let device: DeviceOptions

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    try await Round.run(on: device)
  }
}
