import CommuteCore

extension World {
  /// A user of a device writes something.
  mutating func write(on number: Int) {
    if book != nil, choices.draw(3) < (losesMachines ? 2 : 1) { return writeItem(on: number) }
    var record = choices.draw(choices.draw(6) < 5 ? hotRecords : Stage.plainCount)
    // Whole circles of new records, more of them than a request carries.
    if makesCircles, let new = newRecord(on: number) { record = new }
    guard let view = devices[number].file.records[record].view else {
      if makesCircles || choices.draw(2) == 0 {
        create(record, on: number)
      } else {
        seed(record, nil, on: number)
      }
      return
    }
    guard view.deleted == nil else { return withdrawDeletion(of: record, on: number) }
    switch choices.draw(16) {
    case 15: delete(record, view, on: number)
    case 11...13 where deletesOften: delete(record, view, on: number)
    case 14: seed(record, view, on: number)
    default: change(record, view, on: number)
    }
  }

  /// Runs one local write as a transaction; what it changed is told to the oracle.
  private mutating func transact(
    _ record: Int, over before: RecordState?, on number: Int, isSeed: Bool = false,
    _ body: (inout DeviceRecord, OperationID, inout WriteContext) throws(WriteRefusal) -> [Key]
  ) {
    let refused = choices.oneIn(refusal) ? SimulatedServer.refused : 0
    let identifier = newIdentifier(refused)
    let id = OperationID(high: identifier.high, low: identifier.low)
    let wall = wall(of: number)
    let schema = schema(of: number)
    #if PLANTED
      let old = devices[number].file.records[record]
    #endif
    devices[number].begin()
    var refusal: WriteRefusal?
    let changed = devices[number].withRecord(record) { state, device in
      var context = WriteContext(clock: device.clock, wall: wall, schema: schema)
      var changed: [Key] = []
      do throws(WriteRefusal) {
        changed = try body(&state, id, &context)
      } catch {
        refusal = error
      }
      device.clock = context.clock
      return changed
    }
    #if PLANTED
      if losesRow(of: old, changed, before: before, isSeed: isSeed, on: number) { return }
    #endif
    devices[number].commit(full: choices.draw(3) == 1)
    if let refusal {
      blame(7, "a write was refused: \(refusal.message)")
      return
    }
    if !changed.isEmpty { report.writes += 1 }
    for name in changed {
      let field = stage.field(name, of: record)
      noteWrite(record, field, name, before: before, isSeed: isSeed, on: number)
    }
    checkView(record, on: number)
    checkSizes(record, on: number)
  }

  #if PLANTED
    /// The row is put into the outbox in a second transaction, and the process dies before it.
    private mutating func losesRow(
      of old: DeviceRecord, _ changed: [Key], before: RecordState?, isSeed: Bool, on number: Int
    ) -> Bool {
      guard Planted.isActive(.splitTransaction), !changed.isEmpty, choices.oneIn(4) else {
        return false
      }
      let record = self.number(of: old.key)
      for name in changed {
        noteWrite(
          record, stage.field(name, of: record), name, before: before, isSeed: isSeed, on: number)
      }
      devices[number].withRecord(record) { state, _ in state = old }
      devices[number].commit(full: true)
      kill(number)
      checkView(record, on: number)
      return true
    }
  #endif

  /// Tells the oracle of one field that a write changed.
  mutating func noteWrite(
    _ record: Int, _ field: Int, _ name: Key, before: RecordState?, isSeed: Bool, on number: Int
  ) {
    let last = devices[number].file.records[record].rows.count - 1
    guard last >= 0,
      let written = devices[number].file.records[record].rows[last].operation.fields[name]
    else { return }
    let seen = before?.fields[name]
    tell(
      "device \(number) writes \(stage.records[record].table.text) \(record) \(name.text) "
        + "'\(Content(written.value).text)' at \(Self.describe(written.stamp))"
        + (seen.map { " over \(Self.describe($0.stamp))" } ?? ""))
    blame(
      oracle.wrote(
        device: number, place: Stage.place(record, field), content: Content(written.value),
        claimed: Moment(written.stamp),
        seen: seen.map {
          (content: Content($0.value), origin: Moment($0.origin), stamp: Moment($0.stamp))
        },
        version: devices[number].file.version, isSeed: isSeed))
  }

  private mutating func create(_ record: Int, on number: Int) {
    var values = FieldMap<FieldValue>()
    for field in 0..<Stage.fieldCount
    where field == 0 || choices.draw(3) < 2 && knows(field, number) {
      values[stage.fields[record][field]] = newValue(record, field, on: number)
    }
    let isNeedy = makesCircles || choices.oneIn(2)
    let needs = isNeedy ? pendingCreation(besides: record, on: number) : nil
    transact(record, over: nil, on: number) { (state, id, context) throws(WriteRefusal) in
      let changed = try state.create(values, operation: id, context: &context)
      if let needs { state.rows[state.rows.count - 1].operation.needs = [needs] }
      return changed
    }
    // The first one may refer to this one in its turn.
    if let needs, choices.oneIn(2) {
      close(root(of: needs, on: number), to: stage.records[record], on: number)
    }
  }

  /// A record that a device has never heard of.
  private func newRecord(on number: Int) -> Int? {
    (0..<Stage.plainCount).first { devices[number].file.records[$0].view == nil }
  }

  /// The record at the end of a line of new ones of which each needs the next.
  private func root(of key: RecordKey, on number: Int) -> RecordKey {
    var at = key
    for _ in 0..<Stage.plainCount {
      let row = devices[number].file.records[self.number(of: at)].rows.first
      guard let row, let next = row.operation.needs.first else { break }
      at = next
    }
    return at
  }

  /// Lets a new record refer to another one, so that the two need each other.
  private mutating func close(_ key: RecordKey, to other: RecordKey, on number: Int) {
    devices[number].begin()
    devices[number].withRecord(self.number(of: key)) { state, device in
      guard let row = state.rows.first, row.operation.creates, !row.isInFlight,
        row.operation.needs.isEmpty, row.operation.replica == device.replica
      else { return }
      state.rows[0].operation.needs = [other]
    }
    devices[number].commit(full: false)
    reach(.circle)
  }

  /// A record that is new on a device and that the server does not have yet, to be referred to.
  private func pendingCreation(besides record: Int, on number: Int) -> RecordKey? {
    // The latest is the likelier to stand in a line.
    for state in devices[number].file.records[..<Stage.plainCount].reversed()
    where state.key != stage.records[record] {
      if let row = state.rows.first, row.operation.creates { return state.key }
    }
    return nil
  }

  private mutating func change(_ record: Int, _ view: RecordState, on number: Int) {
    var first = onlyField ?? choices.draw(Stage.fieldCount)
    if !knows(first, number) { first = 0 }
    var values = FieldMap<FieldValue>()
    values[stage.fields[record][first]] = newValue(record, first, on: number)
    if choices.oneIn(4) {
      let second = choices.draw(Stage.fieldCount)
      if knows(second, number) {
        values[stage.fields[record][second]] = newValue(record, second, on: number)
      }
    } else if choices.oneIn(8), let old = earlierValue(record, first, view, on: number) {
      values[stage.fields[record][first]] = old
      reach(.changedBack)
    }
    transact(record, over: view, on: number) { (state, id, context) throws(WriteRefusal) in
      try state.change(values, operation: id, context: &context)
    }
  }

  /// The value that was there before a pending change, to be put back.
  private func earlierValue(
    _ record: Int, _ field: Int, _ view: RecordState, on number: Int
  ) -> FieldValue? {
    let name = stage.fields[record][field]
    let row = devices[number].file.records[record].rows.last
    guard let old = row?.operation.fields[name]?.base, old != view.fields[name]?.value else {
      return nil
    }
    return old
  }

  private mutating func seed(_ record: Int, _ view: RecordState?, on number: Int) {
    var values = FieldMap<FieldValue>()
    for field in 0..<Stage.fieldCount
    where field == 2 || choices.draw(2) == 1 && knows(field, number) {
      values[stage.fields[record][field]] = stage.seed(record, field, version: choices.draw(3))
    }
    transact(record, over: view, on: number, isSeed: true) {
      (state, id, context) throws(WriteRefusal) in
      try state.seed(values, operation: id, context: &context)
    }
  }

  private mutating func delete(_ record: Int, _ view: RecordState, on number: Int) {
    transact(record, over: view, on: number) { (state, id, context) throws(WriteRefusal) in
      _ = state.delete(operation: id, context: &context)
      return []
    }
    guard devices[number].file.records[record].rows.last?.operation.deleted != nil else { return }
    report.writes += 1
    noteDeletion(of: record, on: number)
  }

  /// Tells the oracle of the deletion that the last row carries.
  mutating func noteDeletion(of record: Int, on number: Int) {
    let file = devices[number].file
    guard let stamp = file.records[record].rows.last?.operation.deleted else { return }
    tell("device \(number) deletes record \(record) at \(Self.describe(stamp))")
    blame(
      oracle.wrote(
        device: number, place: Stage.deletion(of: record), content: .nothing,
        claimed: Moment(stamp), seen: nil, version: file.version))
  }

  mutating func withdrawDeletion(of record: Int, on number: Int) {
    let identifier = newIdentifier()
    let id = OperationID(high: identifier.high, low: identifier.low)
    let rows = devices[number].file.records[record].rows
    devices[number].begin()
    let isWithdrawn = devices[number].withRecord(record) { state, device in
      state.withdrawDeletion(operation: id, by: device.replica)
    }
    devices[number].commit(full: false)
    if record == Stage.item {
      book?.inherit(rows, in: devices[number].file.records[record], by: id)
    }
    guard isWithdrawn, isPlain(record) else { return }
    report.writes += 1
    reach(.withdrawn)
    tell("device \(number) takes the deletion of record \(record) back")
    oracle.withdrew(
      device: number, Stage.deletion(of: record), version: devices[number].file.version)
  }

  /// Whether a device's app knows a field: the older version lacks one, keeps it, and sends on what
  /// it holds of it.
  private func knows(_ field: Int, _ device: Int) -> Bool { field != 1 || !devices[device].isOld }

  mutating func newValue(_ record: Int, _ field: Int, on device: Int) -> FieldValue {
    uniqueValues += 1
    let style = choices.draw(4)
    let value = stage.value(record, field, number: uniqueValues, style: style == 3 ? 0 : style)
    return devices[device].isOld ? stage.older(value, record, field) : value
  }
}
