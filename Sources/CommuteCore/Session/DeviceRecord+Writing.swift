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
  /// The field's rule takes no edit of this kind, or no such value.
  case editDoesNotFit(RecordKey, field: Key, rule: MergeRule)
  /// A total that only rises was to fall.
  case cannotFall(RecordKey, field: Key)
  /// The server keeps the field under a rule that this build does not know.
  case ruleUnknown(RecordKey, field: Key)

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
    case .editDoesNotFit(let key, let field, let rule):
      "\(key.table.text).\(field.text) is of the rule \(rule.name.text), which takes no such"
        + " edit; count counters with whole numbers, give sets lists of text"
    case .cannotFall(let key, let field):
      "\(key.table.text).\(field.text) only rises; use the rule counter for totals that fall, too"
    case .ruleUnknown(let key, let field):
      "\(key.table.text).\(field.text) is kept by a rule that this version does not know; update"
        + " the app"
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
    try create(values.mapValues { .set($0) }, operation: operation, context: &context)
  }

  /// Makes the record of edits of its fields.
  ///
  /// - Throws: ``WriteRefusal``; the record and the clock are as before.
  /// - Returns: The names of the fields that were stamped and queued.
  @discardableResult
  public mutating func create(
    _ edits: FieldMap<FieldEdit>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    if let view {
      guard view.deleted != nil else { throw .exists(key) }
      return try revive(edits, view, operation: operation, context: &context)
    }
    var changes: [PlannedChange] = []
    changes.reserveCapacity(edits.count)
    for entry in edits.entries {
      if let change = try plan(entry.value, of: entry.name, shown: nil, isNew: true) {
        changes.append(change)
      }
    }
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
    try change(values.mapValues { .set($0) }, operation: operation, context: &context)
  }

  /// Edits fields; where an edit changes nothing, nothing is stamped or queued.
  ///
  /// - Throws: ``WriteRefusal``; the record and the clock are as before.
  /// - Returns: The names of the fields that really changed.
  @discardableResult
  public mutating func change(
    _ edits: FieldMap<FieldEdit>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    guard let view else { throw .noSuchRecord(key) }
    guard view.deleted == nil else {
      return try revive(edits, view, operation: operation, context: &context)
    }
    var changes: [PlannedChange] = []
    for entry in edits.entries {
      let shown = view.fields[entry.name]
      if let change = try plan(entry.value, of: entry.name, shown: shown) { changes.append(change) }
    }
    if changes.isEmpty { return [] }
    return try put(changes, over: view, operation: operation, context: &context)
  }

  /// Brings a deleted record back: the edits, and all that it had as its writer saw it.
  ///
  /// - Throws: ``WriteRefusal/deleted(_:)`` unless the table's rule is `editRevives`.
  private mutating func revive(
    _ edits: FieldMap<FieldEdit>, _ view: RecordState, operation: OperationID,
    context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    guard let deletion = view.deleted, table?.rule == .editRevives else { throw .deleted(key) }
    var changes: [PlannedChange] = []
    for entry in view.fields.entries where edits[entry.name] == nil {
      let rule = try knownRule(of: entry.name)
      switch rule {
      case .counter, .growOnlyCounter, .set: continue
      case .keepBoth where entry.value.siblings.count > 1: continue
      default:
        changes.append(PlannedChange(name: entry.name, rule: rule, action: .put(entry.value.value)))
      }
    }
    for entry in edits.entries {
      let shown = view.fields[entry.name]
      let change = try plan(entry.value, of: entry.name, shown: shown, isNew: shown == nil)
      if let change {
        changes.append(change)
      } else if case .set(let value) = entry.value, !(try knownRule(of: entry.name)).isSummed {
        let rule = try knownRule(of: entry.name)
        changes.append(PlannedChange(name: entry.name, rule: rule, action: .put(value)))
      }
    }
    return try put(
      changes, over: view, revives: deletion, operation: operation, context: &context)
  }

  /// Puts a seed: values that several devices write alike without a person having decided them.
  ///
  /// A seed carries the floor stamp, never overwrites a stamped field, and leaves a deleted record
  /// deleted.
  ///
  /// - Throws: ``WriteRefusal/deleted(_:)``, ``WriteRefusal/tooLarge(_:bytes:limit:)``, and what is
  ///   refused of any edit.
  /// - Returns: The names of the fields that were queued.
  @discardableResult
  public mutating func seed(
    _ values: FieldMap<FieldValue>, operation: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    let view = view
    guard view?.deleted == nil else { throw .deleted(key) }
    var changes: [PlannedChange] = []
    for entry in values.entries {
      let shown = view?.fields[entry.name]
      #if PLANTED
        if Planted.isActive(.seedsOverwrite), let shown, shown.value != entry.value {
          let rule = try knownRule(of: entry.name)
          changes.append(
            PlannedChange(name: entry.name, rule: rule, action: .put(entry.value)))
          continue
        }
      #endif
      if let change = try planSeed(entry.value, of: entry.name, shown: shown) {
        changes.append(change)
      }
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
    let index = openRow(creates: false, operation: id, context: context, room: 64)
    rows[index].operation.deleted = context.clock.now(wall: context.wall)
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
    _ changes: [PlannedChange], over before: RecordState?, isSeed: Bool = false,
    revives: Stamp? = nil, operation id: OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> [Key] {
    var size = 256
    for change in changes { size += change.approximateSize }
    guard size <= Limits.operationBytes else {
      throw .tooLarge(key, bytes: size, limit: Limits.operationBytes)
    }
    #if PLANTED
      if Planted.isActive(.clockRefusesWrites), context.clock.isAhead(of: context.wall) {
        throw .tooLarge(key, bytes: 0, limit: 0)
      }
    #endif
    let index = openRow(
      creates: before == nil || revives != nil, operation: id, context: context, room: size)
    if let revives { rows[index].operation.revives = revives }
    let stamp = isSeed ? Stamp.floor : context.clock.now(wall: context.wall)
    for change in changes {
      note(change, stamp: stamp, before: before ?? RecordState(), in: index, operation: id)
    }
    #if PLANTED
      if Planted.isActive(.operationIDKept), index > 0 {
        rows[index].operation.id = rows[index - 1].operation.id
      }
    #endif
    return changes.map { $0.name }
  }

  /// The row that takes a change of about `room` bytes, under the change's id: the last one, unless
  /// it is in flight, full, or of an earlier replica id.
  ///
  /// What was written under an earlier id may have been sent by a file that is gone. Were a change
  /// collapsed into it, the server could not see that its writer knew the value.
  private mutating func openRow(
    creates: Bool, operation id: OperationID, context: WriteContext, room: Int
  ) -> Int {
    #if PLANTED
      let collapses = creates || !Planted.isActive(.rowsNotCollapsed)
    #else
      let collapses = true
    #endif
    if let last = rows.indices.last, collapses, isOpen(rows[last], for: context.clock.replica),
      rows[last].operation.approximateSize + room <= Limits.operationBytes
    {
      if creates { rows[last].operation.creates = true }
      rows[last].operation.id = id
      return last
    }
    rows.append(
      OutboxRow(
        operation: Operation(
          id: id, schema: context.schema, replica: context.clock.replica, key: key, feed: feed,
          creates: creates)))
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
