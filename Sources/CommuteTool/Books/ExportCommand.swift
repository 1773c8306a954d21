import CommuteFeatures

/// `commute books export`.
struct ExportCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "export", "writes the books as a file that Goodreads imports",
    details: ["`import` knows the books of such a file again, also those without an ISBN."],
    [ArgumentSpec("FILE", isOptional: true, "where to; the standard output if left out")])

  let device: DeviceOptions
  private let file: String?

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    file = try arguments.file("FILE")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let books = try await Self.translating { try await device.list.books() }
    let bytes = ReadingListRepository.export(books)
    guard let file, file != "-" else {
      var report = Report([], ["books": .list(books.map(\.json))])
      report.bytes = bytes
      return report
    }
    try PersonsFile(path: file).write(bytes)
    return Report(
      ["\(books.count) books are in \(file)"],
      ["file": .text(file), "books": .integer(Int64(books.count))])
  }
}
