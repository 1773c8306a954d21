import CommuteFeatures

/// `commute books note BOOK TEXT`.
struct NoteCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "note", "writes the note of a book",
    [NamedBook.argument, ArgumentSpec("TEXT", "the note; \"\" takes it away")],
    options: [OptionSpec("append", "puts the text behind the note that is there"), .sync])

  let device: DeviceOptions
  let syncs: Bool
  private let book: NamedBook
  private let text: String
  private let appends: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    book = try NamedBook(arguments)
    text = try arguments.required("TEXT")
    appends = arguments.has("append")
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let book = try await self.book.find(on: device)
    let note = appends && !book.notes.isEmpty ? "\(book.notes)\n\(text)" : text
    let change = try await Self.translating { try await device.list.note(book.id, note) }
    let done = note.isEmpty ? "took the note from" : "wrote a note on"
    return Change(
      change.isChanged ? "\(done) \(book.title)" : "the note of \(book.title) says that already",
      change.book)
  }
}
