/// What a local write needs beside the values.
public struct WriteContext: Sendable {
  /// The device's clock; advanced only where something really changes.
  public var clock: HybridClock
  /// The device's wall clock in milliseconds.
  public var wall: Int64
  /// The schema version of the app.
  public var schema: UInt64

  /// Makes a context.
  public init(clock: HybridClock, wall: Int64, schema: UInt64) {
    self.clock = clock
    self.wall = wall
    self.schema = schema
  }
}

/// Why a local write was refused; never for network, sign-in or clock.
@nonexhaustive
public enum WriteRefusal: Error, Hashable, Sendable {
  /// The record does not exist here.
  case noSuchRecord(RecordKey)
  /// The record was deleted; the same content again is a new record.
  case deleted(RecordKey)
  /// The record exists already.
  case exists(RecordKey)
  /// The change alone is larger than an operation may be.
  case tooLarge(RecordKey, bytes: Int, limit: Int)

  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .noSuchRecord(let key): "no record \(key.id.text) in \(key.table.text); insert it first"
    case .deleted(let key):
      "\(key.table.text) \(key.id.text) was deleted; add it again as a new record"
    case .exists(let key): "\(key.table.text) \(key.id.text) exists already; update it instead"
    case .tooLarge(let key, let bytes, let limit):
      "the change of \(key.table.text) \(key.id.text) takes \(bytes) bytes, an operation at most"
        + " \(limit); store large content elsewhere and keep a reference"
    }
  }
}

extension DeviceRecord {
  /// Makes the record by a person's decision.
  ///
  /// - Throws: ``WriteRefusal``; the record and the clock are as before.
  /// - Returns: The names of the fields that were stamped and queued.
  @discardableResult
  public mutating func create(
    _ values: FieldMap<FieldValue>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    if let view { throw view.deleted == nil ? .exists(key) : .deleted(key) }
    let changes = values.entries.map { (name: $0.name, value: $0.value) }
    return try put(changes, over: nil, operation: operation, context: &context)
  }

  /// Changes fields; those that keep their value are neither stamped nor queued.
  ///
  /// - Throws: ``WriteRefusal``; the record and the clock are as before.
  /// - Returns: The names of the fields that really changed.
  @discardableResult
  public mutating func change(
    _ values: FieldMap<FieldValue>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    guard let view else { throw .noSuchRecord(key) }
    guard view.deleted == nil else { throw .deleted(key) }
    var changes: [(name: Key, value: FieldValue)] = []
    for entry in values.entries where view.fields[entry.name]?.value != entry.value {
      changes.append((entry.name, entry.value))
    }
    if changes.isEmpty { return [] }
    return try put(changes, over: view, operation: operation, context: &context)
  }

  /// Puts a seed: values that several devices write alike without a person having decided them.
  ///
  /// A seed carries the floor stamp, never overwrites a stamped field, and leaves a deleted record
  /// deleted.
  ///
  /// - Throws: ``WriteRefusal/deleted(_:)`` or ``WriteRefusal/tooLarge(_:bytes:limit:)``.
  /// - Returns: The names of the fields that were queued.
  @discardableResult
  public mutating func seed(
    _ values: FieldMap<FieldValue>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    let view = view
    guard view?.deleted == nil else { throw .deleted(key) }
    var changes: [(name: Key, value: FieldValue)] = []
    for entry in values.entries {
      if let mine = view?.fields[entry.name] {
        let offered = FieldState(value: entry.value, stamp: .floor)
        #if PLANTED
          if Planted.isActive(.seedsOverwrite), mine.value != entry.value {
            changes.append((entry.name, entry.value))
            continue
          }
        #endif
        guard offered.wins(over: mine) else { continue }
      }
      changes.append((entry.name, entry.value))
    }
    if changes.isEmpty && view != nil { return [] }
    #if PLANTED
      if Planted.isActive(.seedsOverwrite) {
        return try put(changes, over: view, operation: operation, context: &context)
      }
    #endif
    return try put(
      changes, over: view, isSeed: true, operation: operation, context: &context)
  }

  /// Deletes the record; a record that is not there or is deleted already stays as it is.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  public mutating func delete(operation id: OperationID, context: inout WriteContext) -> Bool {
    guard let view, view.deleted == nil else { return false }
    let index = openRow(creates: false, context: context, room: 64)
    rows[index].operation.deleted = context.clock.now(wall: context.wall)
    rows[index].operation.id = id
    return true
  }

  /// Takes a deletion back that was never marked in flight, by this file or by the one it was.
  ///
  /// - Parameters:
  ///   - id: A fresh operation id.
  ///   - replica: The file's present replica id.
  /// - Returns: Whether there was one; otherwise the deletion has left, or may have left, the
  ///   device.
  @discardableResult
  public mutating func withdrawDeletion(operation id: OperationID, by replica: ReplicaID) -> Bool {
    guard let index = rows.indices.last, rows[index].operation.deleted != nil,
      isOpen(rows[index], for: replica)
    else { return false }
    rows[index].operation.deleted = nil
    rows[index].operation.id = id
    let left = rows[index].operation
    if left.fields.isEmpty && !left.creates { rows.remove(at: index) }
    return true
  }

  /// Stamps and queues changes in the row that is open, or in a new one behind.
  private mutating func put(
    _ changes: [(name: Key, value: FieldValue)], over before: RecordState?, isSeed: Bool = false,
    operation id: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    var size = 256
    for change in changes { size += change.name.text.utf8.count + change.value.approximateSize }
    guard size <= Limits.operationBytes else {
      throw .tooLarge(key, bytes: size, limit: Limits.operationBytes)
    }
    #if PLANTED
      if Planted.isActive(.clockRefusesWrites), context.clock.isAhead(of: context.wall) {
        throw .tooLarge(key, bytes: 0, limit: 0)
      }
    #endif
    let index = openRow(creates: before == nil, context: context, room: size)
    let stamp = isSeed ? Stamp.floor : context.clock.now(wall: context.wall)
    for change in changes {
      note(change.name, change.value, stamp: stamp, before: before ?? RecordState(), in: index)
    }
    #if PLANTED
      if Planted.isActive(.operationIDKept), index > 0 {
        rows[index].operation.id = rows[index - 1].operation.id
        return changes.map { $0.name }
      }
    #endif
    rows[index].operation.id = id
    return changes.map { $0.name }
  }

  /// Puts one changed field into a row, with what its writer had seen.
  private mutating func note(
    _ name: Key, _ value: FieldValue, stamp: Stamp, before: RecordState, in index: Int
  ) {
    let known = rows[index].operation.fields[name]
    let shown = before.fields[name]
    var over = known?.over
    if known == nil || showsBase(name, in: before) { over = seen(name, before: index) }
    rows[index].operation.fields[name] = OperationField(
      value: value, stamp: stamp, over: over, base: known.map { $0.base } ?? shown?.value)
  }

  /// Whether the view shows the server's value of a field rather than one of the device's own.
  private func showsBase(_ name: Key, in view: RecordState) -> Bool {
    guard let shown = view.fields[name], let told = ground?.fields[name] else { return false }
    return shown == told
  }

  /// What the view showed of a field below a row: an earlier row's value, or base's.
  private func seen(_ name: Key, before index: Int) -> Over? {
    let told = ground?.fields[name]
    var winner = told
    var over = told.map { Over(stamp: $0.stamp, origin: $0.origin) }
    #if PLANTED
      if Planted.isActive(.overNotInherited) { return over }
    #endif
    for earlier in 0..<index {
      guard let change = rows[earlier].operation.fields[name] else { continue }
      let state = FieldState(value: change.value, stamp: change.stamp)
      if let winner, !state.wins(over: winner) { continue }
      winner = state
      over = Over(stamp: change.over?.stamp ?? .floor, origin: change.stamp)
    }
    return over
  }

  /// The row that takes a change of about `room` bytes: the last one, unless it is in flight, full,
  /// or of an earlier replica id.
  ///
  /// What was written under an earlier id may have been sent by a file that is gone. Were a change
  /// collapsed into it, the server could not see that its writer knew the value.
  private mutating func openRow(creates: Bool, context: WriteContext, room: Int) -> Int {
    #if PLANTED
      let collapses = creates || !Planted.isActive(.rowsNotCollapsed)
    #else
      let collapses = true
    #endif
    if let last = rows.indices.last, collapses, isOpen(rows[last], for: context.clock.replica),
      rows[last].operation.approximateSize + room <= Limits.operationBytes
    {
      if creates { rows[last].operation.creates = true }
      return last
    }
    rows.append(
      OutboxRow(
        operation: Operation(
          id: OperationID(high: 0, low: 0), schema: context.schema,
          replica: context.clock.replica, key: key, feed: feed, creates: creates)))
    return rows.count - 1
  }

  /// Whether a row can still be changed: never sent, by this file or by the one it was.
  private func isOpen(_ row: OutboxRow, for replica: ReplicaID) -> Bool {
    !row.isInFlight && row.operation.replica == replica
  }
}

#if PLANTED
  extension HybridClock {
    /// Whether the clock was led into the future.
    func isAhead(of wall: Int64) -> Bool {
      Int64(last >> 16) > wall + offset + 3_600_000
    }
  }
#endif
