import CommuteFeatures

/// `commute books add TITLE`.
struct AddCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "add", "adds a book", [ArgumentSpec("TITLE", "what it is called")],
    options: [
      OptionSpec("author", "NAME", "who wrote it"),
      OptionSpec("tag", "TAG", repeats: true, "a word to find it by"),
      OptionSpec("note", "TEXT", "what you think of it"),
      OptionSpec("rating", "STARS", "one to five stars"),
      OptionSpec("read", "it was read already"),
      .sync,
    ])

  let device: DeviceOptions
  let syncs: Bool
  private let book: Book

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    book = Book(
      title: try arguments.required("TITLE"), author: arguments.value("author") ?? "",
      tags: arguments.values("tag"), read: arguments.has("read"),
      rating: try arguments.number("rating", in: 1...5), notes: arguments.value("note") ?? "")
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let added = try await Self.translating { try await device.list.add(book) }
    let writer = added.author.isEmpty ? "" : " by \(added.author)"
    return Change("added \(added.title)\(writer)", added)
  }
}
