import CommuteCore
import CommuteSQLite

/// A piece of a statement's text: as it is, or a column that a join says the table of.
enum SQLPiece: Sendable {
  case text(String)
  case column(String)
}

/// A column as a query looks at it, without the record's type.
struct QueriedColumn: Sendable {
  let table: String
  let field: String
  /// The quoted name.
  let quoted: String
  /// The column's bit; 0 for the id, which never changes.
  let mask: UInt64
  let kind: FieldKind
  /// Reads the value of the record at a pointer.
  let get: @Sendable (UnsafeRawPointer) -> FieldValue
  /// How the property is reached; nil for the id.
  var access: ColumnAccess?
  /// The table whose records it is declared to name.
  var references: Key?
  /// What the property takes where the row holds something that is not understood.
  let fallback: FieldValue?
  /// Why there is no such column.
  let problem: String?

  /// The name as messages say it: `book.title`.
  var name: String { "\(table).\(field)" }

  /// Whether what a record holds in memory tells what its row holds.
  var isExact: Bool { fallback == nil }
}

/// A condition as SQL and as a test of a record in memory; both say the same.
///
/// A test answers nil where SQL's answer is null: neither the condition nor its contrary holds.
struct RawCondition: Sendable {
  var pieces: [SQLPiece]
  var arguments: [SQLValue]
  /// The columns it looks at.
  var columns: UInt64
  /// Whether it holds for the record at a pointer.
  var test: @Sendable (UnsafeRawPointer) -> Bool?
  /// Whether the test says what SQL says; text that an app wrote is not understood here.
  var isTestable = true
  /// Whether it has text that an app wrote, which is checked for what it touches.
  var isForeign = false
  /// Why it cannot be used.
  var problem: String?

  /// A condition on one column: its text is made of what stands before and behind the column.
  init(
    _ column: QueriedColumn, before: String = "", behind: String, _ arguments: [SQLValue],
    test: @escaping @Sendable (FieldValue) -> Bool?
  ) {
    pieces = [.text(before), .column(column.quoted), .text(behind)]
    self.arguments = arguments
    columns = column.mask
    problem = column.problem
    isTestable = column.isExact
    let get = column.get
    self.test = { test(get($0)) }
  }

  /// A condition that an app wrote as SQL.
  init(foreign sql: SQL) {
    pieces = [.text("(\(sql.text))")]
    arguments = sql.arguments
    columns = CommittedChange.everything
    test = { _ in nil }
    isTestable = false
    isForeign = true
  }

  /// A condition that never holds, or always.
  init(constant: Bool) {
    pieces = [.text(constant ? "TRUE" : "FALSE")]
    arguments = []
    columns = 0
    test = { _ in constant }
  }

  /// Both conditions in one.
  private init(
    _ left: RawCondition, _ word: String, _ right: RawCondition,
    test: @escaping @Sendable (UnsafeRawPointer) -> Bool?
  ) {
    pieces = [.text("(")] + left.pieces + [.text(" \(word) ")] + right.pieces + [.text(")")]
    arguments = left.arguments + right.arguments
    columns = left.columns | right.columns
    self.test = test
    isTestable = left.isTestable && right.isTestable
    isForeign = left.isForeign || right.isForeign
    problem = left.problem ?? right.problem
  }

  static func && (left: RawCondition, right: RawCondition) -> RawCondition {
    let (one, two) = (left.test, right.test)
    return RawCondition(left, "AND", right) { record in
      guard let first = one(record) else { return two(record) == false ? false : nil }
      return first ? two(record) : false
    }
  }

  static func || (left: RawCondition, right: RawCondition) -> RawCondition {
    let (one, two) = (left.test, right.test)
    return RawCondition(left, "OR", right) { record in
      guard let first = one(record) else { return two(record) == true ? true : nil }
      return first ? true : two(record)
    }
  }

  static prefix func ! (condition: RawCondition) -> RawCondition {
    var contrary = condition
    contrary.pieces = [.text("NOT (")] + condition.pieces + [.text(")")]
    let test = condition.test
    contrary.test = { record in test(record).map { !$0 } }
    return contrary
  }

  /// The text; `table` stands before each column, with its dot.
  func text(_ table: String) -> String { pieces.text(table) }
}

extension [SQLPiece] {
  /// The text; `table` stands before each column, with its dot.
  func text(_ table: String) -> String {
    var text = ""
    for piece in self {
      switch piece {
      case .text(let words): text += words
      case .column(let name): text += table + name
      }
    }
    return text
  }
}

/// How two values are compared.
enum Comparison: String, Sendable {
  case same = "IS"
  case other = "IS NOT"
  case less = "<"
  case atMost = "<="
  case greater = ">"
  case atLeast = ">="

  /// Whether a value compares so with another one; nil where one of them is nothing.
  func holds(_ one: FieldValue, _ two: FieldValue) -> Bool? {
    let order = one.compared(to: two)
    switch self {
    case .same: return order == 0
    case .other: return order != 0
    default: if one.isNull || two.isNull { return nil }
    }
    switch self {
    case .same, .other: return nil
    case .less: return order < 0
    case .atMost: return order <= 0
    case .greater: return order > 0
    case .atLeast: return order >= 0
    }
  }
}

extension RawCondition {
  /// Compares a column with a value.
  init(_ column: QueriedColumn, _ comparison: Comparison, _ value: FieldValue) {
    self.init(column, behind: " \(comparison.rawValue) ?", [value.sqlValue]) {
      comparison.holds($0, value)
    }
    refuseNaN(value, of: column)
  }

  /// Whether a column is one of some values; nothing is one of them where it is among them.
  init(_ column: QueriedColumn, isIn values: [FieldValue]) {
    let some = values.filter { !$0.isNull }
    let marks = some.map { _ in "?" }.joined(separator: ", ")
    self.init(column, behind: " IN (\(marks))", some.map(\.sqlValue)) { value in
      if value.isNull { return some.isEmpty ? false : nil }
      return some.contains { value.compared(to: $0) == 0 }
    }
    for value in some { refuseNaN(value, of: column) }
    if some.count < values.count { self = self || RawCondition(column, .same, .null) }
  }

  /// Whether a column lies between two values or is one of them.
  init(_ column: QueriedColumn, from low: FieldValue, through high: FieldValue) {
    self.init(column, behind: " BETWEEN ? AND ?", [low.sqlValue, high.sqlValue]) { value in
      if value.isNull || low.isNull || high.isNull { return nil }
      return value.compared(to: low) >= 0 && value.compared(to: high) <= 0
    }
    refuseNaN(low, of: column)
    refuseNaN(high, of: column)
  }

  /// SQLite would take a number that is none for null.
  private mutating func refuseNaN(_ value: FieldValue, of column: QueriedColumn) {
    guard case .double(let number) = value, number.isNaN else { return }
    problem = problem ?? "\(column.name) cannot be compared with what is not a number"
  }
}

extension FieldValue {
  /// The value as it is compared in SQL.
  var sqlValue: SQLValue {
    switch self {
    case .null: .null
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .integer(let number), .instant(let number): .integer(number)
    case .double(let number): .real(number)
    case .text(let text): .text(text)
    case .bytes(let bytes), .unknown(let bytes): .bytes(bytes)
    case .list(let texts): .text(TextList.json(of: texts))
    }
  }
}
