import CommuteFeatures
import CommuteSync

/// Which books a command shows.
struct FilterOptions: Sendable {
  /// The options that say so.
  static let specs = [
    OptionSpec("tag", "TAG", "only books with this tag"),
    OptionSpec("state", "STATE", "all, read or unread"),
    OptionSpec("sort", "ORDER", "title, author, rating, or read (the latest first)"),
  ]

  var filter: BookFilter

  init(_ arguments: Arguments, text: String = "") throws(UsageError) {
    filter = BookFilter(
      state: try arguments.choice("state") ?? .all, tag: arguments.value("tag"), text: text,
      sort: try arguments.choice("sort") ?? .title)
  }
}

/// `commute books list`.
struct ListCommand: BooksCommand {
  static let spec = CommandSpec.books("list", "shows the books", options: FilterOptions.specs)

  let device: DeviceOptions
  private let filter: BookFilter

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    filter = try FilterOptions(arguments).filter
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    try await Self.report(filter, on: device)
  }

  /// The books that pass a filter.
  static func report(_ filter: BookFilter, on device: OpenDevice) async throws(Failure) -> Report {
    let all = try await translating { try await device.list.books() }
    let books = filter.apply(to: all)
    let status = try await StoredStatus.read(device)
    var lines = ["\(BookLines.count(books.count, of: all.count)) · \(status.text)"]
    if !books.isEmpty {
      let length = BookReference.shortLength(for: all)
      lines = BookLines.table(books, idLength: length) + [""] + lines
    }
    return Report(
      lines,
      [
        "books": .list(books.map(\.json)), "total": .integer(Int64(all.count)),
        "waiting": .integer(Int64(status.waiting)),
      ])
  }
}

/// `commute books search TEXT`.
struct SearchCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "search", "finds books by words in title, author, note and tags",
    [ArgumentSpec("TEXT", repeats: true, "words that must all be there; case does not count")],
    options: FilterOptions.specs)

  let device: DeviceOptions
  private let filter: BookFilter

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    let text = arguments.words("TEXT").joined(separator: " ")
    filter = try FilterOptions(arguments, text: text).filter
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    try await ListCommand.report(filter, on: device)
  }
}
