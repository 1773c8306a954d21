import CommuteCore

/// What people decide about what was refused, and about values that lost.
extension World {
  /// Somebody looks into an inbox and decides about one entry.
  mutating func decide() {
    let start = choices.draw(devices.count)
    for offset in devices.indices {
      let number = (start + offset) % devices.count
      let open = openEntries(on: number)
      let conflicts = conflicts(on: number)
      guard !open.isEmpty || !conflicts.isEmpty else { continue }
      if open.isEmpty || !conflicts.isEmpty && choices.draw(2) == 1 {
        return decide(conflicts[choices.draw(conflicts.count)], on: number)
      }
      return decide(about: open[choices.draw(open.count)], on: number)
    }
    deliver()
  }

  private func openEntries(on number: Int) -> [Int] {
    let file = devices[number].file
    return file.inbox.indices.filter { !file.decided.contains($0) }
  }

  /// The entry and those that were refused only because of it.
  private func group(of entry: Int, on number: Int) -> [Int] {
    let file = devices[number].file
    return file.inbox.indices.filter {
      !file.decided.contains($0) && ($0 == entry || file.inbox[$0].behind == entry)
    }
  }

  private mutating func decide(about entry: Int, on number: Int) {
    let kind = choices.draw(5)
    let group = group(of: entry, on: number)
    if kind == 0 {
      devices[number].begin()
      devices[number].withFile { $0.decided += group }
      devices[number].commit(full: false)
      reach(.discarded)
      return tell("device \(number) discards \(group.count) refused operations")
    }
    let refused = devices[number].file.inbox[entry]
    let key = refused.rejection.row.operation.key
    let record = self.number(of: key)
    let held = devices[number].file.records[record]
    let needsCreation =
      refused.behind != nil && held.lacksRecord(for: refused.rejection.row.operation)
    // A person first makes the record again, or writes it anew.
    if needsCreation { return deliver() }
    let isItem = record == Stage.item
    if isItem, !mayMakeOnceMore(group, on: number) { return deliver() }
    if kind == 1, !isItem, isPlain(record) {
      edit(refused.rejection.row.operation, group, record, on: number)
    } else {
      retry(group, record, on: number)
    }
  }

  /// Whether a value that comes twice tells nothing wrong of the item: of sums and sets it does
  /// not.
  private func mayMakeOnceMore(_ group: [Int], on number: Int) -> Bool {
    guard let book, !book.isReviving else { return false }
    return group.allSatisfy { index in
      devices[number].file.inbox[index].rejection.row.operation.fields.entries.allSatisfy {
        $0.value.rule.isSummed
      }
    }
  }

  // MARK: - Once more

  private mutating func retry(_ group: [Int], _ record: Int, on number: Int) {
    let operations = group.map { devices[number].file.inbox[$0].rejection.row.operation }
    let shown = devices[number].file.records[record].view
    let isDone = redo(group, record, on: number) { (state, ids, context) throws(WriteRefusal) in
      try state.retry(operations, newOperation: ids, context: &context)
    }
    guard isDone else {
      let view = devices[number].file.records[record].view
      let lacksDeletion = operations.contains { $0.deleted != nil } && view?.deleted == nil
      if lacksDeletion, view != nil, devices[number].file.decided.contains(group[0]) {
        blame(13, "a deletion that was refused is not made once more")
      }
      return
    }
    reach(group.count > 1 ? .retriedBehind : .retried)
    checkRetried(operations, record, over: shown, on: number)
  }

  private mutating func edit(
    _ operation: CommuteCore.Operation, _ group: [Int], _ record: Int, on number: Int
  ) {
    var values = FieldMap<FieldValue>()
    for entry in operation.fields.entries {
      values[entry.name] = newValue(
        record, stage.field(entry.name, of: record), on: number)
    }
    let isDone = redo(group, record, on: number) { (state, ids, context) throws(WriteRefusal) in
      try state.replace(operation, with: values, newOperation: ids, context: &context)
    }
    guard isDone else { return }
    reach(.edited)
    let view = devices[number].file.records[record].view
    for entry in values.entries where view?.fields[entry.name]?.value != entry.value {
      blame(5, "an edit of a refused operation is not on device \(number)'s screen")
    }
  }

  /// Puts what was refused in line once more, in one transaction with its leaving the inbox.
  private mutating func redo(
    _ group: [Int], _ record: Int, on number: Int,
    _ body: (inout DeviceRecord, () -> OperationID, inout WriteContext) throws(WriteRefusal) -> Bool
  ) -> Bool {
    let before = devices[number].file.records[record]
    let view = before.view
    var ids: [OperationID] = []
    for _ in 0..<(group.count * 3) {
      let identifier = newIdentifier(choices.oneIn(8) ? SimulatedServer.refused : 0)
      ids.append(OperationID(high: identifier.high, low: identifier.low))
    }
    let wall = wall(of: number)
    let schema = schema(of: number)
    devices[number].begin()
    var isRefused = false
    let isQueued = devices[number].withRecord(record) { state, device in
      var context = WriteContext(clock: device.clock, wall: wall, schema: schema)
      var isQueued = false
      do throws(WriteRefusal) {
        isQueued = try body(&state, { ids.popLast() ?? OperationID(high: 0, low: 1) }, &context)
      } catch {
        isRefused = true
      }
      device.clock = context.clock
      return isQueued
    }
    if !isRefused { devices[number].withFile { $0.decided += group } }
    devices[number].commit(full: choices.draw(3) == 1)
    let rows = devices[number].file.records[record].rows
    tell(
      "device \(number) makes \(group.count) refused operations of record \(record) once more:"
        + " \(isRefused ? "refused" : isQueued ? "queued" : "nothing to do")")
    guard isQueued else {
      if rows != before.rows {
        blame(13, "what was refused once more has changed device \(number)")
      }
      return false
    }
    decided.insert(record)
    if rows.count != before.rows.count + 1 {
      blame(13, "what was refused is made once more in a row that waits already")
    }
    noteRedone(record, over: view, on: number)
    return true
  }

  /// Tells the oracle of everything that the last row carries.
  private mutating func noteRedone(_ record: Int, over view: RecordState?, on number: Int) {
    guard let row = devices[number].file.records[record].rows.last else { return }
    report.writes += 1
    if record == Stage.item {
      noteRedone(row.operation, over: view, on: number)
    } else if isPlain(record) {
      for entry in row.operation.fields.entries {
        noteWrite(
          record, stage.field(entry.name, of: record), entry.name, before: view,
          isSeed: entry.value.stamp.isFloor, on: number)
      }
      if row.operation.deleted != nil { noteDeletion(of: record, on: number) }
    }
    checkView(record, on: number)
  }

  /// Tells the book of sums and sets that are counted and collected once more.
  private mutating func noteRedone(
    _ operation: CommuteCore.Operation, over view: RecordState?, on number: Int
  ) {
    guard let book else { return }
    var before = devices[number].file.records[Stage.item]
    before.rows.removeLast()
    for entry in operation.fields.entries {
      guard let field = book.field(entry.name) else { continue }
      // A seed that stands in one row with a decision stays part of the sum, as everybody's.
      var own = RuleEdit()
      var seed = RuleEdit(isSeed: true)
      switch entry.value.detail {
      case .total(let shares):
        for share in shares {
          let amount = Int(share.up) - Int(share.down)
          if share.replica == CounterState.seed {
            seed.amount += amount
          } else {
            own.amount += amount
          }
        }
      case .tags(let tags):
        var additions: [Int] = []
        for addition in tags.added {
          let element = Int(addition.element.dropFirst()) ?? 0
          let seeded = ElementTag.seeded(
            in: operation.key, field: entry.name, element: addition.element)
          if addition.tag == seeded {
            seed.added.append((-element, element))
            // It was seeded and removed, and both were refused.
            if tags.removed.contains(seeded) { own.removed.append(-element) }
          } else {
            additions.append(element)
          }
        }
        // The number that the edit will have, behind that of the seed.
        let name = book.oracle.edits.count + (seed.isSomething ? 2 : 1)
        for (index, element) in additions.enumerated() {
          own.added.append((name + index * 100_000, element))
        }
        let known = book.known(field, in: before)
        let removed = view?.fields[entry.name]?.set.additions.filter {
          tags.removed.contains($0.tag)
        }
        for addition in removed ?? [] {
          let element = Int(addition.element.dropFirst()) ?? 0
          own.removed += known.added.filter { $0.element == element }.map(\.name)
        }
      case .none, .replaces: continue
      }
      for edit in [seed, own] where edit.isSomething {
        note(edit, in: field, on: number)
        report.writes -= 1
      }
    }
  }

  // MARK: - Conflicts

  /// The conflicts that a device lists.
  private func conflicts(on number: Int) -> [ConflictEntry] {
    var entries: [ConflictEntry] = []
    for record in devices[number].file.records.dropFirst(Stage.recordCount) {
      guard record.base != nil || !record.rows.isEmpty, let view = record.view,
        let entry = ConflictEntry(key: record.key, state: view),
        entry.isAddressed(to: devices[number].file.device)
      else { continue }
      entries.append(entry)
    }
    return entries
  }

  private mutating func decide(_ conflict: ConflictEntry, on number: Int) {
    let record = self.number(of: conflict.record)
    checkAddressed(conflict, record)
    if choices.draw(2) == 1, isPlain(record) || conflict.mayBeCountedTwice {
      restore(conflict, record, on: number)
    } else {
      devices[number].begin()
      dismiss(conflict, on: number)
      devices[number].commit(full: false)
      reach(.conflictDismissed)
      tell("device \(number) dismisses a conflict of record \(record)")
    }
  }

  /// A conflict tells a value that was written, of the device to which it is addressed.
  private mutating func checkAddressed(_ conflict: ConflictEntry, _ record: Int) {
    if !conflict.replicas.contains(conflict.lostOrigin.replica) {
      blame(22, "a conflict is addressed to others than the one whose value lost")
    }
    guard isPlain(record) else { return }
    let place = Stage.place(record, stage.field(conflict.field, of: record))
    if oracle.find(place, Content(conflict.lost), Moment(conflict.lostOrigin), of: 0) == 0 {
      blame(22, "a conflict tells a value that nobody wrote")
    }
  }

  /// The value that lost is written once more, and the conflict goes.
  private mutating func restore(_ conflict: ConflictEntry, _ record: Int, on number: Int) {
    let before = devices[number].file.records[record]
    guard let view = before.view, view.deleted == nil else { return deliver() }
    let identifier = newIdentifier()
    let id = OperationID(high: identifier.high, low: identifier.low)
    let wall = wall(of: number)
    let schema = schema(of: number)
    devices[number].begin()
    var refusal: WriteRefusal?
    let changed = devices[number].withRecord(record) { state, device in
      var context = WriteContext(clock: device.clock, wall: wall, schema: schema)
      var changed: [Key] = []
      do throws(WriteRefusal) {
        changed = try state.change(
          [conflict.field: conflict.restoring], operation: id, context: &context)
      } catch {
        refusal = error
      }
      device.clock = context.clock
      return changed
    }
    if refusal == nil { dismiss(conflict, on: number) }
    devices[number].commit(full: false)
    if let refusal {
      if case .cannotFall = refusal { return }
      return blame(7, "a lost value cannot be restored: \(refusal.message)")
    }
    reach(.conflictRestored)
    tell("device \(number) restores a lost value of record \(record)")
    if record == Stage.item {
      book?.inherit(before.rows, in: devices[number].file.records[record], by: id)
      guard let field = book?.field(conflict.field), case .add(let amount) = conflict.amount,
        !changed.isEmpty
      else { return }
      note(RuleEdit(amount: amount), in: field, on: number)
    } else {
      if !changed.isEmpty { report.writes += 1 }
      for name in changed {
        noteWrite(
          record, stage.field(name, of: record), name, before: view, isSeed: false, on: number)
      }
      let shown = devices[number].file.records[record].view?.fields[conflict.field]?.value
      if shown != conflict.lost { blame(5, "a lost value that was restored is not on the screen") }
    }
    checkView(record, on: number)
  }

  private mutating func dismiss(_ conflict: ConflictEntry, on number: Int) {
    let key = RecordKey(table: ConflictEntry.table, id: conflict.id)
    let identifier = newIdentifier()
    let wall = wall(of: number)
    devices[number].withRecord(self.number(of: key)) { state, device in
      var context = WriteContext(clock: device.clock, wall: wall, schema: 2)
      state.delete(
        operation: OperationID(high: identifier.high, low: identifier.low), context: &context)
      device.clock = context.clock
    }
  }
}

extension ConflictEntry {
  fileprivate enum Amount {
    case none
    case add(Int)
  }

  /// By how much a counter changes where the second count is taken back.
  fileprivate var amount: Amount {
    guard case .count(let up, let down) = restoring else { return .none }
    return .add(Int(up) - Int(down))
  }
}
