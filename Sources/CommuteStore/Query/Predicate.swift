import CommuteCore
import CommuteSQLite

/// A condition on the records of a table.
///
/// Conditions are made of key paths and values: `\.read == false && \.author == "Ende"`. Text is
/// compared byte by byte, and nothing equals nothing.
public struct Predicate<Model: Record>: Sendable {
  let text: String
  let arguments: [SQLValue]
  /// Why it cannot be used.
  let problem: String?

  init(_ text: String, _ arguments: [SQLValue], problem: String? = nil) {
    self.text = text
    self.arguments = arguments
    self.problem = problem
  }

  /// Compares a column with a value.
  init<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable, _ sign: String, _ value: Value
  ) {
    let (column, problem) = Self.column(at: path)
    self.init("\(column) \(sign) ?", [value.fieldValue.sqlValue], problem: problem)
  }

  /// The quoted name of the column that a path leads to.
  static func column(at path: PartialKeyPath<Model>) -> (name: String, problem: String?) {
    if let index = Model.table.column(at: path) {
      return (SQL.quoted(Model.table.columns[index].name), nil)
    }
    if Model.table.isID(path) { return ("id", nil) }
    return ("NULL", "\(path) is no column of \(Model.table.name); declare it in the table")
  }

  func joined(_ word: String, _ other: Self) -> Self {
    Predicate(
      "(\(text) \(word) \(other.text))", arguments + other.arguments,
      problem: problem ?? other.problem)
  }

  /// Whether a column is one of some values.
  public static func isIn<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable, _ values: [Value]
  ) -> Self {
    let (column, problem) = column(at: path)
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    return Predicate(
      "\(column) IN (\(marks))", values.map(\.fieldValue.sqlValue), problem: problem)
  }

  /// Whether a list of texts holds a text.
  public static func contains(
    _ path: any KeyPath<Model, [String]> & Sendable, _ text: String
  ) -> Self {
    let (column, problem) = column(at: path)
    return Predicate(
      "EXISTS (SELECT 1 FROM json_each(\(column)) WHERE value = ?)", [.text(text)],
      problem: problem)
  }

  /// Whether a text contains another one; upper and lower case of A to Z are the same.
  public static func contains(_ path: any KeyPath<Model, String> & Sendable, _ text: String) -> Self
  {
    let (column, problem) = column(at: path)
    return Predicate("\(column) LIKE ? ESCAPE '\\'", [.text(pattern(text))], problem: problem)
  }

  private static func pattern(_ text: String) -> String {
    var pattern = "%"
    for scalar in text.unicodeScalars {
      if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
      pattern.unicodeScalars.append(scalar)
    }
    return pattern + "%"
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

/// Whether a column has a value; nothing equals nothing.
public func == <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, "IS", value)
}

/// Whether a column has another value.
public func != <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, "IS NOT", value)
}

/// Whether a column is less than a value.
public func < <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, "<", value)
}

/// Whether a column is at most a value.
public func <= <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, "<=", value)
}

/// Whether a column is greater than a value.
public func > <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, ">", value)
}

/// Whether a column is at least a value.
public func >= <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Predicate<Model> {
  Predicate(path, ">=", value)
}

/// Whether both conditions hold.
public func && <Model: Record>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  left.joined("AND", right)
}

/// Whether at least one condition holds.
public func || <Model: Record>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  left.joined("OR", right)
}

/// Whether the condition does not hold.
public prefix func ! <Model: Record>(predicate: Predicate<Model>) -> Predicate<Model> {
  Predicate("NOT (\(predicate.text))", predicate.arguments, problem: predicate.problem)
}
