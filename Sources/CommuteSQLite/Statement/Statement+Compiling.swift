import CSQLite

extension Statement {
  /// Compiles exactly one statement.
  static func compile(_ sql: String, _ database: DatabaseHandle) throws(SQLiteError)
    -> OpaquePointer
  {
    try refuseNUL(in: sql)
    let pointer = try unsafe database.opened()
    var sql = sql
    var rest: UnsafePointer<CChar>?
    var statement: OpaquePointer?
    var second: OpaquePointer?
    let code = sql.withUTF8 { bytes in
      // Empty text has no address.
      guard let start = bytes.baseAddress else { return SQLITE_OK }
      return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(
          pointer, start, Int32(bytes.count), flags, &statement, &rest)
        guard code == SQLITE_OK, let rest = unsafe rest else { return code }
        // Blanks and comments may follow, which compile to nothing.
        let left = unsafe bytes.count - (rest - start)
        return left <= 0
          ? code : unsafe sqlite3_prepare_v3(pointer, rest, Int32(left), 0, &second, nil)
      }
    }
    guard code == SQLITE_OK else {
      unsafe sqlite3_finalize(statement)
      throw database.failure(code, whileRunning: false)
    }
    guard let statement = unsafe statement, unsafe second == nil else {
      let reason = unsafe statement == nil ? "holds no statement" : "holds more than one statement"
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_finalize(second)
      throw .misuse(reason: "the text \(reason)")
    }
    return unsafe statement
  }

  /// SQLite would take a NUL for the end of the text.
  static func refuseNUL(in sql: String) throws(SQLiteError) {
    guard !sql.utf8.contains(0) else { throw .misuse(reason: "the text of a statement holds NUL") }
  }
}
