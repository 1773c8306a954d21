import CommuteCore
public import CommuteSQLite

/// Which records of a table, in which order; make it once and keep it.
///
/// Without an order, records come in the order of their ids; with one, ids decide between equals.
public struct Query<Model: Record>: Sendable {
  private var filter: Predicate<Model>?
  private var orders: [String] = []
  private var count: Int?
  private var problem: String?

  init() {}

  /// Whether an order rises or falls.
  public enum Direction: Hashable, Sendable {
    /// The least first.
    case ascending
    /// The greatest first.
    case descending
  }

  /// Keeps only records for which the condition holds, too.
  public func `where`(_ predicate: Predicate<Model>) -> Self {
    var query = self
    query.filter = filter.map { $0 && predicate } ?? predicate
    return query
  }

  /// Orders by a column; a second order decides between equals of the first.
  ///
  /// Text is ordered by its bytes.
  public func order<Value: ColumnValue>(
    by path: any KeyPath<Model, Value> & Sendable, _ direction: Direction = .ascending
  ) -> Self {
    var query = self
    let (column, problem) = Predicate<Model>.column(at: path)
    query.orders.append(direction == .ascending ? column : "\(column) DESC")
    query.problem = query.problem ?? problem
    return query
  }

  /// Takes only the first records.
  public func limit(_ count: Int) -> Self {
    var query = self
    query.count = max(0, count)
    return query
  }

  /// What stands after `FROM table`, and its values.
  ///
  /// - Throws: ``StoreError/query(reason:)`` where a path leads to no column.
  func clauses(ordered: Bool) throws(StoreError) -> (text: String, arguments: [SQLValue]) {
    if let problem = problem ?? filter?.problem { throw .query(reason: problem) }
    var text = ""
    if let filter { text += " WHERE \(filter.text)" }
    if ordered, !orders.isEmpty || count != nil {
      text += " ORDER BY \((orders + ["id"]).joined(separator: ", "))"
    }
    if let count { text += " LIMIT \(count)" }
    return (text, filter?.arguments ?? [])
  }
}

extension Record {
  /// All records.
  public static var all: Query<Self> { Query() }

  /// The records for which a condition holds.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> {
    Query().where(predicate)
  }

  /// All records in an order.
  public static func order<Value: ColumnValue>(
    by path: any KeyPath<Self, Value> & Sendable,
    _ direction: Query<Self>.Direction = .ascending
  ) -> Query<Self> {
    Query().order(by: path, direction)
  }
}

extension StoreConnection {
  /// The statement of a query with its values bound; notes what it reads.
  @usableFromInline
  func prepare<Model>(
    _ query: Query<Model>, counting: Bool = false
  ) throws(StoreError) -> Statement {
    let shape = try shapes.shape(of: ObjectIdentifier(Model.self))
    region?.add(table: shape.slot, columns: CommittedChange.everything)
    let (clauses, arguments) = try query.clauses(ordered: !counting)
    let text =
      counting
      ? "SELECT count(*) FROM (SELECT 1 FROM \(SQL.quoted(shape.name))\(clauses))"
      : Self.reading(shape) + clauses
    return try speaking { () throws(SQLiteError) in
      let statement = try connection.statement(text: text)
      statement.bind(all: arguments)
      return statement
    }
  }
}
