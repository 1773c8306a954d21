import CommuteCore
import CommuteStore
import Foundation

extension ReadingListRepository {
  /// Takes over the books of a reading list from before sync; doing it again adds nothing.
  ///
  /// The books of the sample come in as seeds, so that devices that each had them share them; what
  /// a person had changed of one is a change like any other. All other books are new ones.
  ///
  /// - Throws: ``ReadingListError/oldList(path:reason:)`` where the file cannot be read.
  @discardableResult
  public func migrate(
    _ old: OldReadingList
  ) async throws(ReadingListError) -> MigrationOutcome {
    let wall = UInt64(clamping: Int64(now().timeIntervalSince1970 * 1_000))
    let content = try old.content {
      var generator = SystemRandomNumberGenerator()
      return RecordID.new(milliseconds: wall, using: &generator)
    }
    let mark = "migrated-\(content.file.text)"
    return try await write { tx in
      var outcome = MigrationOutcome()
      let isFirst = tx.note(mark) == nil
      for old in content.books {
        if old.isSample {
          try Self.takeOverSample(old.book, withChanges: isFirst, counting: &outcome, in: tx)
        } else {
          try Self.takeOver(old.book, counting: &outcome, in: tx)
        }
      }
      tx.setNote(mark, "done")
      return outcome
    }
  }

  private static func takeOver(
    _ book: Book, counting outcome: inout MigrationOutcome, in tx: borrowing WriteTransaction
  ) throws(StoreError) {
    do throws(StoreError) {
      try tx.insert(book)
      outcome.books += 1
    } catch .refused(.exists), .refused(.deleted) {
      outcome.known += 1
    }
  }

  private static func takeOverSample(
    _ book: Book, withChanges: Bool, counting outcome: inout MigrationOutcome,
    in tx: borrowing WriteTransaction
  ) throws(StoreError) {
    guard let original = SampleBooks.all.first(where: { $0.id == book.id }) else { return }
    switch try tx.insertSeed(original) {
    case .added: outcome.samples += 1
    case .filled, .unchanged: outcome.known += 1
    case .deletedEarlier:
      outcome.known += 1
      return
    }
    guard withChanges, var current = try tx.fetch(Book.self, book.id) else { return }
    for field in BookField.difference(original, book) { field.copy(from: book, to: &current) }
    if try !tx.update(current).isEmpty { outcome.changedSamples += 1 }
  }
}

/// What became of the books of an older list.
public struct MigrationOutcome: Hashable, Sendable {
  /// Books that came in under an id of their own.
  public var books = 0
  /// Books of the sample that came in under the ids they have everywhere.
  public var samples = 0
  /// Books of the sample that a person had changed.
  public var changedSamples = 0
  /// Books that were there already.
  public var known = 0

  /// Makes an outcome in which nothing happened yet.
  public init() {}

  /// What happened, in lines for people.
  public var lines: [String] {
    let changed = changedSamples > 0 ? " (\(changedSamples) with changes of yours)" : ""
    return [
      "\(books) got an id of their own · \(samples) are books of the sample\(changed)"
        + " · \(known) already there"
    ]
  }
}
