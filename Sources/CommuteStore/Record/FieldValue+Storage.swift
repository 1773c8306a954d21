import CommuteCore
import CommuteSQLite

extension FieldValue {
  /// Why the value must not be stored; nil where it may.
  var problem: ValueProblem? {
    switch self {
    case .null, .boolean, .integer, .instant: nil
    case .double(let number): number.isFinite ? nil : .notFinite
    case .text(let text): Self.problem(of: text)
    case .bytes(let bytes): Self.problem(ofCount: bytes.count)
    case .unknown(let json):
      json.isEmpty ? .notEncodable : Self.problem(ofCount: json.count)
    case .list(let texts):
      texts.lazy.compactMap { Self.problem(of: $0) }.first
        ?? Self.problem(ofCount: texts.reduce(0) { $0 + $1.utf8.count + 3 })
    }
  }

  private static func problem(of text: String) -> ValueProblem? {
    if let problem = problem(ofCount: text.utf8.count) { return problem }
    return text.utf8.contains(0) ? .containsNUL : nil
  }

  private static func problem(ofCount count: Int) -> ValueProblem? {
    count <= Limits.textBytes ? nil : .tooLong(bytes: count, limit: Limits.textBytes)
  }

  /// The value as a literal of SQL, for the default of a column.
  var sqlLiteral: String {
    switch self {
    case .null: return "NULL"
    case .boolean(let flag): return flag ? "1" : "0"
    case .integer(let number), .instant(let number): return "\(number)"
    case .double(let number): return number.isFinite ? "\(number)" : "0.0"
    case .text(let text):
      let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
      return "'" + quoted.joined(separator: "''") + "'"
    case .bytes(let bytes), .unknown(let bytes):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return "x'" + digits.joined() + "'"
    case .list(let texts): return FieldValue.text(TextList.json(of: texts)).sqlLiteral
    }
  }
}

extension FieldKind {
  /// The type of a column of this kind in a strict table.
  var sqlType: String {
    switch self {
    case .boolean, .integer, .instant: "INTEGER"
    case .double: "REAL"
    case .text, .list: "TEXT"
    case .bytes: "BLOB"
    }
  }
}

extension Row {
  /// A column as a value of the kind it is declared as.
  func fieldValue(_ column: Int, as kind: FieldKind) -> FieldValue {
    if isNull(column) { return .null }
    switch kind {
    case .boolean: return .boolean(int64(column) != 0)
    case .integer: return .integer(int64(column))
    case .instant: return .instant(int64(column))
    case .double: return .double(double(column))
    case .text: return .text(text(column))
    case .bytes: return .bytes(bytes(column))
    case .list: return .list(withBytes(column) { TextList.texts(of: $0) } ?? [])
    }
  }
}

extension Statement {
  /// Binds a value as a column of a strict table takes it.
  func bind(_ value: FieldValue, at parameter: Int) {
    switch value {
    case .null: bindNull(at: parameter)
    case .boolean(let flag): bind(flag, at: parameter)
    case .integer(let number), .instant(let number): bind(number, at: parameter)
    case .double(let number): bind(number, at: parameter)
    case .text(let text): bind(text, at: parameter)
    case .bytes(let bytes), .unknown(let bytes): bind(bytes, at: parameter)
    case .list(let texts): bind(TextList.json(of: texts), at: parameter)
    }
  }
}
