import CommuteCore

/// The order of a query without its record type, for records as they lie in memory.
struct RowOrder: Sendable {
  /// One column: where its property lies, and how it is read where that does not say.
  fileprivate struct Key: Sendable {
    let offset: Int?
    let storage: ColumnAccess.Storage
    let get: @Sendable (UnsafeRawPointer) -> FieldValue
    let isDescending: Bool
  }

  private let keys: [Key]

  init(_ columns: [(column: QueriedColumn, isDescending: Bool)]) {
    keys = columns.map {
      Key(
        offset: $0.column.access?.offset, storage: $0.column.access?.storage ?? .other,
        get: $0.column.get, isDescending: $0.isDescending)
    }
  }

  /// Where a record stands or would stand among others in this order, which lie one `stride` apart:
  /// behind all that come before it, the ids deciding between equals.
  func place(
    of record: UnsafeRawPointer, id: RecordID, in base: UnsafeRawPointer, count: Int, stride: Int,
    ids: (Int) -> RecordID
  ) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let found = compare(base + middle * stride, record)
      if found < 0 || found == 0 && ids(middle) < id {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Below 0 where one record comes before the other, 0 where only their ids can tell.
  private func compare(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Int {
    keys.withUnsafeBufferPointer { keys in
      for index in keys.indices {
        let found = keys[index].compare(one, other)
        if found != 0 { return found }
      }
      return 0
    }
  }
}

extension RowOrder.Key {
  @inline(__always)
  fileprivate func compare(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Int {
    let found = rising(one, other)
    return isDescending ? -found : found
  }

  @inline(__always)
  private func rising(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Int {
    if let offset {
      switch storage {
      case .text:
        let left = (one + offset).assumingMemoryBound(to: String.self)
        let right = (other + offset).assumingMemoryBound(to: String.self)
        return FieldValue.compare(left.pointee, right.pointee)
      case .integer:
        let left = (one + offset).load(as: Int64.self)
        let right = (other + offset).load(as: Int64.self)
        return left < right ? -1 : left == right ? 0 : 1
      default: break
      }
    }
    return get(one).compared(to: get(other))
  }
}

extension Query {
  /// The order in which the records stand.
  var rowOrder: RowOrder {
    RowOrder(orders.map { ($0.column, $0.direction == .descending) })
  }

  /// Which changes can make a difference to its list.
  var scope: ListScope {
    ListScope(filtering: filteringColumns, deciding: decidingColumns)
  }
}
