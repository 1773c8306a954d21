public import CSQLite

/// What a column holds, as SQLite stored it.
public enum ColumnKind: Hashable, Sendable {
  /// Nothing.
  case null
  /// A 64-bit integer.
  case integer
  /// A double.
  case real
  /// A text.
  case text
  /// Bytes.
  case bytes
}

/// The row at which a statement stands; lent for the length of a call.
///
/// It is a view: kept longer, it shows whatever the statement has moved on to, or nulls.
///
/// Columns are numbered from 0. A column of another kind is converted as SQLite does, and one
/// that does not exist reads as null; strict tables and the order of the columns in the statement
/// make both a matter of the statement's text.
@safe public struct Row {
  /// Held instead of its handle, so that a row is empty, not dangling, once all is closed.
  @usableFromInline let statement: Statement

  @inlinable init(_ statement: Statement) {
    self.statement = statement
  }

  @inlinable var handle: OpaquePointer? { unsafe statement.handle }

  /// What the column holds.
  @inlinable public func kind(_ column: Int) -> ColumnKind {
    switch unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    default: .null
    }
  }

  /// Whether the column holds nothing.
  @inlinable public func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// The column as an integer; null reads as 0.
  @inlinable public func int64(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// The column as a double; null reads as 0.
  @inlinable public func double(_ column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// The column as a text; null reads as the empty text, bytes that are not UTF-8 are replaced.
  @inlinable public func text(_ column: Int) -> String {
    let index = Int32(truncatingIfNeeded: column)
    guard let start = unsafe sqlite3_column_text(handle, index) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(handle, index))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The column as bytes; null reads as none.
  @inlinable public func bytes(_ column: Int) -> [UInt8] {
    unsafe withBytes(column) { unsafe Array($0) }
  }

  /// Lends the column's bytes, or the UTF-8 of its text, without copying them.
  ///
  /// They are gone when the closure ends.
  @inlinable public func withBytes<Result, Failure: Error>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let index = Int32(truncatingIfNeeded: column)
    let start = unsafe sqlite3_column_blob(handle, index)
    let count = unsafe Int(sqlite3_column_bytes(handle, index))
    return try unsafe body(
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// The column's 16 bytes as two numbers, the most significant first; nil for any other length.
  @inlinable public func pair(_ column: Int) -> (high: UInt64, low: UInt64)? {
    let index = Int32(truncatingIfNeeded: column)
    guard let start = unsafe sqlite3_column_blob(handle, index),
      unsafe sqlite3_column_bytes(handle, index) == 16
    else { return nil }
    let high = unsafe start.loadUnaligned(as: UInt64.self)
    let low = unsafe start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return (UInt64(bigEndian: high), UInt64(bigEndian: low))
  }
}
