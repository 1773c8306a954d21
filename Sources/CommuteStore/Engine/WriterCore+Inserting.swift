import CommuteCore
import CommuteSQLite

/// Adding records of which nothing is known here, which is what nearly every insert is.
///
/// What ``DeviceRecord/create(_:operation:context:)`` decides about such a record never varies: one
/// new row of the outbox with every field under one stamp. So it is written straight from memory;
/// a test compares the bytes with those that the decision leads to.
extension WriterCore {
  /// Adds a record if nothing at all is known of its id and its values are in order.
  ///
  /// - Returns: False where the general way has to decide; nothing was written then.
  func insertFresh(
    _ record: UnsafeRawPointer, id: RecordID, feed: Key, in shape: TableShape
  ) throws(StoreError) -> Bool {
    guard !pending.contains(id), shape.layout.count > 0, shape.layout.isAllLatest else {
      return false
    }
    if try refersToMissing(record, in: shape.layout) { return false }
    if hasTombstones, try tombstone(RecordKey(table: shape.key, id: id)) != nil { return false }
    let statement: Statement
    do { statement = try statements[shape.slot].insert(on: connection) } catch {
      throw StoreError(error)
    }
    // What may be too large on the wire is measured in the general way.
    guard let size = shape.layout.bind(record, to: statement, from: 3),
      size <= Limits.recordBytes / 16
    else {
      statement.reset()
      return false
    }
    let stamp = state.device.clock.now(wall: options.clock.wall())
    HiddenState.packFresh(stamp, shape: shape, names: &names, into: &packer)
    statement.bind(high: id.high, low: id.low, at: 1)
    statement.bind(feed.text, at: 2)
    statement.bind(packer.bytes, at: shape.layout.count + 3)
    do { try statement.run() } catch {
      if case .constraint(let failure) = error, failure.isAboutKey { return false }
      throw StoreError(error)
    }
    PackedChange.packFresh(record, stamp: stamp, shape: shape, names: &names, into: &packer)
    try queuePacked(newOperation(), over: nil, id: id, feed: feed.text, in: shape)
    note(shape.slot, id, CommittedChange.everything)
    note(engine: "c_outbox")
    return true
  }

  /// Puts the change that the packer holds into a new row of the outbox, with the base beneath it
  /// where it creates nothing.
  func queuePacked(
    _ operation: OperationID, over base: [UInt8]?, id: RecordID, feed: String,
    in shape: TableShape
  ) throws(StoreError) {
    let statement = try kept(
      """
      INSERT INTO c_outbox(operation, creates, fields, clock, position, tbl, id, feed, schema,
        replica, told)
      VALUES (?1, ?10, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?11)
      """)
    statement.bind(high: operation.high, low: operation.low, at: 1)
    statement.bind(packer.bytes, at: 2)
    statement.bind(state.device.clock.last.stored, at: 3)
    statement.bind(state.nextPosition, at: 4)
    statement.bind(shape.name, at: 5)
    statement.bind(high: id.high, low: id.low, at: 6)
    statement.bind(feed, at: 7)
    statement.bind(schema.version.stored, at: 8)
    statement.bind(names.number(of: state.device.replica), at: 9)
    statement.bind(base == nil, at: 10)
    // What is not bound is null.
    if let base { statement.bind(base, at: 11) }
    try run(statement)
    noteQueued(id)
  }
}

extension ConstraintFailure {
  /// Whether there is a row with this key already.
  var isAboutKey: Bool { kind == .primaryKey || kind == .unique }
}
