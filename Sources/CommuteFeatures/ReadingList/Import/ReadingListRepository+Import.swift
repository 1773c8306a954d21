public import CommuteCore
public import CommuteImport
import CommuteStore
import Foundation

extension ReadingListRepository {
  /// The namespace of the ids that imported books get; it never changes.
  static let importNamespace = "commute/book"

  /// The id of an imported book: the one its file names, or one derived from what it is.
  ///
  /// It is the same on every device, so that the same file, imported twice, is the same books.
  public static func id(of book: ImportedBook) -> RecordID {
    if let bytes = book.recordID, let id = RecordID(bytes: bytes), id != .zero { return id }
    return RecordID.derived(namespace: importNamespace, bytes: book.identityBytes)
  }

  /// Takes in the books of a file that Goodreads exported, or ``export(_:)`` wrote.
  ///
  /// Books that were deleted stay deleted, unless they are to come in `again`, as new ones.
  ///
  /// - Returns: What the file lost, and what became of its books.
  /// - Throws: ``ReadingListError/file(_:)`` for a file that is no list of books.
  @discardableResult
  public func importFile(
    _ bytes: [UInt8], again: Bool = false
  ) async throws(ReadingListError) -> BookFileOutcome {
    let books: [ImportedBook]
    let report: ImportReport
    do throws(ImportError) {
      (books, report) = try GoodreadsReader.readAll(bytes)
    } catch {
      throw .file(error.description)
    }
    return BookFileOutcome(report: report, outcome: try await importBooks(books, again: again))
  }

  /// Takes in books in one transaction; nobody's tick, note or rating is ever overwritten.
  ///
  /// They are seeds: values that no person decided here. Whatever a person has changed, on this
  /// device or another, wins, whenever it arrives.
  @discardableResult
  public func importBooks(
    _ books: [ImportedBook], again: Bool = false
  ) async throws(ReadingListError) -> BookImportOutcome {
    try await write { tx in
      var outcome = BookImportOutcome()
      var marks: [BookMark] = []
      var deleted: [Book] = []
      for imported in books {
        let book = Book(imported, id: Self.id(of: imported))
        switch try tx.insertSeed(book) {
        case .added:
          outcome.added += 1
          marks.append(BookMark(book))
        case .filled: outcome.completed += 1
        case .unchanged: outcome.alreadyThere += 1
        case .deletedEarlier: deleted.append(book)
        }
      }
      if again {
        marks += try Self.addAgain(deleted, counting: &outcome, in: tx)
      } else {
        outcome.deletedEarlier = deleted.map(\.title)
      }
      if !marks.isEmpty {
        let count = marks.count == 1 ? "1 book" : "\(marks.count) books"
        try UndoList.push(.added(marks), "imported \(count)", in: tx)
      }
      return outcome
    }
  }

  /// Adds deleted books as new ones, unless that was done before.
  private static func addAgain(
    _ deleted: [Book], counting outcome: inout BookImportOutcome,
    in tx: borrowing WriteTransaction
  ) throws(StoreError) -> [BookMark] {
    guard !deleted.isEmpty else { return [] }
    var known = Set(try tx.fetch(Book.all).map { ImportedBook($0).identityBytes })
    var marks: [BookMark] = []
    for book in deleted {
      guard known.insert(ImportedBook(book).identityBytes).inserted else {
        outcome.alreadyThere += 1
        continue
      }
      var new = book
      new.id = .zero
      new.id = try tx.insert(new)
      marks.append(BookMark(new))
      outcome.addedAgain += 1
    }
    return marks
  }

  /// Puts the sample into the list; on a device that has it, nothing happens.
  ///
  /// - Returns: How many books came in.
  @discardableResult
  public func addSample() async throws(ReadingListError) -> Int {
    try await write { tx in
      var marks: [BookMark] = []
      for book in SampleBooks.all where try tx.insertSeed(book) == .added {
        marks.append(BookMark(book))
      }
      if !marks.isEmpty { try UndoList.push(.added(marks), "added the sample", in: tx) }
      return marks.count
    }
  }

  /// Books as the file that Goodreads exports and imports, with our ids in a column of their own.
  public static func export(_ books: [Book]) -> [UInt8] {
    GoodreadsWriter.file(of: books.map { ImportedBook($0, id: $0.id) })
  }
}

extension Book {
  /// Makes a book of what a file told.
  init(_ imported: ImportedBook, id: RecordID) {
    self.init(
      id: id, title: imported.title, author: imported.author,
      tags: Tags.normalized(imported.tags), read: imported.read,
      readAt: imported.readAt.map { Date(timeIntervalSince1970: Double($0) / 1_000) },
      rating: imported.rating, notes: imported.notes, isbn: imported.isbn13)
  }
}

extension ImportedBook {
  /// Makes what a file tells of a book.
  init(_ book: Book, id: RecordID? = nil) {
    let milliseconds = book.readAt.map { ($0.timeIntervalSince1970 * 1_000).rounded() }
    self.init(
      title: book.title, author: book.author, isbn13: book.isbn, tags: book.tags, read: book.read,
      readAt: milliseconds.flatMap { Int64(exactly: $0) }, rating: book.rating,
      notes: book.notes, recordID: id?.bytes)
  }
}
