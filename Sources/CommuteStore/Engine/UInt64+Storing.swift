import CommuteSQLite

/// SQLite's integers are signed; numbers of 64 bits are stored by their bits.
extension UInt64 {
  var stored: Int64 { Int64(bitPattern: self) }

  init(stored: Int64) {
    self.init(bitPattern: stored)
  }

  /// Eight bytes, the most significant first.
  var bytes: [UInt8] {
    withUnsafeBytes(of: bigEndian) { Array($0) }
  }
}

extension Row {
  /// A column as a number of 64 bits; nil for null.
  func number(_ column: Int) -> UInt64? {
    isNull(column) ? nil : UInt64(stored: int64(column))
  }
}
