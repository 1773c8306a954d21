import CommuteStore
import Foundation

/// What was done on this device and can be undone, in a table that is not synced.
///
/// It is written in the transaction of what was done, so that both are there or none.
enum UndoList {
  /// How many entries are kept.
  static let limit: Int64 = 100

  /// Adds an entry.
  static func push(
    _ action: UndoAction, _ title: String, in tx: borrowing WriteTransaction
  ) throws(StoreError) {
    guard let text = encoded(action) else { return }
    try tx.execute(
      """
      CREATE TABLE IF NOT EXISTS reading_list_undo(
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        action TEXT NOT NULL
      ) STRICT
      """)
    try tx.execute("INSERT INTO reading_list_undo(title, action) VALUES (\(title), \(text))")
    try tx.execute(
      """
      DELETE FROM reading_list_undo
      WHERE position <= (SELECT max(position) FROM reading_list_undo) - \(limit)
      """)
  }

  /// The entries, latest first; those that a newer version wrote in another way are left out.
  static func entries(in tx: borrowing some StoreReader & ~Copyable) throws(StoreError)
    -> [UndoEntry]
  {
    guard try exists(in: tx) else { return [] }
    let rows = try tx.rows(
      "SELECT position, title, action FROM reading_list_undo ORDER BY position DESC"
    ) { (row) throws(StoreError) in (row.int64(0), row.text(1), row.text(2)) }
    return rows.compactMap { position, title, text in
      guard let action = decoded(text) else { return nil }
      return UndoEntry(position: position, title: title, action: action)
    }
  }

  /// Forgets an entry.
  static func remove(
    _ entry: UndoEntry, in tx: borrowing WriteTransaction
  ) throws(StoreError) {
    try tx.execute("DELETE FROM reading_list_undo WHERE position = \(entry.position)")
  }

  /// Writes an entry anew.
  static func replace(
    _ entry: UndoEntry, by action: UndoAction, in tx: borrowing WriteTransaction
  ) throws(StoreError) {
    guard let text = encoded(action) else { return }
    try tx.execute(
      "UPDATE reading_list_undo SET action = \(text) WHERE position = \(entry.position)")
  }

  private static func exists(
    in tx: borrowing some StoreReader & ~Copyable
  ) throws(StoreError) -> Bool {
    let found = try tx.value("SELECT count(*) FROM sqlite_schema WHERE name = 'reading_list_undo'")
    return found != .integer(0)
  }

  private static func encoded(_ action: UndoAction) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .millisecondsSince1970
    return (try? encoder.encode(action)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func decoded(_ text: String) -> UndoAction? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try? decoder.decode(UndoAction.self, from: Data(text.utf8))
  }
}
