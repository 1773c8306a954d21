import CommuteFeatures

/// `commute books show BOOK`.
struct ShowCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "show", "shows everything about one book", [NamedBook.argument])

  let device: DeviceOptions
  private let book: NamedBook

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    book = try NamedBook(arguments)
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let book = try await self.book.find(on: device)
    return Report(BookLines.all(of: book), ["book": book.json])
  }
}
