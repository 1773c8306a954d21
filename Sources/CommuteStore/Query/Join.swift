public import CommuteCore
import CommuteSQLite

/// Pairs of records, of which one refers to the other: `Book.join(\.author, Author.self)`.
///
/// Conditions and orders on the first are those of its query; those on the second follow here.
/// A limit is one of pairs.
public struct Join<Left: Record, Right: Record>: Sendable {
  var left: Query<Left>
  /// What must be the same: a column of the first, and one of the second.
  let columns: (left: QueriedColumn, right: QueriedColumn)
  private var joined: RawCondition?
  private var orders: [Query<Right>.Order] = []
  private var problem: String?

  init(_ left: Query<Left>, _ column: QueriedColumn, is other: QueriedColumn) {
    self.left = left
    columns = (column, other)
    problem =
      column.problem ?? other.problem ?? Self.problem(of: column, naming: other.table)
      ?? Self.problem(of: other, naming: column.table)
  }

  /// Why a column cannot name the records of a table: it is declared to name those of another one.
  private static func problem(of column: QueriedColumn, naming table: String) -> String? {
    guard let declared = column.references, declared != Key(table) else { return nil }
    return "\(column.name) refers to \(declared.text), not to \(table)"
  }

  /// Keeps only pairs for whose first record the condition holds, too.
  public func `where`(_ condition: Condition<Left>) -> Self {
    changing { $0.left = left.where(condition) }
  }

  /// Keeps only pairs for whose second record the condition holds, too.
  public func `where`(joined condition: Condition<Right>) -> Self {
    changing { $0.joined = $0.joined.map { $0 && condition.raw } ?? condition.raw }
  }

  /// Orders by a column of the first record.
  public func order<Value: ColumnValue>(
    by path: any KeyPath<Left, Value> & Sendable,
    _ direction: Query<Left>.Direction = .ascending
  ) -> Self {
    changing {
      if !orders.isEmpty {
        $0.problem = "order by \(Left.table.name) before \(Right.table.name), or write SQL"
      }
      $0.left = left.order(by: path, direction)
    }
  }

  /// Orders by a column of the second record; orders of the first come first.
  public func order<Value: ColumnValue>(
    byJoined path: any KeyPath<Right, Value> & Sendable,
    _ direction: Query<Right>.Direction = .ascending
  ) -> Self {
    let column = Right.table.queried(path)
    return changing {
      $0.orders.append(Query<Right>.Order(column: column, direction: direction))
      $0.problem = $0.problem ?? column.problem
    }
  }

  /// Takes only the first pairs, or as many behind those that are skipped.
  public func limit(_ count: Int, offset: Int = 0) -> Self {
    changing { $0.left = left.limit(count, offset: offset) }
  }

  private func changing(_ change: (inout Self) -> Void) -> Self {
    var join = self
    change(&join)
    return join
  }

  /// Why it cannot be run.
  var refusal: String? {
    if left.last != nil, !orders.isEmpty {
      return "pages of \(Left.table.name) cannot be ordered by \(Right.table.name); write SQL"
    }
    return problem ?? joined?.problem ?? left.refusal
  }

  var isForeign: Bool { (left.condition?.isForeign ?? false) || (joined?.isForeign ?? false) }

  var arguments: [SQLValue] { left.arguments + (joined?.arguments ?? []) }

  /// The text that reads the columns of both.
  func text(_ word: String, selecting selection: String? = nil) -> String {
    let conditions = left.conditions("one.") + (joined.map { [$0.text("two.")] } ?? [])
    var order = left.ordering("one.")
    // The first one's id comes last.
    order.insert(contentsOf: orders.map { $0.text("two.") }, at: order.count - 1)
    let columns =
      selection ?? "\(Left.table.selection("one.")), \(Right.table.selection("two."))"
    return "SELECT \(columns) FROM \(left.source(as: "one"))"
      + " \(word) \(SQL.quoted(Right.table.name)) AS two"
      + " ON two.\(self.columns.right.quoted) = one.\(self.columns.left.quoted)"
      + conditions.whereClause
      + " ORDER BY \((order + ["two.id"]).joined(separator: ", "))\(left.limitClause)"
  }
}

/// The same pairs, and records without a partner beside nothing:
/// `Book.leftJoin(\.author, Author.self)`.
public struct LeftJoin<Left: Record, Right: Record>: Sendable {
  var join: Join<Left, Right>

  /// Keeps only pairs for whose first record the condition holds, too.
  public func `where`(_ condition: Condition<Left>) -> Self {
    LeftJoin(join: join.where(condition))
  }

  /// Keeps only pairs for whose second record the condition holds, too; where there is none, its
  /// columns hold nothing.
  public func `where`(joined condition: Condition<Right>) -> Self {
    LeftJoin(join: join.where(joined: condition))
  }

  /// Orders by a column of the first record.
  public func order<Value: ColumnValue>(
    by path: any KeyPath<Left, Value> & Sendable,
    _ direction: Query<Left>.Direction = .ascending
  ) -> Self {
    LeftJoin(join: join.order(by: path, direction))
  }

  /// Orders by a column of the second record; orders of the first come first.
  public func order<Value: ColumnValue>(
    byJoined path: any KeyPath<Right, Value> & Sendable,
    _ direction: Query<Right>.Direction = .ascending
  ) -> Self {
    LeftJoin(join: join.order(byJoined: path, direction))
  }

  /// Takes only the first pairs, or as many behind those that are skipped.
  public func limit(_ count: Int, offset: Int = 0) -> Self {
    LeftJoin(join: join.limit(count, offset: offset))
  }
}

extension Query {
  /// Each record with the one that a column of it names.
  public func join<Other: Record>(
    _ path: any KeyPath<Model, RecordID> & Sendable, _ other: Other.Type = Other.self
  ) -> Join<Model, Other> {
    Join(self, Model.table.queried(path), is: Other.table.id)
  }

  /// Each record with the one that a column of it names, if it names one.
  public func join<Other: Record>(
    _ path: any KeyPath<Model, RecordID?> & Sendable, _ other: Other.Type = Other.self
  ) -> Join<Model, Other> {
    Join(self, Model.table.queried(path), is: Other.table.id)
  }

  /// Each record with each one of another type that names it in a column.
  public func join<Other: Record>(
    referring path: any KeyPath<Other, RecordID> & Sendable
  ) -> Join<Model, Other> {
    Join(self, Model.table.id, is: Other.table.queried(path))
  }

  /// Each record with each one of another type that names it in a column.
  public func join<Other: Record>(
    referring path: any KeyPath<Other, RecordID?> & Sendable
  ) -> Join<Model, Other> {
    Join(self, Model.table.id, is: Other.table.queried(path))
  }

  /// Each record with the one that a column of it names, or nothing where that is not there.
  public func leftJoin<Other: Record>(
    _ path: any KeyPath<Model, RecordID> & Sendable, _ other: Other.Type = Other.self
  ) -> LeftJoin<Model, Other> {
    LeftJoin(join: join(path, other))
  }

  /// Each record with the one that a column of it names, or nothing where that is not there.
  public func leftJoin<Other: Record>(
    _ path: any KeyPath<Model, RecordID?> & Sendable, _ other: Other.Type = Other.self
  ) -> LeftJoin<Model, Other> {
    LeftJoin(join: join(path, other))
  }
}

extension Record {
  /// Each record with the one that a column of it names.
  public static func join<Other: Record>(
    _ path: any KeyPath<Self, RecordID> & Sendable, _ other: Other.Type = Other.self
  ) -> Join<Self, Other> {
    Query().join(path, other)
  }

  /// Each record with the one that a column of it names, if it names one.
  public static func join<Other: Record>(
    _ path: any KeyPath<Self, RecordID?> & Sendable, _ other: Other.Type = Other.self
  ) -> Join<Self, Other> {
    Query().join(path, other)
  }

  /// Each record with each one of another type that names it in a column.
  public static func join<Other: Record>(
    referring path: any KeyPath<Other, RecordID> & Sendable
  ) -> Join<Self, Other> {
    Query().join(referring: path)
  }

  /// Each record with each one of another type that names it in a column.
  public static func join<Other: Record>(
    referring path: any KeyPath<Other, RecordID?> & Sendable
  ) -> Join<Self, Other> {
    Query().join(referring: path)
  }

  /// Each record with the one that a column of it names, or nothing where that is not there.
  public static func leftJoin<Other: Record>(
    _ path: any KeyPath<Self, RecordID> & Sendable, _ other: Other.Type = Other.self
  ) -> LeftJoin<Self, Other> {
    Query().leftJoin(path, other)
  }

  /// Each record with the one that a column of it names, or nothing where that is not there.
  public static func leftJoin<Other: Record>(
    _ path: any KeyPath<Self, RecordID?> & Sendable, _ other: Other.Type = Other.self
  ) -> LeftJoin<Self, Other> {
    Query().leftJoin(path, other)
  }
}
