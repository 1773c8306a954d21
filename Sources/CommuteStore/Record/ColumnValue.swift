public import CommuteCore

/// A type that one column can hold.
///
/// The usual types conform. An enum with raw values conforms by declaring it:
/// `enum Shelf: String, ColumnValue { case wanted, reading, done }`. A raw value that this version
/// does not know is an error that names table and column.
public protocol ColumnValue: Sendable {
  /// The kind of field that values are kept as.
  static var fieldKind: FieldKind { get }
  /// Whether nothing is a value.
  static var isOptional: Bool { get }
  /// The value as it is synced.
  var fieldValue: FieldValue { get }
  /// Takes a stored value; nil where the type has no form for it.
  init?(fieldValue: FieldValue)
}

extension ColumnValue {
  /// By default nothing is no value.
  public static var isOptional: Bool { false }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The raw value's kind.
  public static var fieldKind: FieldKind { RawValue.fieldKind }

  /// The raw value.
  public var fieldValue: FieldValue { rawValue.fieldValue }

  /// Takes a raw value; nil where there is no such case.
  public init?(fieldValue: FieldValue) {
    guard let raw = RawValue(fieldValue: fieldValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension Bool: ColumnValue {
  /// True or false.
  public static var fieldKind: FieldKind { .boolean }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .boolean(self) }
  /// Takes true or false.
  public init?(fieldValue: FieldValue) {
    guard case .boolean(let flag) = fieldValue else { return nil }
    self = flag
  }
}

extension Int: ColumnValue {
  /// A 64-bit integer.
  public static var fieldKind: FieldKind { .integer }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .integer(Int64(self)) }
  /// Takes an integer.
  public init?(fieldValue: FieldValue) {
    guard case .integer(let number) = fieldValue else { return nil }
    self.init(exactly: number)
  }
}

extension Int64: ColumnValue {
  /// A 64-bit integer.
  public static var fieldKind: FieldKind { .integer }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .integer(self) }
  /// Takes an integer.
  public init?(fieldValue: FieldValue) {
    guard case .integer(let number) = fieldValue else { return nil }
    self = number
  }
}

/// Smaller integers are kept as 64-bit ones; a stored number that does not fit is not understood.
extension ColumnValue where Self: FixedWidthInteger {
  /// A 64-bit integer.
  public static var fieldKind: FieldKind { .integer }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .integer(Int64(truncatingIfNeeded: self)) }
  /// Takes an integer that fits.
  public init?(fieldValue: FieldValue) {
    guard case .integer(let number) = fieldValue else { return nil }
    self.init(exactly: number)
  }
}

extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}

extension Float: ColumnValue {
  /// A finite number.
  public static var fieldKind: FieldKind { .double }
  /// The value as it is synced; negative zero becomes zero.
  public var fieldValue: FieldValue { .double(self == 0 ? 0 : Double(self)) }
  /// Takes a number, rounded to what fits.
  public init?(fieldValue: FieldValue) {
    guard case .double(let number) = fieldValue else { return nil }
    self.init(number)
  }
}

extension Double: ColumnValue {
  /// A finite number.
  public static var fieldKind: FieldKind { .double }
  /// The value as it is synced; negative zero becomes zero.
  public var fieldValue: FieldValue { .double(self == 0 ? 0 : self) }
  /// Takes a number.
  public init?(fieldValue: FieldValue) {
    guard case .double(let number) = fieldValue else { return nil }
    self = number
  }
}

extension String: ColumnValue {
  /// Text.
  public static var fieldKind: FieldKind { .text }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .text(self) }
  /// Takes a text.
  public init?(fieldValue: FieldValue) {
    guard case .text(let text) = fieldValue else { return nil }
    self = text
  }
}

extension RecordID: ColumnValue {
  /// The 16 bytes.
  public static var fieldKind: FieldKind { .bytes }
  /// The value as it is synced.
  public var fieldValue: FieldValue { .bytes(bytes) }
  /// Takes 16 bytes.
  public init?(fieldValue: FieldValue) {
    guard case .bytes(let bytes) = fieldValue else { return nil }
    self.init(bytes: bytes)
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The wrapped type's kind.
  public static var fieldKind: FieldKind { Wrapped.fieldKind }
  /// Nothing is a value.
  public static var isOptional: Bool { true }
  /// The wrapped value as it is synced, or null.
  public var fieldValue: FieldValue { self?.fieldValue ?? .null }
  /// Takes null, or what the wrapped type takes.
  public init?(fieldValue: FieldValue) {
    if case .null = fieldValue {
      self = .none
      return
    }
    guard let value = Wrapped(fieldValue: fieldValue) else { return nil }
    self = .some(value)
  }
}
