public import CSQLite

extension Statement {
  /// Binds null.
  @inlinable public func bindNull(at parameter: Int) {
    let code = unsafe sqlite3_bind_null(handle, Int32(truncatingIfNeeded: parameter))
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }

  /// Binds an integer.
  @inlinable public func bind(_ value: Int64, at parameter: Int) {
    let code = unsafe sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: parameter), value)
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }

  /// Binds an integer.
  @inlinable public func bind(_ value: Int, at parameter: Int) {
    bind(Int64(value), at: parameter)
  }

  /// Binds 1 or 0.
  @inlinable public func bind(_ value: Bool, at parameter: Int) {
    bind(value ? Int64(1) : 0, at: parameter)
  }

  /// Binds a double; one that is not a number is refused, for SQLite would store null.
  @inlinable public func bind(_ value: Double, at parameter: Int) {
    if value.isNaN { return refuseNaN(parameter: parameter) }
    let code = unsafe sqlite3_bind_double(handle, Int32(truncatingIfNeeded: parameter), value)
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }

  /// Binds a text, NUL characters included.
  @inlinable public func bind(_ value: String, at parameter: Int) {
    let done: Void? = unsafe value.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe bind(utf8: bytes, at: parameter)
    }
    if done != nil { return }
    var copy = value
    copy.withUTF8 { bytes in unsafe bind(utf8: bytes, at: parameter) }
  }

  /// Binds a text that is given as UTF-8.
  @inlinable public func bind(utf8 bytes: UnsafeBufferPointer<UInt8>, at parameter: Int) {
    let index = Int32(truncatingIfNeeded: parameter)
    let count = Int32(clamping: bytes.count)
    let code: Int32
    if bytes.count <= BindingArena.longestValue {
      let room = unsafe arena.reserve(bytes.count)
      if let start = bytes.baseAddress {
        unsafe room.copyMemory(from: start, byteCount: bytes.count)
      }
      code = unsafe sqlite3_bind_text(
        handle, index, room.assumingMemoryBound(to: CChar.self), count, nil)
    } else {
      code = unsafe UnsafeRawBufferPointer(bytes).withMemoryRebound(to: CChar.self) { bytes in
        unsafe commute_sqlite3_bind_text_copy(handle, index, bytes.baseAddress, count)
      }
    }
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }

  /// Binds bytes.
  @inlinable public func bind(_ value: [UInt8], at parameter: Int) {
    unsafe value.withUnsafeBytes { bytes in unsafe bind(bytes: bytes, at: parameter) }
  }

  /// Binds bytes, which are copied.
  @inlinable public func bind(bytes: UnsafeRawBufferPointer, at parameter: Int) {
    let index = Int32(truncatingIfNeeded: parameter)
    let count = Int32(clamping: bytes.count)
    let code: Int32
    if bytes.count <= BindingArena.longestValue {
      let room = unsafe arena.reserve(bytes.count)
      if let start = bytes.baseAddress {
        unsafe room.copyMemory(from: start, byteCount: bytes.count)
      }
      code = unsafe sqlite3_bind_blob(handle, index, room, count, nil)
    } else {
      code = unsafe commute_sqlite3_bind_blob_copy(handle, index, bytes.baseAddress, count)
    }
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }

  /// Binds the 16 bytes of a key, the most significant first.
  @inlinable public func bind(high: UInt64, low: UInt64, at parameter: Int) {
    let room = unsafe arena.reserve(16)
    unsafe room.storeBytes(of: high.bigEndian, as: UInt64.self)
    unsafe room.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    let code = unsafe sqlite3_bind_blob(
      handle, Int32(truncatingIfNeeded: parameter), room, 16, nil)
    if code != SQLITE_OK { refuse(parameter: parameter, code: code) }
  }
}
