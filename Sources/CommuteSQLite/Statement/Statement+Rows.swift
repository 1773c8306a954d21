extension Statement {
  /// Runs the statement and hands over row after row.
  @inlinable public func forEach<Failure: CarriesSQLiteError>(
    _ body: (Row) throws(Failure) -> Void
  ) throws(Failure) {
    while try advance(Failure.self) { try ending(body) }
  }

  /// Runs the statement and hands over row after row.
  ///
  /// Disfavored, or it would win over the generic one also where the closure names its error.
  @_disfavoredOverload
  @inlinable public func forEach(_ body: (Row) throws -> Void) throws {
    while try step() { try ending(body) }
  }

  /// Runs the statement and reads all rows.
  @inlinable public func all<Element, Failure: CarriesSQLiteError>(
    _ read: (Row) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    var elements: [Element] = []
    while try advance(Failure.self) { elements.append(try ending(read)) }
    return elements
  }

  /// Runs the statement and reads all rows.
  @inlinable public func all<Element>(
    _ read: (Row) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    while try step() { elements.append(try ending(read)) }
    return elements
  }

  /// Runs the statement and reads its first row, if it has one.
  @inlinable public func first<Element, Failure: CarriesSQLiteError>(
    _ read: (Row) throws(Failure) -> Element
  ) throws(Failure) -> Element? {
    guard try advance(Failure.self) else { return nil }
    defer { reset() }
    return try withRow(read)
  }

  /// Runs the statement and reads its first row, if it has one.
  @inlinable public func first<Element>(
    _ read: (Row) throws -> Element
  ) throws -> Element? {
    guard try step() else { return nil }
    defer { reset() }
    return try withRow(read)
  }

  /// Runs the statement and reads the first column of its first row, if it has one.
  public func firstInt64() throws(SQLiteError) -> Int64? {
    try first { (row) throws(SQLiteError) in row.int64(0) }
  }

  /// Moves to the next row, with the error in the caller's type.
  @inlinable func advance<Failure: CarriesSQLiteError>(
    _ type: Failure.Type
  ) throws(Failure) -> Bool {
    do { return try step() } catch { throw Failure(error) }
  }

  /// Lends the present row, and ends the run where the closure throws.
  @inlinable func ending<Result, Failure: Error>(
    _ body: (Row) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(Failure) {
      return try withRow(body)
    } catch {
      reset()
      throw error
    }
  }
}
