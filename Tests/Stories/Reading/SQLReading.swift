import Foundation

/// Books read from a database by the `sqlite3` program, which knows nothing of our code.
struct SQLReading: Sendable {
  /// The database.
  var file: String
  /// A query that gives `title`, `read` and `note`.
  var sql: String

  /// Reads the books.
  func books() throws -> [Book] {
    let output = try Subprocess.output(of: ["sqlite3", "-readonly", "-json", file, sql])
    // For no rows at all the program prints nothing.
    guard !output.isEmpty else { return [] }
    do {
      return try JSONDecoder().decode([Book].self, from: output)
    } catch {
      throw StoryError("\(file) gave something that is no list of books: \(error)")
    }
  }
}
