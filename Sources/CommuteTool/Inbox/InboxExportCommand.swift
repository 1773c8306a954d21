import CommuteStore

/// `commute inbox export`.
struct InboxExportCommand: BooksCommand {
  static let spec = CommandSpec.inbox(
    "export", "writes all entries down as JSON, with every value in them",
    [ArgumentSpec("FILE", isOptional: true, "where to; the standard output if left out")])

  let device: DeviceOptions
  private let file: String?

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    file = try arguments.file("FILE")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let items = try await Self.translating { try await InboxItem.all(on: device) }
    let json: JSON = ["entries": .list(items.map(\.json))]
    let bytes = Array((json.encoded + "\n").utf8)
    guard let file, file != "-" else {
      var report = Report([], json)
      report.bytes = bytes
      return report
    }
    try PersonsFile(path: file).write(bytes)
    return Report(
      ["\(Plural.text(items.count, "entry", "entries")) in \(file)"],
      ["file": .text(file), "entries": JSON(items.count)])
  }
}
