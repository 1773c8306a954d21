import CommuteCore

/// What a read looked at: a later change elsewhere cannot alter its result.
struct Region: Sendable {
  /// The columns looked at, by table.
  private(set) var columns: [Int: UInt64] = [:]
  /// The single records looked at, by table.
  private(set) var records: [Int: Set<RecordID>] = [:]

  /// Notes that columns of any record of a table were looked at.
  mutating func add(table: Int, columns mask: UInt64) {
    columns[table, default: 0] |= mask
  }

  /// Notes that one record was looked at.
  mutating func add(table: Int, record: RecordID) {
    records[table, default: []].insert(record)
  }

  /// Whether a change may alter what was read.
  func isTouched(by change: CommittedChange) -> Bool {
    if let mask = columns[change.table], mask & change.columns != 0 { return true }
    guard let records = records[change.table] else { return false }
    return change.record.map(records.contains) ?? true
  }
}

/// What a commit changed: one record of a table, or rows that are not named.
struct CommittedChange: Hashable, Sendable {
  /// The bit of a row that came or went, beside those of its columns.
  static let presence: UInt64 = 1 << 63
  /// All columns, and the row itself.
  static let everything: UInt64 = ~0

  var table: Int
  var record: RecordID?
  var columns: UInt64
}
