public import CommuteImport

/// What became of the books of a file.
public struct BookImportOutcome: Hashable, Sendable {
  /// How many books were not in the list and are now.
  public var added = 0
  /// How many were there already and were left as they are.
  public var alreadyThere = 0
  /// How many were there already, but learnt something that nobody had said yet.
  public var completed = 0
  /// The titles of books that were deleted earlier and stay deleted.
  public var deletedEarlier: [String] = []
  /// How many deleted books came in again as new ones, because that was asked for.
  public var addedAgain = 0

  /// Makes an outcome in which nothing happened yet.
  public init() {}

  /// What happened, in lines for people.
  public var lines: [String] {
    var counts = ["\(added) added"]
    if addedAgain > 0 { counts.append("\(addedAgain) added again as new books") }
    if completed > 0 { counts.append("\(completed) completed") }
    if alreadyThere > 0 { counts.append("\(alreadyThere) already there") }
    var lines = [counts.joined(separator: " · ")]
    if !deletedEarlier.isEmpty {
      let books = deletedEarlier.count == 1 ? "it" : "them"
      let kind = deletedEarlier.count == 1 ? "a new book" : "new books"
      lines.append(
        "\(deletedEarlier.count) skipped: deleted earlier; `--again` adds \(books) as \(kind)")
      lines += deletedEarlier.map { "  \($0)" }
    }
    return lines
  }
}

/// What was read from a file, and what became of it.
public struct BookFileOutcome: Sendable {
  /// What the file lost on its way into books.
  public var report: ImportReport
  /// What became of the books.
  public var outcome: BookImportOutcome
}
