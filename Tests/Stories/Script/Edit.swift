/// What a person does to the reading list on one device; books are named by their titles.
enum Edit: Hashable, Sendable {
  /// Types a book in.
  case add(String)
  /// Takes a book from a list that others take from, too.
  case take(String)
  /// Ticks a book as read.
  case tick(String)
  /// Writes the note of a book.
  case note(String, String)
  /// Deletes a book.
  case delete(String)

  /// What is done, in words.
  var words: String {
    switch self {
    case .add(let title): "add “\(title)”"
    case .take(let title): "take “\(title)” from the list"
    case .tick(let title): "tick “\(title)”"
    case .note(let title, _): "write a note on “\(title)”"
    case .delete(let title): "delete “\(title)”"
    }
  }
}
