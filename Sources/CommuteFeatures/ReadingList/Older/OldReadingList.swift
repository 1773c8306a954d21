import CommuteCore
import CommuteSQLite
import Foundation

/// A reading list from before sync: one SQLite file in which a book is known by a row number.
///
/// Row numbers mean nothing elsewhere: two devices have given the same number to different books.
/// A migration gives every book an id of its own that stays with it in the file, so that moving
/// the books into a store can be repeated; the books of the sample get the ids that they have
/// everywhere.
public struct OldReadingList: Sendable {
  /// A book of the file.
  struct OldBook: Hashable, Sendable {
    var book: Book
    /// Whether it is the book of the sample with this id.
    var isSample: Bool
  }

  /// What the file holds after the migration.
  struct Content: Sendable {
    /// The id that the migration gave to the file itself.
    var file: RecordID
    var books: [OldBook]
  }

  /// Where the file is.
  public let path: String

  /// Names a file; it is not opened yet.
  public init(path: String) {
    self.path = path
  }

  /// The name of the table that remembers which steps ran.
  static let migrationTable = "reading_list_migration"

  /// The steps that lead from row numbers to ids.
  static func plan(
    newID: @escaping @Sendable () -> RecordID
  ) -> MigrationPlan {
    MigrationPlan(
      table: migrationTable,
      [
        Migration(
          "0001-uid",
          """
          ALTER TABLE book ADD COLUMN uid BLOB;
          CREATE UNIQUE INDEX book_uid ON book(uid);
          CREATE TABLE reading_list_file(uid BLOB NOT NULL) STRICT;
          """
        ) { (connection) throws(SQLiteError) in
          try connection.run("INSERT INTO reading_list_file(uid) VALUES (\(newID().bytes))")
        }
      ])
  }

  /// Runs the migration where it has not run, and reads the books.
  ///
  /// - Throws: ``ReadingListError/oldList(path:reason:)`` where the file cannot be opened or is
  ///   something else; it is as before then.
  func content(
    newID: @escaping @Sendable () -> RecordID
  ) throws(ReadingListError) -> Content {
    do throws(SQLiteError) {
      var configuration = Configuration(.readWrite)
      configuration.journal = .unchanged
      let connection = try Connection(.file(path), configuration)
      defer { connection.close() }
      if let content = try Self.content(of: connection, newID: newID) { return content }
    } catch {
      throw .oldList(path: path, reason: error.description)
    }
    throw .oldList(path: path, reason: "it has no table of books with row numbers")
  }

  /// Nil where the database is something else.
  private static func content(
    of connection: Connection, newID: @escaping @Sendable () -> RecordID
  ) throws(SQLiteError) -> Content? {
    let columns = try connection.value(
      """
      SELECT count(*) FROM pragma_table_info('book') WHERE name IN
        ('number', 'title', 'author', 'tags', 'read', 'read_on', 'rating', 'notes')
      """)
    guard columns == .integer(8) else { return nil }
    try plan(newID: newID).apply(to: connection)
    return try connection.transaction { () throws(SQLiteError) -> Content in
      try nameBooks(on: connection, newID: newID)
      let file = try connection.value("SELECT uid FROM reading_list_file")
      return Content(file: id(file) ?? .zero, books: try books(on: connection))
    }
  }

  /// Gives an id to every book that has none: the fixed one to the books of the sample.
  ///
  /// Of two rows that both look like one book of the sample, the older row is it.
  private static func nameBooks(
    on connection: Connection, newID: () -> RecordID
  ) throws(SQLiteError) {
    var taken = Set(
      try connection.all("SELECT uid FROM book WHERE uid IS NOT NULL") {
        (row) throws(SQLiteError) in id(row.value(0))
      })
    let rows = try connection.all(
      "SELECT number, title, author FROM book WHERE uid IS NULL ORDER BY number"
    ) { (row) throws(SQLiteError) in (row.int64(0), row.text(1), row.text(2)) }
    for (number, title, author) in rows {
      var uid = SampleBooks.book(title: title, author: author)?.id ?? newID()
      if !taken.insert(uid).inserted { uid = newID() }
      try connection.run("UPDATE book SET uid = \(uid.bytes) WHERE number = \(number)")
    }
  }

  private static func books(on connection: Connection) throws(SQLiteError) -> [OldBook] {
    try connection.all(
      "SELECT uid, title, author, tags, read, read_on, rating, notes FROM book ORDER BY number"
    ) { (row) throws(SQLiteError) -> OldBook? in
      guard let id = id(row.value(0)) else { return nil }
      let title = row.text(1)
      let book = Book(
        id: id, title: title.allSatisfy(\.isWhitespace) ? "Untitled" : title, author: row.text(2),
        tags: Tags.normalized([row.text(3)]), read: row.int64(4) != 0,
        readAt: row.isNull(5) ? nil : Date(timeIntervalSince1970: Double(row.int64(5)) * 86_400),
        rating: rating(row.isNull(6) ? 0 : row.int64(6)), notes: row.text(7))
      return OldBook(book: book, isSample: SampleBooks.all.contains { $0.id == id })
    }.compactMap { $0 }
  }

  /// The old list had zero for no stars.
  private static func rating(_ stars: Int64) -> Int? {
    (1...5).contains(stars) ? Int(stars) : nil
  }

  private static func id(_ value: SQLValue) -> RecordID? {
    guard case .bytes(let bytes) = value else { return nil }
    return RecordID(bytes: bytes)
  }
}
