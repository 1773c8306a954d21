import CommuteCore
import Foundation

/// What one database file holds of the reading list, read by the `sqlite3` program and not by us.
struct HeldBooks: Sendable {
  /// One book as a file holds it.
  struct Book: Decodable, Hashable, Sendable {
    var id: String
    var title: String
    var author: String
    var tags: [String]
    var read: Int
    var readAt: Int64?
    var rating: Int?
    var notes: String
    var isbn: String?
  }

  /// Which kind of file it is.
  enum Kind: Sendable {
    case device, server
  }

  /// The books, as lines of JSON in the order of their ids: what is compared.
  var lines: String
  /// The same, to be shown.
  var books: [Book]
  /// How many changes of its own wait to be sent; always 0 for a server.
  var waiting: Int

  /// A number that two files share only if they hold the same.
  var fingerprint: String { String(SHA256.hash(Array(lines.utf8)).text.prefix(12)) }

  /// The book with a title.
  func book(_ title: String) -> Book? { books.first { $0.title == title } }

  /// Reads a file.
  static func read(_ file: String, _ kind: Kind) async throws(Failure) -> HeldBooks {
    let lines = try await query(kind == .device ? deviceBooks : serverBooks, of: file)
    var books: [Book] = []
    for line in lines.split(separator: "\n") {
      do {
        books.append(try JSONDecoder().decode(Book.self, from: Data(line.utf8)))
      } catch {
        throw Failure(.refused, "\(file) holds a book that cannot be read: \(line)")
      }
    }
    let waiting =
      kind == .device ? try await query("SELECT count(*) FROM c_outbox", of: file) : "0"
    return HeldBooks(
      lines: lines, books: books,
      waiting: Int(waiting.filter(\.isNumber)) ?? 0)
  }

  static func query(_ sql: String, of file: String) async throws(Failure) -> String {
    guard let program = ChildProcess.path(of: "sqlite3") else {
      throw Failure(.refused, "the program sqlite3 is missing; install the package sqlite3")
    }
    let outcome = try await ChildProcess(
      program: program, arguments: ["-readonly", "-batch", file, sql]
    ).run()
    guard outcome.code == 0 else {
      throw Failure(.refused, "sqlite3 cannot read \(file): \(outcome.complaint)")
    }
    return outcome.output
  }

  private static let deviceBooks = """
    SELECT json_object(
      'id', lower(hex(id)), 'title', title, 'author', author, 'tags', json(tags), 'read', read,
      'readAt', readAt, 'rating', rating, 'notes', notes, 'isbn', isbn)
    FROM book ORDER BY id
    """

  /// A server keeps the JSON of a record as it is sent.
  private static let serverBooks = """
    SELECT json_object(
      'id', lower(hex(id)),
      'title', json_extract(state, '$.fields.title'),
      'author', json_extract(state, '$.fields.author'),
      'tags', json(json_extract(state, '$.fields.tags')),
      'read', json_extract(state, '$.fields.read'),
      'readAt', CAST(json_extract(state, '$.fields.readAt.t') AS INTEGER),
      'rating', CAST(json_extract(state, '$.fields.rating.i') AS INTEGER),
      'notes', json_extract(state, '$.fields.notes'),
      'isbn', json_extract(state, '$.fields.isbn'))
    FROM record WHERE tbl = 'book' AND deleted IS NULL ORDER BY id
    """
}
