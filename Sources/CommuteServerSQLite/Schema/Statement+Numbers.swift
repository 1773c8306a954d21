import CommuteCore
import CommuteSQLite

extension Statement {
  /// Binds a number without sign as the 64 bits it consists of.
  func bind(_ number: UInt64, at parameter: Int) {
    bind(Int64(bitPattern: number), at: parameter)
  }

  /// Binds the 16 bytes of an id.
  func bind(_ id: some Identifier, at parameter: Int) {
    bind(high: id.high, low: id.low, at: parameter)
  }

  /// Binds the bytes of a name.
  func bind(_ key: Key, at parameter: Int) {
    bind(key.text, at: parameter)
  }

  /// Binds bytes that are UTF-8 as a text.
  func bind(utf8 bytes: [UInt8], at parameter: Int) {
    bytes.withUnsafeBufferPointer { bind(utf8: $0, at: parameter) }
  }
}

extension Row {
  /// A column as a number without sign.
  func uint64(_ column: Int) -> UInt64 {
    UInt64(bitPattern: int64(column))
  }

  /// A column as a name.
  func key(_ column: Int) -> Key {
    Key(text(column))
  }
}
