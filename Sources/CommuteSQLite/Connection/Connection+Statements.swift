import CSQLite

extension Connection {
  /// Compiles a statement for the caller to keep.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(database, sql: sql, isChecked: false)
  }

  /// A kept statement, found by the address of the literal: the fastest way to run fixed SQL.
  ///
  /// While the kept one is in the middle of its rows, a new one is compiled.
  public func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    guard sql.hasPointerRepresentation else { return try prepare("\(sql)") }
    let address = unsafe UInt(bitPattern: sql.utf8Start)
    if let statement = kept.statement(at: address) {
      return statement.isRunning ? try prepare("\(sql)") : statement
    }
    let statement = try prepare("\(sql)")
    kept.keep(statement, at: address)
    return statement
  }

  /// A kept statement, found by its text.
  ///
  /// With `isChecked` the ``authorizer`` is asked, and ``Statement/accesses`` tells what the
  /// statement touches. Use it for SQL that the program did not write itself.
  public func statement(
    text sql: String, isChecked: Bool = false
  ) throws(SQLiteError) -> Statement {
    let key = KeptStatements.Key(sql: sql, isChecked: isChecked)
    if let statement = kept.statement(key), !statement.isRunning { return statement }
    let statement = try Statement(database, sql: sql, isChecked: isChecked)
    kept.keep(statement, key)
    return statement
  }

  /// Asked for each thing that a checked statement touches, while it is compiled.
  ///
  /// Set it before the first checked statement: those that are kept are not asked about again.
  /// It must not use the connection.
  public var authorizer: ((Access) -> Permission)? {
    get { database.authorization.authorizer }
    set { database.authorization.authorizer = newValue }
  }

  /// Ends every statement that is in the middle of its rows, and with it the snapshot it reads.
  public func resetStatements() {
    database.resetStatements()
  }
}
