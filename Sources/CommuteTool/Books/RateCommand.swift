import CommuteFeatures

/// `commute books rate BOOK STARS`.
struct RateCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "rate", "gives a book its stars",
    [NamedBook.argument, ArgumentSpec("STARS", "one to five; 0 takes them away")],
    options: [.sync])

  let device: DeviceOptions
  let syncs: Bool
  private let book: NamedBook
  private let stars: Int

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    book = try NamedBook(arguments)
    let text = try arguments.required("STARS")
    guard let stars = Int(text), (0...5).contains(stars) else {
      throw .other("STARS is a number from 0 to 5, not \(text)")
    }
    self.stars = stars
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let book = try await self.book.find(on: device)
    let change = try await Self.translating {
      try await device.list.rate(book.id, stars == 0 ? nil : stars)
    }
    let done =
      stars == 0 ? "took the stars from \(book.title)" : "rated \(book.title) \(change.book.stars)"
    return Change(
      change.isChanged ? done : "\(book.title) has these stars already", change.book)
  }
}
