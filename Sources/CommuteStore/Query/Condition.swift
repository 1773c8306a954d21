import CommuteCore
public import CommuteSQLite

/// A condition on the records of a table.
///
/// Conditions are made of key paths and values: `\.read == false && \.author == "Ende"`. Text is
/// compared byte by byte, and nothing equals nothing; what is less or greater than nothing is
/// neither true nor false, so that such a record is not chosen, by the contrary neither.
///
/// The same condition chooses rows in SQL and tests records in memory.
public struct Condition<Model: Record>: Sendable {
  let raw: RawCondition

  init(_ raw: RawCondition) {
    self.raw = raw
  }

  init<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable, _ comparison: Comparison, _ value: Value
  ) {
    raw = RawCondition(Model.table.queried(path), comparison, value.fieldValue)
  }

  /// Whether the condition holds for a record in memory.
  ///
  /// - Returns: Nil where only the database can tell, as for ``sql(_:)``.
  public func matches(_ record: Model) -> Bool? {
    guard raw.isTestable, raw.problem == nil else { return nil }
    return withUnsafePointer(to: record) { raw.test(UnsafeRawPointer($0)) == true }
  }

  /// Whether a column is one of some values.
  public static func isIn<Value: ColumnValue>(
    _ path: any KeyPath<Model, Value> & Sendable, _ values: [Value]
  ) -> Self {
    Condition(RawCondition(Model.table.queried(path), isIn: values.map(\.fieldValue)))
  }

  /// Whether a column lies in a range, its ends included.
  public static func isIn<Value: ColumnValue & Comparable>(
    _ path: any KeyPath<Model, Value> & Sendable, _ range: ClosedRange<Value>
  ) -> Self {
    Condition(
      RawCondition(
        Model.table.queried(path), from: range.lowerBound.fieldValue,
        through: range.upperBound.fieldValue))
  }

  /// Whether a column has a value that lies in a range, its ends included.
  public static func isIn<Value: ColumnValue & Comparable>(
    _ path: any KeyPath<Model, Value?> & Sendable, _ range: ClosedRange<Value>
  ) -> Self {
    Condition(
      RawCondition(
        Model.table.queried(path), from: range.lowerBound.fieldValue,
        through: range.upperBound.fieldValue))
  }

  /// Whether a list of texts holds a text.
  public static func contains(
    _ path: any KeyPath<Model, [String]> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.listed(Model.table.queried(path), text))
  }

  /// Whether there is a list of texts that holds a text.
  public static func contains(
    _ path: any KeyPath<Model, [String]?> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.listed(Model.table.queried(path), text))
  }

  private static func listed(_ column: QueriedColumn, _ text: String) -> RawCondition {
    RawCondition(
      column, before: "EXISTS (SELECT 1 FROM json_each(", behind: ") WHERE value = ?)",
      [.text(text)]
    ) { value in
      guard case .list(let texts) = value else { return false }
      return texts.contains { $0.hasSameBytes(as: text) }
    }
  }

  /// Whether a text contains another one; upper and lower case of A to Z are the same.
  public static func contains(
    _ path: any KeyPath<Model, String> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.like(Model.table.queried(path), text))
  }

  /// Whether there is a text that contains another one; upper and lower case of A to Z are the
  /// same.
  public static func contains(
    _ path: any KeyPath<Model, String?> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.like(Model.table.queried(path), text))
  }

  private static func like(_ column: QueriedColumn, _ text: String) -> RawCondition {
    var pattern = "%"
    for scalar in text.unicodeScalars {
      if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
      pattern.unicodeScalars.append(scalar)
    }
    return RawCondition(column, behind: " LIKE ? ESCAPE '\\'", [.text(pattern + "%")]) { value in
      guard case .text(let whole) = value else { return nil }
      return whole.holds(text)
    }
  }

  /// Whether a text begins with another one, byte by byte; an index of the column is used.
  public static func hasPrefix(
    _ path: any KeyPath<Model, String> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.prefixed(Model.table.queried(path), text))
  }

  /// Whether there is a text that begins with another one, byte by byte.
  public static func hasPrefix(
    _ path: any KeyPath<Model, String?> & Sendable, _ text: String
  ) -> Self {
    Condition(Self.prefixed(Model.table.queried(path), text))
  }

  private static func prefixed(_ column: QueriedColumn, _ text: String) -> RawCondition {
    var pattern = ""
    for scalar in text.unicodeScalars {
      let isSign = scalar == "*" || scalar == "?" || scalar == "["
      pattern += isSign ? "[\(scalar)]" : String(scalar)
    }
    return RawCondition(column, behind: " GLOB ?", [.text(pattern + "*")]) { value in
      guard case .text(let whole) = value else { return nil }
      return whole.utf8.starts(with: text.utf8)
    }
  }

  /// A condition written as SQL: `.sql("length(title) > \(count)")`.
  ///
  /// Only the database can tell whether it holds, and any change of the table may alter that.
  public static func sql(_ sql: SQL) -> Self {
    Condition(RawCondition(foreign: sql))
  }
}

extension Table {
  /// The column that a path leads to, as a query looks at it.
  func queried(_ path: PartialKeyPath<Model>) -> QueriedColumn {
    if let index = column(at: path) {
      let field = layout.fields[index]
      return QueriedColumn(
        table: name, field: field.name.text, quoted: SQL.quoted(field.name.text),
        mask: 1 << UInt64(index), kind: field.kind, get: layout.access[index].get,
        access: layout.access[index], references: field.references?.table,
        fallback: columns[index].fallback, problem: nil)
    }
    if isID(path) { return id }
    return QueriedColumn(
      table: name, field: "?", quoted: "NULL", mask: 0, kind: .text, get: { _ in .null },
      fallback: nil, problem: "\(path) is no column of \(name); declare it in the table")
  }

  /// The id as a query looks at it.
  var id: QueriedColumn {
    QueriedColumn(
      table: name, field: "id", quoted: "id", mask: 0, kind: .bytes,
      get: { $0.assumingMemoryBound(to: Model.self).pointee.id.fieldValue }, fallback: nil,
      problem: nil)
  }
}
