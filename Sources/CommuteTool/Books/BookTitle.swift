import CommuteCore
import CommuteFeatures
import CommuteStore

/// What a person calls the book that something is about.
enum BookTitle {
  /// The title that is shown, or else the one that a refused change wanted to give.
  static func of(_ entry: InboxEntry, in tx: borrowing ReadTransaction) throws -> String {
    if let shown = try shown(entry.key, in: tx) { return shown }
    if case .text(let wanted) = entry.values["title"], !wanted.isEmpty { return wanted }
    return "book \(entry.key.id.text)"
  }

  /// The title that is shown.
  static func of(_ key: RecordKey, in tx: borrowing ReadTransaction) throws -> String {
    try shown(key, in: tx) ?? "book \(key.id.text)"
  }

  private static func shown(
    _ key: RecordKey, in tx: borrowing ReadTransaction
  ) throws -> String? {
    guard let title = try tx.fetch(Book.self, key.id)?.title, !title.isEmpty else { return nil }
    return title
  }
}
