/// What a person's decision about a refused operation does to the record it is about.
///
/// A refused operation left the line when it was refused, and the view shows what lies below it
/// since then. So discarding one changes nothing here: it is only forgotten. Making it once more,
/// or another one in its place, puts a new operation at the end of the line, apart from the changes
/// that wait already: they must not be refused with it.
extension DeviceRecord {
  /// Makes a refused operation once more, and after it those that were refused because of it.
  ///
  /// What they changed is written anew over what the view shows now: as changes of today, with
  /// totals built anew and under new ids.
  ///
  /// - Parameters:
  ///   - refused: The operations in the order they stood: one, or a creation and what stood behind
  ///     it.
  ///   - newOperation: Draws a fresh operation id.
  ///   - context: What a write needs; advanced only where something is written.
  /// - Throws: ``WriteRefusal`` where the record is not there any more; nothing has changed then.
  /// - Returns: Whether anything was queued; false where the view shows all of it already.
  @discardableResult
  public mutating func retry(
    _ refused: [Operation], newOperation: () -> OperationID, context: inout WriteContext
  ) throws(WriteRefusal) -> Bool {
    var record = apart
    var written = context
    let decided = Self.decisions(of: refused)
    for operation in refused {
      try record.redo(operation, decided: decided, newOperation: newOperation, context: &written)
    }
    return take(record, written, context: &context)
  }

  /// Makes another operation in the place of a refused one.
  ///
  /// - Parameters:
  ///   - refused: The operation that a person thought over.
  ///   - values: What the fields are to be instead; fields that keep what the view shows need not
  ///     be named. Where the operation was to make the record, they are all of it.
  ///   - newOperation: Draws a fresh operation id.
  ///   - context: What a write needs; advanced only where something is written.
  /// - Throws: ``WriteRefusal`` where the record is not there any more; nothing has changed then.
  /// - Returns: Whether anything was queued; false where the view shows all of it already.
  @discardableResult
  public mutating func replace(
    _ refused: Operation, with values: FieldMap<FieldValue>, newOperation: () -> OperationID,
    context: inout WriteContext
  ) throws(WriteRefusal) -> Bool {
    var record = apart
    var written = context
    #if PLANTED
      let values =
        Planted.isActive(.editIgnored) ? refused.fields.mapValues { $0.value } : values
    #endif
    if refused.creates, record.view == nil {
      try record.create(values, operation: newOperation(), context: &written)
    } else if !values.isEmpty {
      try record.change(values, operation: newOperation(), context: &written)
    }
    return take(record, written, context: &context)
  }

  /// Whether an operation can be made once more only after the record's creation is.
  public func lacksRecord(for refused: Operation) -> Bool {
    view == nil && !refused.creates
  }

  /// The record with rows that take no further change, so that what is written gets its own.
  private var apart: DeviceRecord {
    var record = self
    #if PLANTED
      if Planted.isActive(.retryJoinsRows) { return record }
    #endif
    for index in rows.indices { record.rows[index].isInFlight = true }
    return record
  }

  /// Takes over what was written apart.
  private mutating func take(
    _ record: DeviceRecord, _ written: WriteContext, context: inout WriteContext
  ) -> Bool {
    #if PLANTED
      if Planted.isActive(.retryJoinsRows) {
        let isChanged = rows != record.rows
        rows = record.rows
        context = written
        return isChanged
      }
    #endif
    guard record.rows.count > rows.count else { return false }
    rows.append(contentsOf: record.rows[rows.count...])
    context = written
    return true
  }

  /// What was decided of each field in the end, where it is no sum; of a set what its writer added.
  private static func decisions(of refused: [Operation]) -> FieldMap<FieldValue> {
    var decided = FieldMap<FieldValue>()
    for operation in refused {
      for entry in operation.fields.entries where !entry.value.stamp.isFloor {
        if case .tags = entry.value.detail {
          decided[entry.name] = .list(additions(to: entry.name, by: refused))
        } else if !entry.value.rule.isSummed {
          decided[entry.name] = entry.value.value
        }
      }
    }
    return decided
  }

  /// The elements that refused operations add to a set by a decision, and do not remove again.
  private static func additions(to field: Key, by refused: [Operation]) -> [String] {
    var standing: [TaggedElement] = []
    for operation in refused {
      guard case .tags(let tags)? = operation.fields[field]?.detail else { continue }
      standing += tags.added.filter { !$0.tag.isSeeded }
      standing.removeAll { tags.removed.contains($0.tag) }
    }
    return standing.map { $0.element }
  }

  private mutating func redo(
    _ refused: Operation, decided: FieldMap<FieldValue>, newOperation: () -> OperationID,
    context: inout WriteContext
  ) throws(WriteRefusal) {
    let shown = view
    var seeds = FieldMap<FieldValue>()
    var edits = FieldMap<FieldEdit>()
    for entry in refused.fields.entries {
      let edit = entry.value.edit(over: shown?.fields[entry.name])
      #if PLANTED
        if Planted.isActive(.retriedSeedsDecided) {
          edits.append(entry.name, edit)
          continue
        }
      #endif
      let parts = entry.value.parts(of: edit, in: key, field: entry.name)
      // A decision for what was seeded would change nothing over the seed, and stay one.
      let own = decided[entry.name]
      if let seeded = parts.seeded?.leavingOut(decided: own, isSet: entry.value.rule == .set) {
        seeds.append(entry.name, seeded)
      }
      if let own = parts.own { edits.append(entry.name, own) }
    }
    // What nobody had decided stays so: it gives way to what others wrote meanwhile.
    if !seeds.isEmpty { try seed(seeds, operation: newOperation(), context: &context) }
    if refused.creates, view == nil {
      try create(edits, operation: newOperation(), context: &context)
    } else if !edits.isEmpty {
      try change(edits, operation: newOperation(), context: &context)
    }
    #if PLANTED
      if Planted.isActive(.retryLosesDeletion) { return }
    #endif
    if refused.deleted != nil { delete(operation: newOperation(), context: &context) }
  }
}

extension OperationField {
  /// What a change seeds, which is everybody's, and what its writer did.
  ///
  /// Both stand in one row where somebody counts, or collects, before what was seeded is sent; a
  /// seed that came back as its writer's own share would be counted once for each who seeded it.
  fileprivate func parts(
    of edit: FieldEdit, in record: RecordKey, field: Key
  ) -> (seeded: FieldValue?, own: FieldEdit?) {
    switch (detail, edit) {
    case (.total(let shares), .count(let up, let down)):
      guard let seed = shares.first(where: { $0.replica == CounterState.seed }) else {
        return (nil, edit)
      }
      let seeded = FieldEdit.count(up: seed.up, down: seed.down).seeded
      let isAll = up == seed.up && down == seed.down
      return (seeded, isAll ? nil : .count(up: up &- seed.up, down: down &- seed.down))
    case (.tags(let tags), .elements(_, var removed)):
      var seeded: [String] = []
      var own: [String] = []
      for one in tags.added {
        let tag = ElementTag.seeded(in: record, field: field, element: one.element)
        if one.tag == tag { seeded.append(one.element) } else { own.append(one.element) }
        // Of what was seeded and then removed both are in the row.
        if one.tag == tag, tags.removed.contains(tag), !removed.hasElement(one.element) {
          removed.append(one.element)
        }
      }
      guard stamp.isFloor || !seeded.isEmpty else { return (nil, edit) }
      let isAll = own.isEmpty && removed.isEmpty
      return (.list(seeded), isAll ? nil : .elements(insert: own, remove: removed))
    default: return stamp.isFloor ? (edit.seeded, nil) : (nil, edit)
    }
  }
}

extension FieldValue {
  /// What is still to be seeded where a person has decided, too; nil for nothing.
  fileprivate func leavingOut(decided: FieldValue?, isSet: Bool) -> FieldValue? {
    guard isSet, case .list(let seeded) = self, case .list(let own)? = decided else {
      return self == decided ? nil : self
    }
    let left = seeded.filter { one in !own.contains { $0.hasSameBytes(as: one) } }
    return left.isEmpty && !own.isEmpty ? nil : .list(left)
  }
}

extension FieldEdit {
  /// The value of a field that is seeded with what the edit makes of nothing.
  fileprivate var seeded: FieldValue {
    switch self {
    case .set(let value), .resolve(let value): value
    case .count(let up, let down): .integer(CounterTotal(up: up, down: down).value)
    case .elements(let inserted, _): .list(inserted)
    }
  }
}

extension OperationField {
  /// What the change wanted, for a person to look at: a counter's share and a set's additions stand
  /// for themselves.
  public var wanted: FieldValue {
    switch detail {
    case .none, .replaces: value
    case .total, .tags: edit(over: nil).seeded
    }
  }
}

extension [String] {
  /// Whether one of the texts has the same bytes.
  fileprivate func hasElement(_ text: String) -> Bool {
    contains { $0.hasSameBytes(as: text) }
  }
}
