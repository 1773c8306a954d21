public import CommuteCore
public import Foundation

extension Date: ColumnValue {
  /// Milliseconds since 1970.
  public static var fieldKind: FieldKind { .instant }

  /// The date as it is synced: whole milliseconds, kept within what 64 bits hold.
  public var fieldValue: FieldValue {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    if milliseconds.isNaN { return .double(milliseconds) }
    return .instant(Int64(max(-9e18, min(milliseconds, 9e18))))
  }

  /// Takes milliseconds.
  public init?(fieldValue: FieldValue) {
    guard case .instant(let milliseconds) = fieldValue else { return nil }
    self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }
}

extension UUID: ColumnValue {
  /// The 16 bytes.
  public static var fieldKind: FieldKind { .bytes }

  /// The value as it is synced.
  public var fieldValue: FieldValue { .bytes(withUnsafeBytes(of: uuid) { Array($0) }) }

  /// Takes 16 bytes.
  public init?(fieldValue: FieldValue) {
    guard case .bytes(let bytes) = fieldValue, bytes.count == 16 else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
    self.init(uuid: value)
  }
}

extension Data: ColumnValue {
  /// Bytes.
  public static var fieldKind: FieldKind { .bytes }

  /// The value as it is synced.
  public var fieldValue: FieldValue { .bytes(Array(self)) }

  /// Takes bytes.
  public init?(fieldValue: FieldValue) {
    guard case .bytes(let bytes) = fieldValue else { return nil }
    self.init(bytes)
  }
}

extension URL: ColumnValue {
  /// Text.
  public static var fieldKind: FieldKind { .text }

  /// The value as it is synced.
  public var fieldValue: FieldValue { .text(absoluteString) }

  /// Takes a text that is an address.
  public init?(fieldValue: FieldValue) {
    guard case .text(let text) = fieldValue else { return nil }
    self.init(string: text)
  }
}
