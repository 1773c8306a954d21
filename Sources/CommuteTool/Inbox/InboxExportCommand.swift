import CommuteStore

/// `commute inbox export`.
struct InboxExportCommand: BooksCommand {
  static let spec = CommandSpec.inbox(
    "export", "writes all entries down as JSON, with every value in them",
    details: ["Nothing is left out: what you saw before, what you wanted, what the server has."],
    [ArgumentSpec("FILE", isOptional: true, "where to; the standard output if left out")])

  let device: DeviceOptions
  private let file: String?

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    file = try arguments.file("FILE")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let bytes = try await Self.translating { try await device.store.exportInbox() + [0x0A] }
    guard let file, file != "-" else {
      var report = Report([], .made(String(decoding: bytes.dropLast(), as: UTF8.self)))
      report.bytes = bytes
      return report
    }
    let count = try await Self.translating { try await InboxItem.all(on: device).count }
    try PersonsFile(path: file).write(bytes)
    return Report(
      ["\(Plural.text(count, "entry", "entries")) in \(file)"],
      ["file": .text(file), "entries": JSON(count)])
  }
}
