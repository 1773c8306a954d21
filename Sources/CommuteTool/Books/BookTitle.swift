import CommuteCore
import CommuteFeatures
import CommuteStore

/// What a person calls the book that something is about.
enum BookTitle {
  /// The title that is shown, or else the one that a refused change wanted to give.
  static func of(_ entry: InboxEntry, in tx: borrowing ReadTransaction) throws -> String {
    if let shown = try tx.fetch(Book.self, entry.key.id)?.title, !shown.isEmpty { return shown }
    if case .text(let wanted) = entry.values["title"], !wanted.isEmpty { return wanted }
    return "book \(entry.key.id.text)"
  }
}
