import CommuteFeatures
import CommuteStore

/// `commute inbox edit ENTRY`.
struct InboxEditCommand: ChangingCommand {
  static let spec = CommandSpec.inbox(
    "edit", "makes another change in the place of a refused one",
    details: ["What is not named here is as the refused change wanted it."],
    [ArgumentSpec("ENTRY", "the word in front of it, as `list` shows it")],
    options: [
      OptionSpec("title", "TEXT", "what it is called"),
      OptionSpec("author", "NAME", "who wrote it"),
      OptionSpec("note", "TEXT", "what you think of it"),
      OptionSpec("rating", "STARS", "one to five stars; 0 takes them away"),
      .sync,
    ])

  /// What the book is to be instead.
  private struct Wanted: Sendable {
    var title: String?
    var author: String?
    var note: String?
    var rating: Int?

    func apply(to book: inout Book) {
      if let title { book.title = title }
      if let author { book.author = author }
      if let note { book.notes = note }
      if let rating { book.rating = rating == 0 ? nil : rating }
    }
  }

  let device: DeviceOptions
  let syncs: Bool
  private let name: String
  private let wanted: Wanted

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    name = try arguments.required("ENTRY")
    wanted = Wanted(
      title: try arguments.filled("title"), author: arguments.value("author"),
      note: arguments.value("note"), rating: try arguments.number("rating", in: 0...5))
    guard ["title", "author", "note", "rating"].contains(where: { arguments.value($0) != nil })
    else { throw .other("nothing to change was named; `commute inbox edit --help` lists it") }
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let item = try await InboxSelection(name: name).find(on: device, fitting: .edit)
    guard let item = item.first, case .refused(let entry) = item.kind else {
      return Change(["nothing was changed"], [])
    }
    let wanted = wanted
    let isDone = try await Self.translating {
      try await device.store.edit(entry, as: Book.self) { book in wanted.apply(to: &book) }
    }
    return Change(
      [isDone ? "edited \(item.name): \(item.title)" : "\(item.name) is not there any more"],
      [JSON.Member(name: "edited", value: isDone ? .list([item.json]) : [])])
  }
}
