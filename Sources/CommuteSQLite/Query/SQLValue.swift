/// A value that can be bound to a parameter and read from a column.
public enum SQLValue: Hashable, Sendable {
  /// Nothing.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// A double.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case bytes([UInt8])
  /// The 16 bytes of a key, the most significant first; they read back as `bytes`.
  case pair(high: UInt64, low: UInt64)
}

/// A type whose values can stand in ``SQL``.
public protocol SQLConvertible {
  /// What is bound in its place.
  var sqlValue: SQLValue { get }
}

extension SQLValue: SQLConvertible {
  /// The value itself.
  public var sqlValue: SQLValue { self }
}

extension Int: SQLConvertible {
  /// An integer.
  public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Int32: SQLConvertible {
  /// An integer.
  public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Int64: SQLConvertible {
  /// An integer.
  public var sqlValue: SQLValue { .integer(self) }
}

extension UInt32: SQLConvertible {
  /// An integer.
  public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Bool: SQLConvertible {
  /// 1 or 0.
  public var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Double: SQLConvertible {
  /// A double; one that is not a number is refused when it is bound.
  public var sqlValue: SQLValue { .real(self) }
}

extension String: SQLConvertible {
  /// A text.
  public var sqlValue: SQLValue { .text(self) }
}

extension Substring: SQLConvertible {
  /// A text.
  public var sqlValue: SQLValue { .text(String(self)) }
}

extension [UInt8]: SQLConvertible {
  /// Bytes.
  public var sqlValue: SQLValue { .bytes(self) }
}

extension Statement {
  /// Binds a value of any kind.
  public func bind(_ value: SQLValue, at parameter: Int) {
    switch value {
    case .null: bindNull(at: parameter)
    case .integer(let number): bind(number, at: parameter)
    case .real(let number): bind(number, at: parameter)
    case .text(let text): bind(text, at: parameter)
    case .bytes(let bytes): bind(bytes, at: parameter)
    case .pair(let high, let low): bind(high: high, low: low, at: parameter)
    }
  }

  /// Binds values to the parameters from the first on.
  public func bind(all values: [SQLValue]) {
    for (index, value) in values.enumerated() { bind(value, at: index + 1) }
  }
}

extension Row {
  /// The column as a value of the kind it holds.
  public func value(_ column: Int) -> SQLValue {
    switch kind(column) {
    case .null: .null
    case .integer: .integer(int64(column))
    case .real: .real(double(column))
    case .text: .text(text(column))
    case .bytes: .bytes(bytes(column))
    }
  }
}
