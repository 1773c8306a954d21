import CommuteFeatures

/// `commute books tag BOOK TAG …`.
struct TagCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "tag", "gives a book tags, or takes them away",
    [
      NamedBook.argument,
      ArgumentSpec("TAG", isOptional: true, repeats: true, "a word to find it by"),
    ],
    options: [OptionSpec("remove", "TAG", repeats: true, "a tag to take away"), .sync])

  private static let needsTag =
    "no tag was named; write those to give behind the book, or --remove TAG to take one away"

  let device: DeviceOptions
  let syncs: Bool
  private let book: NamedBook
  private let more: [String]
  private let less: [String]

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    book = try NamedBook(arguments)
    more = arguments.words("TAG")
    less = arguments.values("remove")
    if more.isEmpty, less.isEmpty { throw .other(Self.needsTag) }
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let book = try await self.book.find(on: device)
    let change = try await Self.translating {
      try await device.list.retag(book.id, adding: more, removing: less)
    }
    let tags = change.book.tags.isEmpty ? "none" : change.book.tags.joined(separator: ", ")
    return Change("tags of \(book.title): \(tags)", change.book)
  }
}
