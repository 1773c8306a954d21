import CommuteCore

/// The record with fields of several rules, to which everything happens that happens to others.
extension World {
  /// A user edits a field of it, makes it, or deletes it.
  mutating func writeItem(on number: Int) {
    guard let book else { return }
    let record = devices[number].file.records[Stage.item]
    let view = record.view
    if view == nil, choices.oneIn(4) { return seedItem(on: number) }
    if let view, view.deleted == nil, choices.oneIn(book.isReviving ? 5 : 20) {
      return deleteItem(on: number)
    }
    if view?.deleted != nil, !book.isReviving {
      return withdrawDeletion(of: Stage.item, on: number)
    }
    if choices.oneIn(12) { return seedItem(on: number) }
    let field = choices.draw(book.rules.count)
    let name = book.names[field]
    guard
      let (edit, noted) = book.draw(field, shown: view?.fields[name], in: record, &choices)
    else { return }
    let changed = transactItem(on: number) { (record, id, context) throws(WriteRefusal) in
      view == nil
        ? try record.create([name: edit], operation: id, context: &context)
        : try record.change([name: edit], operation: id, context: &context)
    }
    guard let changed, changed.contains(name) else { return }
    if book.rules[field] == .rising, noted.amount < 0 { blame(21, "a total that only rises fell") }
    note(noted, in: field, on: number)
    tell("device \(number) writes \(book.rules[field]) \(edit) over \(noted.parent)")
    checkView(Stage.item, on: number)
  }

  /// Notes an edit that the last row of the record carries.
  mutating func note(_ edit: RuleEdit, in field: Int, on number: Int) {
    var edit = edit
    edit.device = number
    edit.version = devices[number].file.version
    report.writes += 1
    guard let edited = book?.oracle.wrote(edit) else { return }
    book?.note(edited, in: field, of: devices[number].file.records[Stage.item])
  }

  private mutating func seedItem(on number: Int) {
    guard devices[number].file.records[Stage.item].view?.deleted == nil,
      let (values, noted) = book?.seed(&choices)
    else { return }
    let changed = transactItem(on: number) { (record, id, context) throws(WriteRefusal) in
      try record.seed(values, operation: id, context: &context)
    }
    guard let changed, !changed.isEmpty else { return }
    report.writes += 1
    tell("device \(number) seeds the item")
    for entry in noted where book.map({ changed.contains($0.names[entry.field]) }) ?? false {
      book?.note(entry.number, in: entry.field, of: devices[number].file.records[Stage.item])
    }
    checkView(Stage.item, on: number)
  }

  private mutating func deleteItem(on number: Int) {
    let changed = transactItem(on: number) { (record, id, context) throws(WriteRefusal) in
      record.delete(operation: id, context: &context) ? [""] : []
    }
    guard changed?.isEmpty == false else { return }
    report.writes += 1
    tell("device \(number) deletes the item")
  }

  /// Runs a write as a transaction; nil where it was refused, which only a total that was to fall
  /// is.
  private mutating func transactItem(
    on number: Int,
    _ body: (inout DeviceRecord, OperationID, inout WriteContext) throws(WriteRefusal) -> [Key]
  ) -> [Key]? {
    let rows = devices[number].file.records[Stage.item].rows
    let identifier = newIdentifier(choices.oneIn(refusal) ? SimulatedServer.refused : 0)
    let id = OperationID(high: identifier.high, low: identifier.low)
    let wall = wall(of: number)
    devices[number].begin()
    var refusal: WriteRefusal?
    let changed = devices[number].withRecord(Stage.item) { record, device in
      var context = WriteContext(clock: device.clock, wall: wall, schema: 2)
      var changed: [Key] = []
      do throws(WriteRefusal) {
        changed = try body(&record, id, &context)
      } catch {
        refusal = error
      }
      device.clock = context.clock
      return changed
    }
    devices[number].commit(full: choices.draw(3) == 1)
    if let refusal {
      if case .cannotFall = refusal { return nil }
      blame(7, "a write was refused: \(refusal.message)")
      return nil
    }
    book?.inherit(rows, in: devices[number].file.records[Stage.item], by: id)
    return changed
  }

  // MARK: - Judging

  /// Sums and sets show what the device knows, its own edits included.
  mutating func checkItem(_ record: DeviceRecord) {
    book?.checkView(record)
    readBook()
  }

  /// Judges what the server made of an operation that it applied.
  mutating func noteItem(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, _ outcome: Settlement.Outcome,
    of request: SyncRequest, wasDeleted: Bool
  ) {
    var conflicts: [ConflictEntry] = []
    for key in outcome.changedRecords where key.table == ConflictEntry.table {
      guard let state = server.state.records[key]?.state, state.deleted == nil else { continue }
      guard let conflict = ConflictEntry(key: key, state: state) else {
        blame(22, "a conflict cannot be read")
        continue
      }
      if conflict.record == operation.key { conflicts.append(conflict) }
    }
    book?.judge(
      operation, verdict, after: server.held[Stage.item], wasDeleted: wasDeleted,
      isOfOtherEpoch: operation.epoch.map { $0 != server.state.epoch } ?? false,
      conflicts: conflicts, isOfCopy: operation.replica != request.replica)
    readBook()
  }

  /// The server told that another machine counts under the same id: what is pending is counted
  /// anew.
  mutating func recount(_ told: [RecordMessage], from old: ReplicaID, on number: Int) {
    for message in told {
      let record = self.number(of: message.key)
      let rows = devices[number].file.records[record].rows
      let isDeleted = devices[number].file.records[record].view?.deleted != nil
      // What goes with its record is not counted anew.
      if isDeleted, rows.contains(where: { $0.operation.counts(under: old) }) {
        book?.mayHideCounts = true
      }
      let identifier = newIdentifier()
      let id = OperationID(high: identifier.high, low: identifier.low)
      let wall = wall(of: number)
      let moved = devices[number].withRecord(record) { state, device in
        var context = WriteContext(clock: device.clock, wall: wall, schema: 2)
        let moved = state.recount(
          told: message.state, from: old, operation: id, context: &context)
        device.clock = context.clock
        return moved
      }
      guard !moved.isEmpty else { continue }
      reach(.recounted)
      tell("device \(number) counts anew: \(moved.map(\.amount))")
      book?.recounted(
        moved, rows: rows, by: id, on: number, version: devices[number].file.version + 1)
    }
  }

  // MARK: - Conflicts

  /// Conflicts that the server wrote are told like other records.
  mutating func tellConflicts(_ changed: [RecordKey]) {
    for key in changed where key.table == ConflictEntry.table {
      guard let feed = server.state.records[key]?.feed else { continue }
      roster.add(key, of: feed)
      if roster.knows(key) { server.readAgain(number(of: key), in: roster) }
    }
    guard let first = devices.first, first.file.records.count < roster.keys.count else { return }
    for number in devices.indices { devices[number].fill(from: roster) }
  }
}
