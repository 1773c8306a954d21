import CommuteSQLite

/// The lie `half-write`: what was written stays in the view and leaves the line to the server.
enum HalfWrite {
  /// Takes the last row out of the outbox, behind the store's back.
  static func forgetLastOperation(in path: String) throws(SQLiteError) {
    let connection = try Connection(.file(path), Configuration(.readWrite))
    defer { connection.close() }
    try connection.run(
      "DELETE FROM c_outbox WHERE position = (SELECT max(position) FROM c_outbox)")
  }
}
