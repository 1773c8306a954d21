public import CommuteCore
public import CommuteSQLite

extension StoreReader where Self: ~Copyable {
  /// Reads the first record of a query.
  ///
  /// - Returns: Nil where there is none.
  @inlinable
  public borrowing func first<Model: Record>(
    _ query: Query<Model>
  ) throws(StoreError) -> Model? {
    let statement = try session.prepare(query)
    let table = Model.table
    return try statement.first { (row) throws(StoreError) in try table.read(row) }
  }

  /// Whether there is a record of a query.
  public borrowing func exists<Model: Record>(_ query: Query<Model>) throws(StoreError) -> Bool {
    let statement = try session.prepare(query, selecting: [Model.table.id])
    return try statement.first { (_) throws(StoreError) in true } ?? false
  }

  /// Reads the ids of the records of a query.
  public borrowing func ids<Model: Record>(
    _ query: Query<Model>
  ) throws(StoreError) -> [RecordID] {
    let statement = try session.prepare(query, selecting: [Model.table.id])
    return try statement.all { (row) throws(StoreError) in try row.recordID(0) }
  }

  /// Reads the records of a query one after another: any number of them in the same little memory.
  ///
  /// What the closure writes in the same transaction may or may not be seen by the rest of the
  /// reading.
  ///
  /// - Throws: What the closure throws, which ends the reading, and ``StoreError``.
  @inlinable
  public borrowing func forEach<Model: Record>(
    _ query: Query<Model>, _ body: (Model) throws -> Void
  ) throws {
    let statement = try session.prepare(query)
    let table = Model.table
    try statement.forEach { (row: Row) throws in try body(table.read(row)) }
  }

  /// Reads one column of the records of a query: `tx.fetch(Book.order(by: \.title), \.title)`.
  public borrowing func fetch<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value> & Sendable
  ) throws(StoreError) -> [Value] {
    let column = Model.table.queried(path)
    let statement = try session.prepare(query, selecting: [column])
    return try statement.all { (row) throws(StoreError) in try row.value(0, of: column) }
  }

  /// Reads some columns of the records of a query.
  public borrowing func fetch<Model: Record, each Value: ColumnValue>(
    _ query: Query<Model>, _ paths: repeat any KeyPath<Model, each Value> & Sendable
  ) throws(StoreError) -> [(repeat each Value)] {
    var columns: [QueriedColumn] = []
    for path in repeat each paths { columns.append(Model.table.queried(path)) }
    let statement = try session.prepare(query, selecting: columns)
    return try statement.all { (row) throws(StoreError) in
      var place = 0
      func next<Each: ColumnValue>(_ type: Each.Type) throws(StoreError) -> Each {
        defer { place += 1 }
        return try row.value(place, of: columns[place])
      }
      return (repeat try next((each Value).self))
    }
  }

  /// Reads pairs of records of which one refers to the other.
  @inlinable
  public borrowing func fetch<Left: Record, Right: Record>(
    _ join: Join<Left, Right>
  ) throws(StoreError) -> [(Left, Right)] {
    let statement = try session.prepare(join)
    let (left, right) = (Left.table, Right.table)
    let second = left.fieldCount + 1
    return try statement.all { (row) throws(StoreError) in
      (try left.read(row), try right.read(row, id: second, fieldsFrom: second + 1))
    }
  }

  /// Reads pairs of records of which one refers to the other, or to nothing that is there.
  @inlinable
  public borrowing func fetch<Left: Record, Right: Record>(
    _ join: LeftJoin<Left, Right>
  ) throws(StoreError) -> [(Left, Right?)] {
    let statement = try session.prepare(join)
    let (left, right) = (Left.table, Right.table)
    let second = left.fieldCount + 1
    return try statement.all { (row) throws(StoreError) in
      let first = try left.read(row)
      if row.isNull(second) { return (first, nil) }
      return (first, try right.read(row, id: second, fieldsFrom: second + 1))
    }
  }

  /// Counts pairs of records of which one refers to the other.
  public borrowing func count<Left: Record, Right: Record>(
    _ join: Join<Left, Right>
  ) throws(StoreError) -> Int {
    let text = "SELECT count(*) FROM (\(join.text("JOIN", selecting: "1")))"
    let statement = try session.statement(of: join, text)
    return Int(try speaking { () throws(SQLiteError) in try statement.firstInt64() } ?? 0)
  }
}

extension Table {
  /// How many columns there are beside the id.
  @usableFromInline var fieldCount: Int { layout.count }
}

extension StoreConnection {
  /// The statement that reads pairs; notes what it reads.
  @usableFromInline
  func prepare<Left, Right>(_ join: Join<Left, Right>) throws(StoreError) -> Statement {
    try statement(of: join, join.text("JOIN"))
  }

  /// The statement that reads pairs, and records without a partner; notes what it reads.
  @usableFromInline
  func prepare<Left, Right>(_ outer: LeftJoin<Left, Right>) throws(StoreError) -> Statement {
    try statement(of: outer.join, outer.join.text("LEFT JOIN"))
  }

  func statement<Left, Right>(
    of join: Join<Left, Right>, _ text: String
  ) throws(StoreError) -> Statement {
    let shape = try shapes.shape(of: ObjectIdentifier(Left.self))
    let other = try shapes.shape(of: ObjectIdentifier(Right.self))
    region?.add(table: shape.slot, columns: CommittedChange.everything)
    region?.add(table: other.slot, columns: CommittedChange.everything)
    if let reason = join.refusal { throw .query(reason: reason) }
    if join.left.search != nil, let search = shape.search { try update(search) }
    return try statement(text, join.arguments, isForeign: join.isForeign)
  }
}

extension Row {
  /// A value of a column that a query has selected.
  func value<Value: ColumnValue>(
    _ place: Int, of column: QueriedColumn
  ) throws(StoreError) -> Value {
    if let value = Value(fieldValue: fieldValue(place, as: column.kind)) { return value }
    if let fallback = column.fallback.flatMap({ Value(fieldValue: $0) }) { return fallback }
    throw .value(table: column.table, column: column.field, problem: .notUnderstood)
  }
}
