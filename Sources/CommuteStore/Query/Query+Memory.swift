import CommuteCore

/// The same questions asked of records in memory, so that a list can be kept without reading it
/// again.
extension Query {
  /// Whether memory can tell which records come and in which order: not so where an app wrote SQL,
  /// or where a value that this version does not know reads as another one.
  var isTestable: Bool {
    refusal == nil && search == nil && condition?.isTestable ?? true
      && orders.allSatisfy(\.column.isExact)
  }

  /// Whether the record at a pointer passes the conditions.
  func matches(_ record: UnsafeRawPointer) -> Bool {
    condition.map { $0.test(record) == true } ?? true
  }

  /// Whether the record at a pointer passes the conditions; nil where only the database can tell.
  public func matches(_ record: Model) -> Bool? {
    guard isTestable else { return nil }
    return withUnsafePointer(to: record) { matches(UnsafeRawPointer($0)) }
  }

  /// Whether one record comes before another, as they lie at pointers; ids decide between equals.
  func precedes(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    for order in orders {
      let found = order.column.get(one).compared(to: order.column.get(other))
      if found != 0 { return (found < 0) == (order.direction == .ascending) }
    }
    let (left, right) = (one, other)
    return left.assumingMemoryBound(to: Model.self).pointee.id
      < right.assumingMemoryBound(to: Model.self).pointee.id
  }

  /// Whether one record comes before another in the order of the query.
  public func precedes(_ one: Model, _ other: Model) -> Bool {
    withUnsafePointer(to: one) { one in
      withUnsafePointer(to: other) { other in
        precedes(UnsafeRawPointer(one), UnsafeRawPointer(other))
      }
    }
  }
}
