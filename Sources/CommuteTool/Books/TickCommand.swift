import CommuteFeatures

/// `commute books tick BOOK`.
struct TickCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "tick", "says that a book was read", [NamedBook.argument], options: [.sync])

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
    let change = try await Self.translating { try await device.list.tick(book.id) }
    return Change(
      change.isChanged ? "ticked \(book.title)" : "\(book.title) was ticked already", change.book)
  }
}

/// `commute books untick BOOK`.
struct UntickCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "untick", "takes the tick from a book", [NamedBook.argument], options: [.sync])

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
    let change = try await Self.translating { try await device.list.untick(book.id) }
    return Change(
      change.isChanged ? "unticked \(book.title)" : "\(book.title) was not ticked", change.book)
  }
}
