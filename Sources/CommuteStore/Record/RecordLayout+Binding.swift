import CommuteCore
import CommuteSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writing a new record straight from memory, without a value made of each field.
extension RecordLayout {
  /// Binds every column in the declared order.
  ///
  /// - Parameters:
  ///   - record: Where the record lies.
  ///   - statement: What to bind to.
  ///   - first: The parameter of the first column.
  /// - Returns: How many bytes the values take; nil where one cannot be stored.
  func bind(
    _ record: UnsafeRawPointer, to statement: Statement, from first: Int
  ) -> Int? {
    var size = 0
    for index in 0..<access.count {
      guard bind(record, index, to: statement, at: first + index, size: &size) else { return nil }
    }
    return size
  }

  /// Binds one column; false where its value cannot be stored.
  @inline(__always)
  func bind(
    _ record: UnsafeRawPointer, _ index: Int, to statement: Statement, at parameter: Int,
    size: inout Int
  ) -> Bool {
    guard let offset = access[index].offset else {
      return bindOther(record, index, to: statement, at: parameter, size: &size)
    }
    let place = record + offset
    switch access[index].storage {
    case .boolean: statement.bind(place.load(as: Bool.self), at: parameter)
    case .integer: statement.bind(place.load(as: Int64.self), at: parameter)
    case .id:
      let id = place.load(as: RecordID.self)
      statement.bind(high: id.high, low: id.low, at: parameter)
    case .text:
      let text = place.assumingMemoryBound(to: String.self).pointee
      return bind(text, to: statement, at: parameter, size: &size)
    case .optionalInteger:
      // What is not bound is null.
      if let number = place.assumingMemoryBound(to: Int64?.self).pointee {
        statement.bind(number, at: parameter)
      }
    case .optionalText:
      guard let text = place.assumingMemoryBound(to: String?.self).pointee else { return true }
      return bind(text, to: statement, at: parameter, size: &size)
    case .double, .texts, .optionalDouble, .other:
      return bindOther(record, index, to: statement, at: parameter, size: &size)
    }
    return true
  }

  @inline(__always)
  private func bind(
    _ text: String, to statement: Statement, at parameter: Int, size: inout Int
  ) -> Bool {
    guard text.isStorable else { return false }
    size += text.utf8.count
    statement.bind(text, at: parameter)
    return true
  }

  /// About how many bytes the value of one field takes; nil where it cannot be stored.
  func size(of record: UnsafeRawPointer, _ index: Int) -> Int? {
    if access[index].storage == .text, let offset = access[index].offset {
      let text = (record + offset).assumingMemoryBound(to: String.self).pointee
      return text.isStorable ? text.utf8.count : nil
    }
    let value = access[index].get(record)
    guard value.problem == nil, fields[index].admits(value) else { return nil }
    return value.approximateSize
  }

  private func bindOther(
    _ record: UnsafeRawPointer, _ index: Int, to statement: Statement, at parameter: Int,
    size: inout Int
  ) -> Bool {
    let value = access[index].get(record)
    guard value.problem == nil else { return false }
    size += value.approximateSize
    statement.bind(value, at: parameter)
    return true
  }

  /// Packs the value of one field as ``Packer/put(_:)-(FieldValue)`` does.
  func pack(_ record: UnsafeRawPointer, _ index: Int, into packer: inout Packer) {
    guard let offset = access[index].offset else { return packer.put(access[index].get(record)) }
    let place = record + offset
    switch access[index].storage {
    case .boolean: packer.put(FieldValue.boolean(place.load(as: Bool.self)))
    case .integer: packer.put(FieldValue.integer(place.load(as: Int64.self)))
    case .text: packer.put(text: place.assumingMemoryBound(to: String.self).pointee)
    case .optionalInteger:
      let number = place.assumingMemoryBound(to: Int64?.self).pointee
      packer.put(number.map { FieldValue.integer($0) } ?? .null)
    case .optionalText:
      guard let text = place.assumingMemoryBound(to: String?.self).pointee else {
        return packer.put(FieldValue.null)
      }
      packer.put(text: text)
    case .double, .id, .texts, .optionalDouble, .other: packer.put(access[index].get(record))
    }
  }
}

extension String {
  /// Whether a field may hold the text: not too long, and without a NUL.
  var isStorable: Bool {
    let count = utf8.count
    if count > Limits.textBytes { return false }
    let found = utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, count) != nil } ?? false
    }
    return !(found ?? utf8.contains(0))
  }
}
