import CommuteCore

/// What users of a world of rules do.
extension RuleWorld {
  /// A user edits a field, or makes the record.
  mutating func write(on device: Int) {
    let field = choices.draw(book.rules.count)
    let view = devices[device].record.view
    if view == nil, choices.oneIn(4) { return seed(on: device) }
    let name = book.names[field]
    let record = devices[device].record
    guard
      let (edit, noted) = book.draw(field, shown: view?.fields[name], in: record, &choices)
    else { return }
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      view == nil
        ? try record.create([name: edit], operation: id, context: &context)
        : try record.change([name: edit], operation: id, context: &context)
    }
    guard let changed, changed.contains(name) else { return }
    if book.rules[field] == .rising, noted.amount < 0 { blame(21, "a total that only rises fell") }
    writes += 1
    let number = book.oracle.wrote(noted)
    tell("\(device) writes \(book.rules[field]) \(number): \(edit) over \(noted.parent)")
    book.note(number, in: field, of: devices[device].record)
    book.checkView(devices[device].record)
  }

  /// Several devices write the same without anybody having decided it.
  mutating func seed(on device: Int) {
    let (values, noted) = book.seed(&choices)
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      try record.seed(values, operation: id, context: &context)
    }
    guard let changed, !changed.isEmpty else { return }
    writes += 1
    tell("\(device) seeds \(changed.map(\.text))")
    for entry in noted where changed.contains(book.names[entry.field]) {
      book.note(entry.number, in: entry.field, of: devices[device].record)
    }
    book.checkView(devices[device].record)
  }

  mutating func delete(on device: Int) {
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      record.delete(operation: id, context: &context) ? [""] : []
    }
    if changed?.isEmpty == false { tell("\(device) deletes the record") }
  }

  /// Runs a write; nil where it was refused, which only a total that was to fall is.
  private mutating func transact(
    on device: Int,
    _ body: (inout DeviceRecord, OperationID, inout WriteContext) throws(WriteRefusal) -> [Key]
  ) -> [Key]? {
    let id = newIdentifier(choices.oneIn(12) ? Self.refused : 0)
    var record = devices[device].record
    var context = WriteContext(
      clock: devices[device].clock, wall: time + devices[device].skew, schema: 1)
    let changed: [Key]
    do throws(WriteRefusal) {
      changed = try body(&record, id, &context)
    } catch {
      guard case .cannotFall = error else {
        blame(7, "a write was refused: \(error.message)")
        return nil
      }
      return nil
    }
    let old = devices[device].record.rows
    book.inherit(old, in: record, by: id)
    for index in record.rows.indices where record.rows[index].order == 0 {
      record.rows[index].order = (old.last?.order ?? 0) + 1
    }
    devices[device].record = record
    devices[device].clock = context.clock
    return changed
  }
}
