import CommuteCore
import CommuteSQLite

extension Query {
  /// The condition with what ``after(_:)`` demands.
  var condition: RawCondition? {
    guard let page = pageCondition else { return filter }
    return filter.map { $0 && page } ?? page
  }

  /// The columns that decide whether a record comes, and the row itself.
  var filteringColumns: UInt64 {
    var columns = (condition?.columns ?? 0) | CommittedChange.presence
    if search != nil {
      for place in Model.table.search?.columns ?? [] { columns |= 1 << UInt64(place) }
    }
    return columns
  }

  /// The columns that decide where it stands.
  var orderingColumns: UInt64 { orders.reduce(0) { $0 | $1.column.mask } }

  /// The columns that decide which records come, and in which order.
  var decidingColumns: UInt64 { filteringColumns | orderingColumns }

  /// Why the query cannot be run.
  var refusal: String? {
    if search != nil, last != nil, orders.isEmpty {
      return "pages of \(Model.table.name) behind a record need an order; a rank is none"
    }
    return problem ?? condition?.problem
  }

  /// The records behind the last one: in the first column, or equal there and in the next one.
  private var pageCondition: RawCondition? {
    guard let last else { return nil }
    var page = RawCondition(Model.table.id, .greater, last.id.fieldValue)
    for order in orders.reversed() {
      let value = withUnsafePointer(to: last) { order.column.get(UnsafeRawPointer($0)) }
      page = Self.isBehind(value, order) || (RawCondition(order.column, .same, value) && page)
      // Says less than the rest, but an index can be entered by it.
      if order.direction == .ascending, !value.isNull {
        page = RawCondition(order.column, .atLeast, value) && page
      }
    }
    return page
  }

  private static func isBehind(_ value: FieldValue, _ order: Order) -> RawCondition {
    switch (order.direction, value.isNull) {
    case (.ascending, false): RawCondition(order.column, .greater, value)
    case (.ascending, true): RawCondition(order.column, .other, .null)
    case (.descending, false):
      RawCondition(order.column, .less, value) || RawCondition(order.column, .same, .null)
    case (.descending, true): RawCondition(constant: false)
    }
  }

  /// What stands before each column, with its dot; nothing where one table alone is read.
  var prefix: String { search == nil ? "" : "texts." }

  /// What stands behind `FROM`; a join gives the table a name.
  func source(as name: String? = nil) -> String {
    if search != nil, let tables = SearchTables(Model.table.declared) {
      return tables.joining(name ?? "texts")
    }
    let table = SQL.quoted(Model.table.name)
    return name.map { "\(table) AS \($0)" } ?? table
  }

  /// The conditions as they stand in a statement, the one of a search first.
  func conditions(_ prefix: String) -> [String] {
    var conditions: [String] = []
    if search != nil, let tables = SearchTables(Model.table.declared) {
      conditions.append(tables.condition)
    }
    if let condition { conditions.append(condition.text(prefix)) }
    return conditions
  }

  /// What the records are ordered by; of equal rank or value, by ids.
  func ordering(_ prefix: String) -> [String] {
    if search != nil, orders.isEmpty { return ["words.rank", "\(prefix)id"] }
    return orders.map { $0.text(prefix) } + ["\(prefix)id"]
  }

  /// What stands behind the tables: conditions, order and limit.
  func clauses(isOrdered: Bool = true) -> String {
    var text = conditions(prefix).whereClause
    let hasOrder = !orders.isEmpty || isCut || last != nil || search != nil
    if isOrdered && hasOrder {
      text += " ORDER BY " + ordering(prefix).joined(separator: ", ")
    }
    return text + limitClause
  }

  /// Whether it takes a part of the records only.
  var isCut: Bool { count != nil }

  var limitClause: String {
    guard let count else { return "" }
    return skipped > 0 ? " LIMIT \(count) OFFSET \(skipped)" : " LIMIT \(count)"
  }

  /// The values of the conditions, in order.
  var arguments: [SQLValue] {
    let values = condition?.arguments ?? []
    return search.map { [.text($0)] + values } ?? values
  }

  /// The text that reads whole records: `id`, then the fields as declared.
  var fetching: String {
    compiled.text {
      "SELECT \(Model.table.selection(prefix)) FROM \(source())" + clauses()
    }
  }

  /// The text that makes one value of a column of all records: `max(…)`.
  func aggregating(_ function: String, _ column: QueriedColumn) -> String {
    // Without a part to be cut out, an index may answer at once.
    guard isCut else {
      return "SELECT \(function)(\(prefix)\(column.quoted)) FROM \(source())"
        + clauses(isOrdered: false)
    }
    return "SELECT \(function)(value) FROM (SELECT \(prefix)\(column.quoted) AS value"
      + " FROM \(source())\(clauses()))"
  }
}

extension [String] {
  /// The conditions after `WHERE`; nothing where there are none.
  var whereClause: String { isEmpty ? "" : " WHERE " + joined(separator: " AND ") }
}

extension Table {
  /// The columns of every query over the table: `id`, then the fields as declared.
  func selection(_ prefix: String) -> String {
    let names = ["id"] + layout.fields.map { SQL.quoted($0.name.text) }
    return names.map { prefix + $0 }.joined(separator: ", ")
  }
}

extension StoreConnection {
  /// The statement that reads the records of a query, with its values bound; notes what it reads.
  @usableFromInline
  func prepare<Model>(_ query: Query<Model>) throws(StoreError) -> Statement {
    try statement(of: query, looksAt: CommittedChange.everything) { query.fetching }
  }

  /// The statement that counts the records of a query, with its values bound; notes what it reads.
  func prepare<Model>(counting query: Query<Model>) throws(StoreError) -> Statement {
    try statement(of: query, looksAt: query.decidingColumns) {
      "SELECT count(*) FROM (SELECT 1 FROM \(query.source())\(query.clauses(isOrdered: false)))"
    }
  }

  /// The statement that reads some columns of the records of a query.
  func prepare<Model>(
    _ query: Query<Model>, selecting columns: [QueriedColumn]
  ) throws(StoreError) -> Statement {
    if let problem = columns.lazy.compactMap(\.problem).first { throw .query(reason: problem) }
    let mask = columns.reduce(query.decidingColumns) { $0 | $1.mask }
    return try statement(of: query, looksAt: mask) {
      let names = columns.map { query.prefix + $0.quoted }.joined(separator: ", ")
      return "SELECT \(names) FROM \(query.source())\(query.clauses())"
    }
  }

  /// A statement over a query's records, with the query's values bound; notes what it reads.
  ///
  /// - Throws: ``StoreError/query(reason:)`` where a path leads to no column.
  func statement<Model>(
    of query: Query<Model>, looksAt columns: UInt64, _ text: () -> String
  ) throws(StoreError) -> Statement {
    let shape = try shapes.shape(of: ObjectIdentifier(Model.self))
    region?.add(table: shape.slot, columns: columns)
    if let reason = query.refusal { throw .query(reason: reason) }
    if query.search != nil, let search = shape.search { try update(search) }
    return try statement(
      text(), query.arguments, isForeign: query.condition?.isForeign ?? false)
  }

  /// A kept statement with values bound; one with text that an app wrote is checked.
  func statement(
    _ text: String, _ arguments: [SQLValue], isForeign: Bool
  ) throws(StoreError) -> Statement {
    try speaking { () throws(SQLiteError) in
      let statement = try connection.statement(text: text, isChecked: isForeign)
      if isForeign { noteReads(of: statement) }
      statement.bind(all: arguments)
      return statement
    }
  }
}
