import CommuteSQLite

/// The naive design's database: rows numbered by a counter, and a queue of what was done.
final class NaiveFile {
  let path: String
  private let connection: Connection

  init(folder: String) throws {
    path = Self.path(in: folder)
    connection = try Connection(.file(path))
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS book(
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        read INTEGER NOT NULL DEFAULT 0,
        note TEXT NOT NULL DEFAULT '',
        changed INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS operation(
        position INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        row INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        content TEXT,
        attempts INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      """)
  }

  /// Where the database of a device lies.
  static func path(in folder: String) -> String { folder + ".db" }

  func close() {
    connection.close()
  }

  // MARK: - What people do

  func add(_ title: String, at wall: Int64) throws {
    try connection.run("INSERT INTO book(title, changed) VALUES (\(title), \(wall))")
    try queue("add", connection.lastInsertRowID, at: wall)
  }

  func tick(_ title: String, at wall: Int64) throws {
    let row = try number(of: title)
    try connection.run("UPDATE book SET read = 1, changed = \(wall) WHERE row = \(row)")
    try queue("set", row, at: wall)
  }

  func note(_ title: String, _ text: String, at wall: Int64) throws {
    let row = try number(of: title)
    try connection.run("UPDATE book SET note = \(text), changed = \(wall) WHERE row = \(row)")
    try queue("set", row, at: wall)
  }

  func delete(_ title: String, at wall: Int64) throws {
    let row = try number(of: title)
    try connection.run("DELETE FROM book WHERE row = \(row)")
    try queue("delete", row, at: wall)
  }

  private func number(of title: String) throws -> Int64 {
    let found = try connection.first("SELECT min(row) FROM book WHERE title = \(title)") { row in
      row.isNull(0) ? nil : row.int64(0)
    }
    guard let number = found ?? nil else { throw StoryError("there is no “\(title)”") }
    return number
  }

  private func queue(_ kind: String, _ row: Int64, at wall: Int64) throws {
    try connection.run(
      """
      INSERT INTO operation(kind, row, changed, content) VALUES (\(kind), \(row), \(wall),
        (SELECT json_object('title', title, 'read', read, 'note', note)
         FROM book WHERE row = \(row)))
      """)
  }

  // MARK: - What is sent

  /// The queue, to be sent now.
  ///
  /// An addition that was tried before has failed, as far as anybody here knows: it is made anew.
  func beginSending() throws -> [NaiveOperation] {
    let failed = try connection.all(
      "SELECT row FROM operation WHERE kind = 'add' AND attempts > 0 ORDER BY position"
    ) { row in row.int64(0) }
    for row in failed { try makeAnew(row) }
    try connection.run("UPDATE operation SET attempts = attempts + 1")
    return try connection.all(
      "SELECT position, row, changed, content FROM operation ORDER BY position"
    ) { row in
      NaiveOperation(
        position: row.int64(0), row: row.int64(1), changed: row.int64(2),
        content: row.isNull(3) ? nil : row.text(3))
    }
  }

  private func makeAnew(_ row: Int64) throws {
    try connection.run(
      """
      INSERT INTO book(title, read, note, changed)
      SELECT title, read, note, changed FROM book WHERE row = \(row)
      """)
    let fresh = connection.lastInsertRowID
    try connection.run("UPDATE operation SET row = \(fresh) WHERE row = \(row)")
    try connection.run("DELETE FROM book WHERE row = \(row)")
  }

  /// Forgets what was sent; whatever the server made of it is in its rows.
  func endSending(_ operations: [NaiveOperation]) throws {
    for operation in operations {
      try connection.run("DELETE FROM operation WHERE position = \(operation.position)")
    }
  }

  /// How much waits to be sent.
  func waiting() throws -> Int64 {
    try connection.first("SELECT count(*) FROM operation") { row in row.int64(0) } ?? 0
  }

  // MARK: - What comes

  /// Takes a row of the server, where it was changed later than the one here.
  func take(_ row: NaiveRow) throws {
    try connection.run(
      """
      INSERT INTO book(row, title, read, note, changed)
      VALUES (\(row.number), json_extract(\(row.content), '$.title'),
        json_extract(\(row.content), '$.read'), json_extract(\(row.content), '$.note'),
        \(row.changed))
      ON CONFLICT (row) DO UPDATE SET title = excluded.title, read = excluded.read,
        note = excluded.note, changed = excluded.changed
      WHERE excluded.changed > changed
      """)
  }

  /// Queues the rows that the server does not have.
  ///
  /// - Returns: Whether there are any.
  func addAgain(missingIn there: Set<Int64>, at wall: Int64) throws -> Bool {
    let here = try connection.all("SELECT row FROM book ORDER BY row") { row in row.int64(0) }
    let missing = here.filter { !there.contains($0) }
    for row in missing { try queue("add", row, at: wall) }
    return !missing.isEmpty
  }
}
