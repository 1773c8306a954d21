import CommuteCore
import CommuteSQLite

/// The records of a query by the value of a column: `Book.all.group(by: \.author).count()`.
public struct Grouping<Model: Record, Key: ColumnValue>: Sendable {
  let query: Query<Model>
  let key: QueriedColumn

  /// How many records each group has.
  public func count() -> Groups<Model, Key, Int> {
    Groups(self, "count(*)", nil) { Int(clamping: $0.int64(1)) }
  }

  /// The sum of a column in each group.
  public func sum<Value: ColumnValue & Numeric>(
    _ path: any KeyPath<Model, Value> & Sendable
  ) -> Groups<Model, Key, Value> {
    aggregate("sum", path) { Value(fieldValue: $0) }
  }

  /// The least value of a column in each group; nothing is no value.
  public func min<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable
  ) -> Groups<Model, Key, Value> {
    aggregate("min", path) { Value(fieldValue: $0) }
  }

  /// The greatest value of a column in each group; nothing is no value.
  public func max<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable
  ) -> Groups<Model, Key, Value> {
    aggregate("max", path) { Value(fieldValue: $0) }
  }

  /// The mean of a column in each group; nothing is no value.
  public func average<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable
  ) -> Groups<Model, Key, Double?> {
    let column = Model.table.queried(path)
    return Groups(self, "avg(\(query.prefix)\(column.quoted))", column) {
      $0.isNull(1) ? nil : $0.double(1)
    }
  }

  private func aggregate<Value: ColumnValue>(
    _ function: String, _ path: any KeyPath<Model, Value> & Sendable,
    _ make: @escaping @Sendable (FieldValue) -> Value?
  ) -> Groups<Model, Key, Value> {
    let column = Model.table.queried(path)
    let kind = column.kind
    return Groups(self, "\(function)(\(query.prefix)\(column.quoted))", column) {
      make($0.fieldValue(1, as: kind))
    }
  }
}

/// One group: the value that its records share, and what was made of them.
public struct Grouped<Key: Sendable, Value: Sendable>: Sendable {
  /// The value that the records share.
  public var key: Key
  /// What was made of them.
  public var value: Value

  /// Makes a group.
  public init(key: Key, value: Value) {
    self.key = key
    self.value = value
  }
}

extension Grouped: Equatable where Key: Equatable, Value: Equatable {}
extension Grouped: Hashable where Key: Hashable, Value: Hashable {}

/// Groups of records, and one value made of each; ordered by the key unless told otherwise.
public struct Groups<Model: Record, Key: ColumnValue, Value: Sendable>: Sendable {
  private let grouping: Grouping<Model, Key>
  private let made: String
  private let column: QueriedColumn?
  /// Takes the value of a row that begins with the key; nil where it has no form.
  let value: @Sendable (borrowing Row) -> Value?
  private var direction: Query<Model>.Direction?
  private var least: Int?
  private var count: Int?

  init(
    _ grouping: Grouping<Model, Key>, _ made: String, _ column: QueriedColumn?,
    value: @escaping @Sendable (borrowing Row) -> Value?
  ) {
    self.grouping = grouping
    self.made = made
    self.column = column
    self.value = value
  }

  /// Orders by the values; keys decide between equals.
  public func order(byValue direction: Query<Model>.Direction) -> Self {
    var groups = self
    groups.direction = direction
    return groups
  }

  /// Keeps only groups of at least so many records.
  public func having(atLeast count: Int) -> Self {
    var groups = self
    groups.least = count
    return groups
  }

  /// Takes only the first groups.
  public func limit(_ count: Int) -> Self {
    var groups = self
    groups.count = Swift.max(0, count)
    return groups
  }

  var query: Query<Model> { grouping.query }
  var key: QueriedColumn { grouping.key }

  /// The columns that are looked at.
  var columns: UInt64 { query.decidingColumns | key.mask | (column?.mask ?? 0) }

  /// Why it cannot be run.
  var refusal: String? {
    if query.isCut { return "a limit goes behind the groups of \(Model.table.name)" }
    return key.problem ?? column?.problem
  }

  var text: String {
    let name = query.prefix + key.quoted
    var text = "SELECT \(name), \(made) FROM \(query.source())"
    text += query.conditions(query.prefix).whereClause + " GROUP BY \(name)"
    if let least { text += " HAVING count(*) >= \(least)" }
    switch direction {
    case .ascending: text += " ORDER BY 2, 1"
    case .descending: text += " ORDER BY 2 DESC, 1"
    case nil: text += " ORDER BY 1"
    }
    if let count { text += " LIMIT \(count)" }
    return text
  }
}

extension Query {
  /// The records by the value of a column; text is grouped byte by byte.
  public func group<Key: ColumnValue>(
    by path: any KeyPath<Model, Key> & Sendable
  ) -> Grouping<Model, Key> {
    Grouping(query: self, key: Model.table.queried(path))
  }
}

extension Record {
  /// All records by the value of a column; text is grouped byte by byte.
  public static func group<Key: ColumnValue>(
    by path: any KeyPath<Self, Key> & Sendable
  ) -> Grouping<Self, Key> {
    Query().group(by: path)
  }
}
