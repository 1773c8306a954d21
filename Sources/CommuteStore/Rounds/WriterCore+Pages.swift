import CommuteCore
import CommuteSQLite

/// Applying the records of a page.
extension WriterCore {
  /// Applies the records of a page in their order.
  func absorb(
    _ part: SyncAnswer.Feed, into applied: inout AppliedRound
  ) throws(StoreError) {
    guard part.recordCount > 0 else { return }
    let hasQuarantine = try hasQuarantine
    // Not copied one by one, which a page of a thousand would notice.
    try part.records.withUnsafeBufferPointer { (others) throws(StoreError) in
      guard !part.plain.isEmpty else {
        return try absorb(others, of: part.feed, hasQuarantine, into: &applied)
      }
      let plans = part.plain.layouts.map { PlainPlan($0, among: shapes) }
      try part.plain.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        var read = 0
        for (index, record) in part.plain.records.enumerated() {
          if record.others > read {
            let between = UnsafeBufferPointer(rebasing: others[read..<record.others])
            try absorb(between, of: part.feed, hasQuarantine, into: &applied)
            read = record.others
          }
          try absorb(
            part.plain, index, plans[record.layout], bytes, of: part.feed, hasQuarantine,
            into: &applied)
        }
        let rest = UnsafeBufferPointer(rebasing: others[read...])
        try absorb(rest, of: part.feed, hasQuarantine, into: &applied)
      }
    }
  }

  private func absorb(
    _ records: UnsafeBufferPointer<RecordMessage>, of feed: Key, _ hasQuarantine: Bool,
    into applied: inout AppliedRound
  ) throws(StoreError) {
    var shape: TableShape?
    for index in records.indices {
      let table = records[index].key.table
      if shape?.key != table { shape = shapes.shape(named: table) }
      do throws(StoreError) {
        try absorb(records[index], feed: feed, in: shape)
        if hasQuarantine { try releaseQuarantine(records[index].key) }
        applied.records += 1
      } catch {
        guard error.isAboutOneRecord else { throw error }
        try quarantine(records[index], feed: feed, reason: error.message)
        applied.quarantined += 1
      }
    }
  }

  /// Applies a plain record: straight from the bytes where each of its values has its column and
  /// nothing of the device's own lies over it, as any other record else.
  private func absorb(
    _ plain: PlainRecords, _ index: Int, _ plan: PlainPlan, _ bytes: UnsafeBufferPointer<UInt8>,
    of feed: Key, _ hasQuarantine: Bool, into applied: inout AppliedRound
  ) throws(StoreError) {
    let record = plain.records[index]
    do throws(StoreError) {
      if let shape = plan.shape, !pending.contains(record.id), plan.admits(plain, record) {
        state.device.clock.observe(record.stamp)
        try statements[shape.slot].put(
          plain, record, columns: plan.columns, bytes: bytes, feed: feed.text, names: &names,
          user: state.device.account.user, packer: &packer, on: connection)
        note(shape.slot, record.id, CommittedChange.everything)
        if hasTombstones { try deleteTombstone(plain.key(at: index)) }
      } else {
        try absorb(plain.message(at: index), feed: feed, in: plan.shape)
      }
      if hasQuarantine { try releaseQuarantine(plain.key(at: index)) }
      applied.records += 1
    } catch {
      guard error.isAboutOneRecord else { throw error }
      try quarantine(plain.message(at: index), feed: feed, reason: error.message)
      applied.quarantined += 1
    }
  }
}

/// Where the values of plain records of one layout belong.
struct PlainPlan {
  /// The table; nil for one that this app does not know.
  let shape: TableShape?
  /// For each value the declared number of its field; none where the fields are not all those of
  /// the table.
  let columns: [Int]

  init(_ layout: PlainRecords.Layout, among shapes: Shapes) {
    shape = shapes.shape(named: layout.table)
    columns = shape.map { $0.sortedNames == layout.names ? $0.sorted : [] } ?? []
  }

  /// Whether each value of a record has a column that can hold it.
  func admits(_ plain: PlainRecords, _ record: PlainRecords.Record) -> Bool {
    guard let fields = shape?.layout.fields, !columns.isEmpty else { return false }
    for (position, column) in columns.enumerated() {
      guard fields[column].admits(plain.values[record.firstValue + position]) else { return false }
    }
    return true
  }
}

extension FieldSchema {
  /// Whether a value that is left as it came may be stored in the field.
  fileprivate func admits(_ value: PlainRecords.Value) -> Bool {
    switch (value, kind) {
    case (.null, _): isOptional
    case (.boolean, .boolean), (.integer, .integer), (.instant, .instant), (.double, .double),
      (.text, .text), (.list, .list):
      true
    default: false
    }
  }
}
