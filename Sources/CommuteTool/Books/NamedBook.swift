import CommuteFeatures

/// The book that a person named on the command line.
struct NamedBook: Sendable {
  /// The word of a command that names it.
  static let argument = ArgumentSpec(
    "BOOK", "the beginning of its id, or a part of its title that only it has")

  let text: String

  init(_ arguments: Arguments) throws(UsageError) {
    text = try arguments.required("BOOK")
  }

  /// Finds it.
  ///
  /// - Throws: A failure that shows the books that could be meant.
  func find(on device: OpenDevice) async throws(Failure) -> Book {
    let finding: BookReference.Finding
    let all: [Book]
    do throws(ReadingListError) {
      all = try await device.list.books()
      finding = BookReference(text).find(in: all)
    } catch {
      throw Failure(error)
    }
    switch finding {
    case .one(let book): return book
    case .none:
      throw Failure(.refused, "no book here is called \(text); `commute books list` shows all")
    case .several(let books):
      throw Failure(
        .refused, "\(text) could be \(books.count) books; write more of the title, or an id",
        lines: BookLines.table(books, idLength: BookReference.shortLength(for: all)),
        json: ["error": "ambiguous", "books": .list(books.map(\.json))])
    }
  }
}
