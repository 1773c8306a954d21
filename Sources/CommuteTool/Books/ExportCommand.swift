import CommuteFeatures
import Foundation

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
    file = arguments.word("FILE")
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let books = try await Self.translating { try await device.list.books() }
    let bytes = ReadingListRepository.export(books)
    guard let file, file != "-" else {
      var report = Report([], ["books": .list(books.map(\.json))])
      report.bytes = bytes
      return report
    }
    do {
      try Data(bytes).write(to: URL(filePath: file), options: .atomic)
    } catch {
      throw Failure(.storage, "\(file) cannot be written: \(error.localizedDescription)")
    }
    return Report(
      ["\(books.count) books are in \(file)"],
      ["file": .text(file), "books": .integer(Int64(books.count))])
  }
}
