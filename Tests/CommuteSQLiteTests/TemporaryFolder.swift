import CommuteSQLite
import Foundation

/// A folder that is gone when the test is over.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "commute-sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String = "test.db") -> String { "\(path)/\(name)" }

  func open(
    _ name: String = "test.db", _ configuration: Configuration = Configuration()
  ) throws(SQLiteError) -> Connection {
    try Connection(.file(file(name)), configuration)
  }

  /// The rights of a file, such as 0o600.
  func rights(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
}

/// A database in memory with one table of books.
func books() throws(SQLiteError) -> Connection {
  let connection = try Connection(.memory)
  try connection.execute(
    """
    CREATE TABLE book(
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating INTEGER CHECK (rating BETWEEN 1 AND 5),
      UNIQUE (title)
    ) STRICT
    """)
  return connection
}

extension Connection {
  /// How many rows a table has.
  func count(_ table: String = "book") throws(SQLiteError) -> SQLValue {
    try value("SELECT count(*) FROM \(name: table)")
  }
}
