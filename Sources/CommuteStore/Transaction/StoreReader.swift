public import CommuteCore
public import CommuteSQLite

@_exported public import struct CommuteSQLite.SQL

/// What reads from a store: the transaction of a read, or that of a write.
public protocol StoreReader: ~Copyable {
  /// The connection that the transaction runs on.
  var session: StoreConnection { get }
}

extension StoreReader where Self: ~Copyable {
  /// Reads one record.
  ///
  /// - Returns: Nil where there is none with this id.
  @inlinable
  public borrowing func fetch<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID
  ) throws(StoreError) -> Model? {
    let statement = try session.statement(reading: ObjectIdentifier(Model.self), id)
    let table = Model.table
    return try statement.first { (row) throws(StoreError) in try table.read(row) }
  }

  /// Reads the records of a query.
  @inlinable
  public borrowing func fetch<Model: Record>(
    _ query: Query<Model>
  ) throws(StoreError) -> [Model] {
    let statement = try session.prepare(query)
    let table = Model.table
    return try statement.all { (row) throws(StoreError) in try table.read(row) }
  }

  /// Counts the records of a query.
  public borrowing func count<Model: Record>(_ query: Query<Model>) throws(StoreError) -> Int {
    let statement = try session.prepare(counting: query)
    return Int(try speaking { () throws(SQLiteError) in try statement.firstInt64() } ?? 0)
  }

  /// Reads records by SQL, such as `"SELECT * FROM \(Book.self) WHERE author = \(name)"`.
  ///
  /// The statement must give `id` and every column of the type, in any order, under their names.
  public borrowing func fetch<Model: Record>(
    _ model: Model.Type = Model.self, sql: SQL
  ) throws(StoreError) -> [Model] {
    let statement = try session.statement(checked: sql)
    let shape = try session.shapes.shape(of: ObjectIdentifier(Model.self))
    let inOrder = try session.inDeclaredOrder(statement, of: shape, sql)
    return try inOrder.all { (row) throws(StoreError) in
      try shape.check(row)
      return try Model.table.read(row)
    }
  }

  /// Reads rows of any shape by SQL; the row is lent to the closure.
  public borrowing func rows<Element>(
    _ sql: SQL, _ read: (borrowing Row) throws(StoreError) -> Element
  ) throws(StoreError) -> [Element] {
    try session.statement(checked: sql).all(read)
  }

  /// Reads the first column of the first row; null where there is no row.
  public borrowing func value(_ sql: SQL) throws(StoreError) -> SQLValue {
    let statement = try session.statement(checked: sql)
    return try statement.first { (row) throws(StoreError) in row.value(0) } ?? .null
  }
}

extension Table {
  /// Makes a record of a row that holds an id, and the columns as declared from a place on.
  @inlinable
  func read(
    _ row: borrowing Row, id: Int = 0, fieldsFrom first: Int = 1
  ) throws(StoreError) -> Model {
    var record = blank
    try read(row, id: id, fieldsFrom: first, into: &record)
    return record
  }

  /// Fills a record that was made of the blank one.
  @inlinable
  func read(
    _ row: borrowing Row, id: Int = 0, fieldsFrom first: Int, into record: inout Model
  ) throws(StoreError) {
    if let pair = row.pair(id) { record.id = RecordID(high: pair.high, low: pair.low) }
    try withUnsafeMutablePointer(to: &record) { (pointer) throws(StoreError) in
      try layout.read(row, from: first, into: UnsafeMutableRawPointer(pointer))
    }
  }
}

extension TableShape {
  /// Refuses a row of an app's query that holds what the columns of the table cannot hold.
  func check(_ row: borrowing Row) throws(StoreError) {
    guard row.pair(0) != nil else {
      throw .query(reason: "the query gives no id of 16 bytes for \(name)")
    }
    for (index, field) in layout.fields.enumerated() {
      let kind = row.kind(index + 1)
      if kind == .null, field.isOptional { continue }
      guard kind == field.kind.columnKind else {
        throw .query(
          reason: "the query gives \(kind.words) for \(name).\(field.name.text),"
            + " which holds \(field.kind.name.text)")
      }
    }
  }
}

extension FieldKind {
  /// What SQLite stores for a value of the kind.
  fileprivate var columnKind: ColumnKind {
    switch self {
    case .boolean, .integer, .instant: .integer
    case .double: .real
    case .text, .list: .text
    case .bytes: .bytes
    }
  }
}

extension ColumnKind {
  fileprivate var words: String {
    switch self {
    case .null: "nothing"
    case .integer: "an integer"
    case .real: "a number"
    case .text: "a text"
    case .bytes: "bytes"
    }
  }
}

extension StoreConnection {
  /// A statement that gives the columns of another one as a table declares them.
  func inDeclaredOrder(
    _ statement: Statement, of shape: TableShape, _ sql: SQL
  ) throws(StoreError) -> Statement {
    let names = (0..<statement.columnCount).map { statement.columnName($0) }
    let wanted = ["id"] + shape.layout.fields.map(\.name.text)
    if names.starts(with: wanted) { return statement }
    if let missing = wanted.first(where: { !names.contains($0) }) {
      statement.reset()
      throw .query(reason: "the query gives no column \(missing) of \(shape.name); select it, or *")
    }
    statement.reset()
    let columns = wanted.map { SQL.quoted($0) }.joined(separator: ", ")
    return try speaking { () throws(SQLiteError) in
      let text = "SELECT \(columns) FROM (\(sql.text))"
      let ordered = try connection.statement(text: text, isChecked: true)
      ordered.bind(all: sql.arguments)
      return ordered
    }
  }
}

/// A transaction that only reads: it sees one state of the store from beginning to end.
public struct ReadTransaction: ~Copyable, StoreReader {
  /// The connection that the transaction runs on.
  public let session: StoreConnection

  init(_ session: StoreConnection) {
    self.session = session
  }
}

extension SQL.StringInterpolation {
  /// Adds the quoted name of a record type's table.
  public mutating func appendInterpolation<Model: Record>(_ model: Model.Type) {
    appendInterpolation(name: model.table.name)
  }

  /// Adds the quoted name of the column of a property: `\(\Book.title)`.
  public mutating func appendInterpolation<Model: Record>(
    _ path: any PartialKeyPath<Model> & Sendable
  ) {
    let column = Model.table.queried(path)
    // A property that is no column is named as none in the error.
    appendInterpolation(name: column.problem == nil ? column.field : "\(path)")
  }

  /// Adds a value of any type that a column can hold, such as a date or an enum; it is bound.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value) {
    appendInterpolation(value.fieldValue.sqlValue)
  }

  /// Adds a list of values of any type that a column can hold, in parentheses, as `IN` takes it.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value: ColumnValue>(_ values: [Value]) {
    appendInterpolation(values.map(\.fieldValue.sqlValue))
  }
}

extension RecordID: SQLConvertible {
  /// The 16 bytes.
  public var sqlValue: SQLValue { .pair(high: high, low: low) }
}
