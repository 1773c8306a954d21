import CommuteCore
import CommuteSQLite

/// Changing records over which nothing of the device's own lies, which is what most updates do.
///
/// What ``DeviceRecord/change(_:operation:context:)-(FieldMap<FieldValue>,_,_)`` decides about such
/// a record under the rule `latest` never varies: the changed fields under one stamp in one new row
/// of the outbox, over what showed, and the record as it was as base. So it is written straight
/// from the row and from memory; a test compares with what the decision leads to.
extension WriterCore {
  /// Loads a record over which nothing lies and of which nothing is known but values and stamps.
  ///
  /// - Returns: Nil where the general way has to load it; `seen` was not called then.
  func loadPlain(
    _ id: RecordID, in shape: TableShape, seen: (borrowing Row) throws(StoreError) -> Void
  ) throws(StoreError) -> PlainRow? {
    guard !pending.contains(id), shape.layout.count > 0 else { return nil }
    let statement = try speaking { () throws(SQLiteError) in
      try statements[shape.slot].read(on: connection)
    }
    statement.bind(high: id.high, low: id.low, at: 1)
    let user = state.device.account.user
    let plain = sparePlain ?? PlainRow()
    sparePlain = nil
    let found = try statement.first { (row) throws(StoreError) -> Bool in
      guard
        try HiddenState.readPlain(row, into: plain, shape: shape, names: &names, user: user)
      else { return false }
      try seen(row)
      return true
    }
    if found == true { return plain }
    sparePlain = plain
    return nil
  }

  /// Writes some fields of a record that was loaded as plain.
  ///
  /// - Returns: The fields that really changed; nil where the general way has to decide, and
  ///   nothing was written then.
  func updatePlain(
    _ row: PlainRow, _ record: UnsafeRawPointer, id: RecordID, changed mask: UInt64,
    in shape: TableShape
  ) throws(StoreError) -> UInt64? {
    guard !pending.contains(id), mask & ~shape.layout.plain == 0 else { return nil }
    // What may be too large on the wire is measured in the general way.
    guard let changed = row.take(record, changed: mask, in: shape) else { return nil }
    if changed == 0 { return 0 }
    let operation = newOperation()
    let stamp = state.device.clock.now(wall: options.clock.wall())
    PackedChange.packChanged(
      row, changed: changed, stamp: stamp, shape: shape, names: &names, into: &packer)
    try queuePacked(operation, over: row.packed.bytes, id: id, feed: row.feed, in: shape)
    note(engine: "c_outbox")
    HiddenState.packChanged(
      row, changed: changed, stamp: stamp, shape: shape, names: &names,
      user: state.device.account.user, into: &packer)
    try writeChanged(record, id: id, changed: changed, in: shape)
    return changed
  }

  /// Writes fields from memory, and the hidden column from the packer.
  private func writeChanged(
    _ record: UnsafeRawPointer, id: RecordID, changed: UInt64, in shape: TableShape
  ) throws(StoreError) {
    do {
      let statement = try statements[shape.slot].update(changed, on: connection)
      var parameter = 1
      var ignored = 0
      var rest = changed
      while rest != 0 {
        _ = shape.layout.bind(
          record, rest.trailingZeroBitCount, to: statement, at: parameter, size: &ignored)
        rest &= rest - 1
        parameter += 1
      }
      statement.bind(packer.bytes, at: parameter)
      statement.bind(high: id.high, low: id.low, at: parameter + 1)
      try statement.run()
    } catch {
      throw StoreError(error)
    }
    note(shape.slot, id, changed)
  }
}
