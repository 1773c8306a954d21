import CommuteCore
import CommuteSQLite

/// What is made of a column of all records of a query; nothing is no value in any of it.
extension StoreReader where Self: ~Copyable {
  /// Adds up a column: `tx.sum(Book.where(\.read == true), \.pages)`; 0 where there is no value.
  ///
  /// - Throws: ``StoreError/query(reason:)`` where the sum does not fit.
  public borrowing func sum<Model: Record, Value: ColumnValue & Numeric>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value> & Sendable
  ) throws(StoreError) -> Value {
    try total(query, Model.table.queried(path))
  }

  /// Adds up a column of which some records hold nothing; 0 where there is no value.
  ///
  /// - Throws: ``StoreError/query(reason:)`` where the sum does not fit.
  public borrowing func sum<Model: Record, Value: ColumnValue & Numeric>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value?> & Sendable
  ) throws(StoreError) -> Value {
    try total(query, Model.table.queried(path))
  }

  private borrowing func total<Model: Record, Value: ColumnValue & Numeric>(
    _ query: Query<Model>, _ column: QueriedColumn
  ) throws(StoreError) -> Value {
    let sum: FieldValue
    do throws(StoreError) {
      sum = try made("sum", of: column, in: query)
    } catch .query(let reason) where reason.contains("overflow") {
      throw .query(reason: "the sum of \(column.name) takes more than 64 bits")
    }
    if sum.isNull { return .zero }
    if let value = Value(fieldValue: sum) { return value }
    throw .query(reason: "the sum of \(column.name) does not fit \(Value.self)")
  }

  /// The mean of a column; nil where there is no value.
  public borrowing func average<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value> & Sendable
  ) throws(StoreError) -> Double? {
    let mean = try made("avg", of: Model.table.queried(path), as: .double, in: query)
    guard case .double(let number) = mean else { return nil }
    return number
  }

  /// The least value of a column; nil where there is none.
  public borrowing func min<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value> & Sendable
  ) throws(StoreError) -> Value? {
    try extreme("min", Model.table.queried(path), in: query)
  }

  /// The least value of a column of which some records hold nothing; nil where there is none.
  public borrowing func min<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value?> & Sendable
  ) throws(StoreError) -> Value? {
    try extreme("min", Model.table.queried(path), in: query)
  }

  /// The greatest value of a column; nil where there is none.
  public borrowing func max<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value> & Sendable
  ) throws(StoreError) -> Value? {
    try extreme("max", Model.table.queried(path), in: query)
  }

  /// The greatest value of a column of which some records hold nothing; nil where there is none.
  public borrowing func max<Model: Record, Value: ColumnValue>(
    _ query: Query<Model>, _ path: any KeyPath<Model, Value?> & Sendable
  ) throws(StoreError) -> Value? {
    try extreme("max", Model.table.queried(path), in: query)
  }

  private borrowing func extreme<Model: Record, Value: ColumnValue>(
    _ function: String, _ column: QueriedColumn, in query: Query<Model>
  ) throws(StoreError) -> Value? {
    let value = try made(function, of: column, in: query)
    if value.isNull { return nil }
    if let found = Value(fieldValue: value) { return found }
    throw .value(table: column.table, column: column.field, problem: .notUnderstood)
  }

  private borrowing func made<Model: Record>(
    _ function: String, of column: QueriedColumn, as kind: FieldKind? = nil,
    in query: Query<Model>
  ) throws(StoreError) -> FieldValue {
    if let problem = column.problem { throw .query(reason: problem) }
    let mask = query.decidingColumns | column.mask
    let statement = try session.statement(of: query, looksAt: mask) {
      query.aggregating(function, column)
    }
    let kind = kind ?? column.kind
    return try statement.first { (row) throws(StoreError) in row.fieldValue(0, as: kind) } ?? .null
  }

  /// Reads groups of records with one value made of each.
  public borrowing func fetch<Model: Record, Key: ColumnValue, Value: Sendable>(
    _ groups: Groups<Model, Key, Value>
  ) throws(StoreError) -> [Grouped<Key, Value>] {
    if let problem = groups.refusal { throw .query(reason: problem) }
    let statement = try session.statement(of: groups.query, looksAt: groups.columns) {
      groups.text
    }
    return try statement.all { (row) throws(StoreError) in
      let key: Key = try row.value(0, of: groups.key)
      guard let value = groups.value(row) else {
        throw .query(reason: "a value of \(groups.key.table) by \(groups.key.field) does not fit")
      }
      return Grouped(key: key, value: value)
    }
  }
}
