/// Which columns decide what of a kept list.
extension Query {
  /// The columns that decide whether a record comes, and the row itself.
  var filteringColumns: UInt64 { (condition?.columns ?? 0) | CommittedChange.presence }

  /// The columns that decide where it stands.
  var orderingColumns: UInt64 { orders.reduce(0) { $0 | $1.column.mask } }
}
