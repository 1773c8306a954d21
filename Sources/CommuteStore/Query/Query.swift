import CommuteCore

/// Which records of a table, in which order; make it once and keep it.
///
/// Without an order, records come in the order of their ids; with one, ids decide between equals.
public struct Query<Model: Record>: Sendable {
  var filter: RawCondition?
  var orders: [Order] = []
  var count: Int?
  var skipped = 0
  /// The record behind which the wanted ones stand.
  var last: Model?
  /// What the searched columns are asked.
  var search: String?
  var problem: String?
  /// The text of the statement that reads the records, made when first needed.
  var compiled = CompiledText()

  init() {}

  /// Whether an order rises or falls.
  public enum Direction: Hashable, Sendable {
    /// The least first.
    case ascending
    /// The greatest first.
    case descending
  }

  /// One column of an order.
  struct Order: Sendable {
    let column: QueriedColumn
    let direction: Direction

    func text(_ table: String) -> String {
      direction == .ascending ? table + column.quoted : "\(table)\(column.quoted) DESC"
    }
  }

  /// Keeps only records for which the condition holds, too.
  public func `where`(_ condition: Condition<Model>) -> Self {
    changing { $0.filter = $0.filter.map { $0 && condition.raw } ?? condition.raw }
  }

  /// Orders by a column; a second order decides between equals of the first.
  ///
  /// Text is ordered by its bytes; nothing comes before everything.
  public func order<Value: ColumnValue>(
    by path: any KeyPath<Model, Value> & Sendable, _ direction: Direction = .ascending
  ) -> Self {
    let column = Model.table.queried(path)
    return changing {
      $0.orders.append(Order(column: column, direction: direction))
      $0.problem = $0.problem ?? column.problem
    }
  }

  /// Takes only the first records, or as many behind those that are skipped.
  ///
  /// Skipped records are read all the same: ``after(_:)`` turns pages of any number at one cost.
  public func limit(_ count: Int, offset: Int = 0) -> Self {
    changing {
      $0.count = max(0, count)
      $0.skipped = max(0, offset)
    }
  }

  /// Takes only records that stand behind another one in the query's order: the next page.
  ///
  /// It goes by what the record holds in the columns of the order and by its id, so that records
  /// that come and go meanwhile shift nothing.
  public func after(_ last: Model) -> Self {
    changing { $0.last = last }
  }

  func changing(_ change: (inout Self) -> Void) -> Self {
    var query = self
    change(&query)
    query.compiled = CompiledText()
    return query
  }
}

extension Record {
  /// All records.
  public static var all: Query<Self> { Query() }

  /// The records for which a condition holds.
  public static func `where`(_ condition: Condition<Self>) -> Query<Self> {
    Query().where(condition)
  }

  /// All records in an order.
  public static func order<Value: ColumnValue>(
    by path: any KeyPath<Self, Value> & Sendable,
    _ direction: Query<Self>.Direction = .ascending
  ) -> Query<Self> {
    Query().order(by: path, direction)
  }
}

/// A text that is made once.
final class CompiledText: Sendable {
  private let text = Locked<String?>(nil)

  func text(_ make: () -> String) -> String {
    if let made = text.withLock({ $0 }) { return made }
    let made = make()
    text.withLock { $0 = made }
    return made
  }
}
