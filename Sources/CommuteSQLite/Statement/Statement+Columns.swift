extension Statement {
  /// What a column of the present row holds.
  @inlinable public func kind(_ column: Int) -> ColumnKind {
    Row(self).kind(column)
  }

  /// Whether a column of the present row holds nothing.
  @inlinable public func isNull(_ column: Int) -> Bool {
    Row(self).isNull(column)
  }

  /// A column of the present row as an integer; null reads as 0.
  @inlinable public func int64(_ column: Int) -> Int64 {
    Row(self).int64(column)
  }

  /// A column of the present row as a double; null reads as 0.
  @inlinable public func double(_ column: Int) -> Double {
    Row(self).double(column)
  }

  /// A column of the present row as a text; null reads as the empty text.
  @inlinable public func text(_ column: Int) -> String {
    Row(self).text(column)
  }

  /// A column of the present row as bytes; null reads as none.
  @inlinable public func bytes(_ column: Int) -> [UInt8] {
    Row(self).bytes(column)
  }

  /// Lends the bytes of a column of the present row without copying them.
  @inlinable public func withBytes<Result, Failure: Error>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe Row(self).withBytes(column, body)
  }

  /// The 16 bytes of a column of the present row as two numbers; nil for any other length.
  @inlinable public func pair(_ column: Int) -> (high: UInt64, low: UInt64)? {
    Row(self).pair(column)
  }

  /// Lends the present row.
  @inlinable public func withRow<Result, Failure: Error>(
    _ body: (Row) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(Row(self))
  }
}
