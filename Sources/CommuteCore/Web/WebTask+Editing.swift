/// What a person does on this device.
extension WebTask {
  /// Begins a device's state, or goes on with one that was kept.
  ///
  /// As at the opening of a file: where nothing kept outside the database says that it is the same,
  /// it takes a new writing identity before its first write.
  mutating func open() throws(WebRefusal) {
    let piece = try piece(0)
    if piece.elementsEqual("null".utf8) {
      guard let account = Account(owner: header.owner) else {
        throw WebRefusal(call: "an owner is a tenant and a user with a slash between them")
      }
      let replica = ReplicaID.random(using: &random)
      held.device = Device(account: account, clock: HybridClock(replica: replica))
    } else {
      held = try WebCall.read(piece) { (reader) throws(JSONFault) in try reader.heldDevice() }
      let reason = held.device.renewalReason(
        host: header.host, bootChanged: false, cleanEnd: true)
      if reason != nil { held.device.renewReplica(to: ReplicaID.random(using: &random)) }
    }
    try enter(header.feed)
  }

  /// Takes note that records of a feed are read and written here.
  mutating func enter(_ feed: Key) throws(WebRefusal) {
    if held.device.feeds[feed] != nil || feed == "" { return }
    guard held.device.feeds.count < Limits.feeds else {
      throw WebRefusal(WireError.tooLarge(.feeds, at: 0, path: ""))
    }
    held.device.feeds[feed] = FeedState()
  }

  /// Makes, changes or deletes a record.
  mutating func edit(into output: inout WebOutput) throws(WebRefusal) {
    var context = context
    var record = try target(1)
    let operation = OperationID.random(using: &random)
    var changed: [Key] = []
    var isChanged = false
    do throws(WriteRefusal) {
      switch header.action {
      case "create":
        changed = try record.create(header.edits, operation: operation, context: &context)
        isChanged = true
      case "seed":
        var values = FieldMap<FieldValue>()
        for entry in header.edits.entries {
          if case .set(let value) = entry.value { values.append(entry.name, value) }
        }
        changed = try record.seed(values, operation: operation, context: &context)
      case "delete": isChanged = record.delete(operation: operation, context: &context)
      case "withdraw":
        isChanged = record.withdrawDeletion(operation: operation, by: held.device.replica)
      default: changed = try record.change(header.edits, operation: operation, context: &context)
      }
    } catch {
      throw WebRefusal(error)
    }
    output.note("changed") { writer in
      writer.append(0x5B)
      for name in changed {
        writer.separate()
        writer.text(name.text)
      }
      writer.append(0x5D)
    }
    output.note("id", record.key.id.text)
    try write(record, isChanged: isChanged || !changed.isEmpty, context, into: &output)
  }

  /// The record that an edit is about, as it is held or new.
  private mutating func target(_ index: Int) throws(WebRefusal) -> DeviceRecord {
    try checkKinds()
    if let record = try record(index) { return record }
    let wall = UInt64(clamping: header.wall)
    let id = header.id ?? RecordID.new(milliseconds: wall, using: &random)
    return DeviceRecord(
      key: RecordKey(table: header.table, id: id), feed: header.feed,
      table: schema?.tables[header.table])
  }

  /// Refuses values that their fields cannot hold.
  private func checkKinds() throws(WebRefusal) {
    guard let table = schema?.tables[header.table] else { return }
    for entry in header.edits.entries {
      guard let field = table.fields[entry.name] else {
        throw WebRefusal(table.name, cannotHold: entry.name)
      }
      switch entry.value {
      case .set(let value), .resolve(let value):
        guard field.admits(value) else { throw WebRefusal(table.name, cannotHold: entry.name) }
      case .count, .elements: break
      }
    }
  }

  /// Gives back what a person's change left of a record, if it may be as large as that.
  private mutating func write(
    _ record: DeviceRecord, isChanged: Bool, _ context: WriteContext,
    into output: inout WebOutput
  ) throws(WebRefusal) {
    output.note("isChanged", if: isChanged)
    var record = record
    if isChanged {
      if let view = record.view, view.deleted == nil {
        let message = RecordMessage(key: record.key, state: view)
        let bytes = view.approximateSize * 6 > Limits.recordBytes ? message.encodedJSON().count : 0
        guard bytes <= Limits.recordBytes else {
          throw WebRefusal(
            WriteRefusal.tooLarge(record.key, bytes: bytes, limit: Limits.recordBytes))
        }
      }
      try enter(record.feed)
      held.device.clock = context.clock
      held.lineUp(&record)
    }
    output.record(record)
  }

  /// Makes refused operations once more, or another one in the place of the first.
  mutating func redo(into output: inout WebOutput) throws(WebRefusal) {
    var context = context
    var refused: [Operation] = []
    for index in pieces.indices.dropFirst(2) {
      let rejection = try WebCall.read(try piece(index)) { (reader) throws(JSONFault) in
        try reader.heldRejection()
      }
      refused.append(rejection.row.operation)
    }
    guard let first = refused.first else { throw WebRefusal(call: "an inbox entry is missing") }
    header.table = first.key.table
    header.id = first.key.id
    header.feed = first.feed
    var record = try target(1)
    var isChanged = false
    var random = random
    do throws(WriteRefusal) {
      if header.call == "retry" {
        isChanged = try record.retry(
          refused, newOperation: { OperationID.random(using: &random) }, context: &context)
      } else {
        var values = FieldMap<FieldValue>()
        for entry in header.edits.entries {
          if case .set(let value) = entry.value { values.append(entry.name, value) }
        }
        isChanged = try record.replace(
          first, with: values, newOperation: { OperationID.random(using: &random) },
          context: &context)
      }
    } catch {
      throw WebRefusal(error)
    }
    try write(record, isChanged: isChanged, context, into: &output)
  }

  /// Writes the lost value of a conflict once more, and deletes the conflict.
  mutating func restore(into output: inout WebOutput) throws(WebRefusal) {
    guard var conflict = try record(1), let state = conflict.view,
      let entry = ConflictEntry(key: conflict.key, state: state)
    else { throw WebRefusal(call: "this is no conflict any more") }
    var context = context
    guard var record = try record(2) else { throw WebRefusal(.noSuchRecord(entry.record)) }
    let changed: [Key]
    do throws(WriteRefusal) {
      changed = try record.change(
        [entry.field: entry.restoring], operation: OperationID.random(using: &random),
        context: &context)
    } catch {
      throw WebRefusal(error)
    }
    conflict.delete(operation: OperationID.random(using: &random), context: &context)
    try write(record, isChanged: !changed.isEmpty, context, into: &output)
    try write(conflict, isChanged: true, context, into: &output)
  }
}
