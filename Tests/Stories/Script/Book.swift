/// A book as both designs and the server can hold it, read from a file with SQL.
struct Book: Hashable, Sendable, Codable {
  var title: String
  /// 1 for a book that was read; SQLite knows no Booleans.
  var read: Int
  var note: String

  init(_ title: String, isRead: Bool = false, note: String = "") {
    self.title = title
    read = isRead ? 1 : 0
    self.note = note
  }

  /// The book on one line: `Emma ✓ “note”`.
  var words: String {
    var words = title
    if read != 0 { words += " ✓" }
    if !note.isEmpty { words += " “\(note)”" }
    return words
  }
}
