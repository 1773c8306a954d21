import CommuteFeatures

/// `commute books delete BOOK`.
struct DeleteCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "delete", "deletes a book on all devices", details: ["`undo` brings it back."],
    [NamedBook.argument], options: [.sync])

  let device: DeviceOptions
  let syncs: Bool
  private let book: NamedBook

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    book = try NamedBook(arguments)
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let book = try await self.book.find(on: device)
    let deleted = try await Self.translating { try await device.list.delete(book.id) }
    return Change("deleted \(deleted.title); `commute books undo` brings it back", deleted)
  }
}
