import CommuteFeatures

/// `commute books sample`.
struct SampleCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "sample", "adds five books to begin with",
    details: ["They are the same books on every device that does this."], options: [.sync])

  let device: DeviceOptions
  let syncs: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let count = try await Self.translating { try await device.list.addSample() }
    return Change(
      [count == 0 ? "the sample is here already" : "added \(count) books of the sample"],
      [JSON.Member(name: "added", value: JSON(count))])
  }
}

/// `commute books migrate FILE`.
struct MigrateCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "migrate", "takes over the database of a reading list from before sync",
    details: [
      "Its books had row numbers only: each gets an id of its own, the books of the sample those",
      "they have everywhere. The ids are written into the file, so doing it again adds nothing.",
    ],
    [ArgumentSpec("FILE", "the database")], options: [.sync])

  let device: DeviceOptions
  let syncs: Bool
  private let file: String

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    file = try arguments.file("FILE") ?? ""
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let outcome = try await Self.translating {
      try await device.list.migrate(OldReadingList(path: file))
    }
    return Change(
      outcome.lines,
      [
        JSON.Member(name: "books", value: JSON(outcome.books)),
        JSON.Member(name: "samples", value: JSON(outcome.samples)),
        JSON.Member(name: "changedSamples", value: JSON(outcome.changedSamples)),
        JSON.Member(name: "known", value: JSON(outcome.known)),
      ])
  }
}
