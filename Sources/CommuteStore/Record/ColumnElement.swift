public import CommuteCore

/// A type of which one column can hold a list.
///
/// A list of texts is kept as JSON, so that `json_each` reads it; a list of bytes is a byte string.
public protocol ColumnElement: Sendable {
  /// The kind of field that lists are kept as.
  static var listKind: FieldKind { get }
  /// A list as it is synced.
  static func fieldValue(of list: [Self]) -> FieldValue
  /// Takes a stored list; nil for anything else.
  static func list(of fieldValue: FieldValue) -> [Self]?
}

extension String: ColumnElement {
  /// A list of texts.
  public static var listKind: FieldKind { .list }

  /// The list as it is synced.
  public static func fieldValue(of list: [String]) -> FieldValue { .list(list) }

  /// Takes a list of texts.
  public static func list(of fieldValue: FieldValue) -> [String]? {
    guard case .list(let texts) = fieldValue else { return nil }
    return texts
  }
}

extension UInt8: ColumnElement {
  /// A byte string.
  public static var listKind: FieldKind { .bytes }

  /// The bytes as they are synced.
  public static func fieldValue(of list: [UInt8]) -> FieldValue { .bytes(list) }

  /// Takes bytes.
  public static func list(of fieldValue: FieldValue) -> [UInt8]? {
    guard case .bytes(let bytes) = fieldValue else { return nil }
    return bytes
  }
}

extension Array: ColumnValue where Element: ColumnElement {
  /// The kind of the elements' list.
  public static var fieldKind: FieldKind { Element.listKind }

  /// The list as it is synced.
  public var fieldValue: FieldValue { Element.fieldValue(of: self) }

  /// Takes a stored list.
  public init?(fieldValue: FieldValue) {
    guard let list = Element.list(of: fieldValue) else { return nil }
    self = list
  }
}
