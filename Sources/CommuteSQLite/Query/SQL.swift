/// A statement's text with the values that belong into it, kept apart.
///
/// `"SELECT * FROM book WHERE author = \(name)"` binds `name`; whatever the value holds, it can not
/// become part of the text. A list becomes `(?, ?, …)`. Only ``SQL`` and names given as
/// `\(name: "book")`, which are quoted, become text.
public struct SQL: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The text, with `?` for each value.
  public private(set) var text: String
  /// The values, in order.
  public private(set) var arguments: [SQLValue]

  /// A text without values; literals only, so that no value can slip in.
  public init(stringLiteral text: StaticString) {
    self.text = "\(text)"
    arguments = []
  }

  /// Takes what an interpolated literal collected.
  public init(stringInterpolation collected: StringInterpolation) {
    text = collected.text
    arguments = collected.arguments
  }

  /// Adds another piece at the end.
  public static func += (sql: inout SQL, more: SQL) {
    sql.text += more.text
    sql.arguments += more.arguments
  }

  /// Puts two pieces together.
  public static func + (first: SQL, second: SQL) -> SQL {
    var both = first
    both += second
    return both
  }

  /// A name of a table or column in double quotes.
  public static func quoted(_ name: String) -> String {
    let inner = name.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + inner.joined(separator: "\"\"") + "\""
  }
}

extension SQL {
  /// Collects the text and the values of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""
    var arguments: [SQLValue] = []

    /// Begins with nothing.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount)
      arguments.reserveCapacity(interpolationCount)
    }

    /// Adds text from the program's source.
    public mutating func appendLiteral(_ literal: StaticString) {
      text += "\(literal)"
    }

    /// Adds a value, which is bound.
    public mutating func appendInterpolation(_ value: some SQLConvertible) {
      text += "?"
      arguments.append(value.sqlValue)
    }

    /// Adds a value, which is bound; nil is null.
    public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
      text += "?"
      arguments.append(value?.sqlValue ?? .null)
    }

    /// Adds a list of values in parentheses, as `IN` takes it.
    public mutating func appendInterpolation(_ values: [some SQLConvertible]) {
      text += "(" + values.map { _ in "?" }.joined(separator: ", ") + ")"
      arguments += values.map(\.sqlValue)
    }

    /// Adds a piece of SQL.
    public mutating func appendInterpolation(_ piece: SQL) {
      text += piece.text
      arguments += piece.arguments
    }

    /// Adds the quoted name of a table or column.
    public mutating func appendInterpolation(name: String) {
      text += SQL.quoted(name)
    }
  }
}
