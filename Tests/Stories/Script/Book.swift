/// A book as both designs and the server can hold it, read from a file with SQL.
struct Book: Hashable, Sendable, Codable {
  var title: String
  /// 1 for a book that was read; SQLite knows no Booleans.
  var read: Int
  var note: String
  /// In whose list it is, in stories of several accounts.
  var owner: Person?

  init(_ title: String, isRead: Bool = false, note: String = "", of owner: Person? = nil) {
    self.title = title
    read = isRead ? 1 : 0
    self.note = note
    self.owner = owner
  }

  /// The same book in somebody's list.
  func of(_ owner: Person?) -> Book {
    var book = self
    book.owner = owner
    return book
  }

  /// What a loss calls it: `“Emma”`, or `“Emma” in Ben’s list`.
  var name: String {
    owner.map { "“\(title)” in \($0.rawValue)’s list" } ?? "“\(title)”"
  }

  /// The book on one line: `Emma ✓ “note”`.
  var words: String {
    var words = title
    if let owner { words += " (\(owner.rawValue))" }
    if read != 0 { words += " ✓" }
    if !note.isEmpty { words += " “\(note)”" }
    return words
  }
}
