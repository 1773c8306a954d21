extension Connection {
  /// A kept statement with the values of the SQL bound.
  public func statement(
    _ sql: SQL, isChecked: Bool = false
  ) throws(SQLiteError) -> Statement {
    let statement = try statement(text: sql.text, isChecked: isChecked)
    statement.bind(all: sql.arguments)
    return statement
  }

  /// Runs a statement for its effect.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  public func run(_ sql: SQL) throws(SQLiteError) -> Int {
    let before = totalChanges
    try statement(sql).run()
    return totalChanges - before
  }

  /// Reads all rows.
  @inlinable public func all<Element, Failure: CarriesSQLiteError>(
    _ sql: SQL, _ read: (Row) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    let query: Statement
    do { query = try statement(sql) } catch { throw Failure(error) }
    return try query.all(read)
  }

  /// Reads all rows.
  @inlinable public func all<Element>(
    _ sql: SQL, _ read: (Row) throws -> Element
  ) throws -> [Element] {
    try statement(sql).all(read)
  }

  /// Reads the first row, if there is one.
  @inlinable public func first<Element, Failure: CarriesSQLiteError>(
    _ sql: SQL, _ read: (Row) throws(Failure) -> Element
  ) throws(Failure) -> Element? {
    let query: Statement
    do { query = try statement(sql) } catch { throw Failure(error) }
    return try query.first(read)
  }

  /// Reads the first row, if there is one.
  @inlinable public func first<Element>(
    _ sql: SQL, _ read: (Row) throws -> Element
  ) throws -> Element? {
    try statement(sql).first(read)
  }

  /// Reads the first column of the first row; null where there is no row.
  public func value(_ sql: SQL) throws(SQLiteError) -> SQLValue {
    try first(sql) { (row) throws(SQLiteError) in row.value(0) } ?? .null
  }
}
