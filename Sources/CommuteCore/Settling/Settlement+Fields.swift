extension Settlement {
  /// The rule of a table's records.
  func rule(of table: Key) -> RecordRule { tables[table]?.rule ?? .deleteWins }

  /// Settles the fields of an operation.
  ///
  /// Under `deleteWins` a deleted record stays as it is: the operation is settled by its tombstone.
  /// Under `editRevives` it lives again if an edit is later than its deletion.
  func settleFields(
    _ settling: inout FieldSettling, into after: inout RecordState, in state: inout ServerState,
    outcome: inout Outcome
  ) {
    let operation = settling.operation
    let before = settling.before
    if before.deleted != nil, rule(of: operation.key.table) == .deleteWins {
      bury(&settling)
      return
    }
    for entry in operation.fields.entries {
      #if PLANTED
        if Planted.isActive(.rowLevelMerge), operation.isOlder(than: before) { break }
      #endif
      let current = before.fields[entry.name]
      let result = settle(
        entry.value, of: entry.name, current, &settling, in: &state, outcome: &outcome)
      if result.field != current { after.fields[entry.name] = result.field }
      if result.stamp != entry.value.stamp { settling.settled[entry.name] = result.stamp }
    }
    guard before.deleted != nil else { return }
    after.reviveIfEdited()
    if after.deleted != nil {
      after = before
      settling.conflicts = []
      bury(&settling)
    }
  }

  /// Notes the edits that came to a deleted record, unless their writer deleted it, too.
  func bury(_ settling: inout FieldSettling) {
    guard settling.operation.deleted == nil, let deletion = settling.before.deleted else { return }
    for entry in settling.operation.fields.entries {
      let change = entry.value
      let isOwn = change.stamp.replica == deletion.replica
      if isOwn || change.rule.isSummed { continue }
      settling.note(
        entry.name, rule: change.rule,
        lost: FieldState(value: change.value, stamp: change.stamp), kept: nil, isOwn: true)
    }
  }

  /// Settles one field by its rule.
  ///
  /// - Returns: The field as it is then, and the stamp under which the change was settled, whether
  ///   it won or not.
  private func settle(
    _ change: OperationField, of name: Key, _ current: FieldState?,
    _ settling: inout FieldSettling, in state: inout ServerState, outcome: inout Outcome
  ) -> (field: FieldState, stamp: Stamp) {
    switch change.rule {
    case .latest:
      return settleLatest(change, of: name, current, &settling, in: &state, outcome: &outcome)
    case .maximum, .minimum, .growOnlyCounter, .counter, .set:
      return settleAnywhere(change, of: name, current, &settling, in: &state, outcome: &outcome)
    case .serverWins, .clientWins, .keepBoth, .text:
      return decide(change, of: name, current, &settling, in: &state)
    }
  }

  /// Settles one field by the rule `latest`.
  private func settleLatest(
    _ change: OperationField, of name: Key, _ current: FieldState?,
    _ settling: inout FieldSettling, in state: inout ServerState, outcome: inout Outcome
  ) -> (field: FieldState, stamp: Stamp) {
    var stamp = change.stamp
    if !stamp.isFloor {
      if let current, isOlderClaim(change.stamp, than: current) { return (current, current.stamp) }
      let memory = FieldKey(record: settling.operation.key, field: name)
      let floor = causalFloor(of: change, current: current)
      stamp = settledStamp(
        stamp, floor: floor, mayBeOvertaken: true, of: memory,
        replica: settling.operation.replica, in: &state, outcome: &outcome, time: settling.time)
      if let current, hasSeen(current, change), !(current.stamp < stamp) {
        stamp = serverStamp(above: current.stamp, in: &state, time: settling.time)
      }
    }
    let offered = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
    guard let current else { return (offered, stamp) }
    #if PLANTED
      if Planted.isActive(.serverIgnoresFloor), change.stamp.isFloor { return (offered, stamp) }
    #endif
    guard offered.wins(over: current) else {
      if !knew(current, change) {
        settling.note(name, rule: .latest, lost: offered, kept: current, isOwn: true)
      }
      return (current, stamp)
    }
    if !knew(current, change) {
      settling.note(name, rule: .latest, lost: current, kept: offered, isOwn: false)
    }
    return (offered, stamp)
  }

  /// Settles one field by a rule that everybody decides alike.
  private func settleAnywhere(
    _ change: OperationField, of name: Key, _ current: FieldState?,
    _ settling: inout FieldSettling, in state: inout ServerState, outcome: inout Outcome
  ) -> (field: FieldState, stamp: Stamp) {
    var stamp = change.stamp
    if !stamp.isFloor {
      let memory = FieldKey(record: settling.operation.key, field: name)
      stamp = settledStamp(
        stamp, mayBeOvertaken: true, of: memory, replica: settling.operation.replica, in: &state,
        outcome: &outcome, time: settling.time)
    }
    let field = FieldState(laying: change, over: current, stamp: stamp)
    guard let current, change.rule == .maximum || change.rule == .minimum,
      !hasSeen(current, change)
    else { return (field, stamp) }
    let offered = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
    if field == current {
      settling.note(name, rule: change.rule, lost: offered, kept: current, isOwn: true)
    } else {
      settling.note(name, rule: change.rule, lost: current, kept: offered, isOwn: false)
    }
    return (field, stamp)
  }

  /// Settles a deletion: only a stamp from the future is changed.
  func settleDeletion(
    _ claimed: Stamp, of operation: Operation, before: RecordState, in state: inout ServerState,
    outcome: inout Outcome, time: Int64
  ) -> Stamp {
    // Whoever had seen the record as it is deletes all of it, also what is a little ahead.
    let floor = operation.base == before.revision ? before.greatestStamp : .floor
    return settledStamp(
      claimed, floor: floor, of: FieldKey(record: operation.key, field: ""),
      replica: operation.replica, in: &state, outcome: &outcome, time: time)
  }

  /// Whether the writer had seen the value that is current; equal floors mean nothing.
  func hasSeen(_ current: FieldState, _ change: OperationField) -> Bool {
    #if PLANTED
      if Planted.isActive(.seenIgnored) { return false }
    #endif
    guard let over = change.over, !current.origin.isFloor else { return false }
    return over.origin == current.origin
  }

  /// Whether the writer had seen the value that is current, or one that was settled later.
  ///
  /// What it had seen last may have been a value of its own that did not become current. Only where
  /// the greater stamp stands do stamps tell that.
  func knew(_ current: FieldState, _ change: OperationField) -> Bool {
    if hasSeen(current, change) { return true }
    guard let over = change.over, !current.origin.isFloor else { return false }
    return !(over.stamp < current.stamp)
  }

  /// Whether a claim comes before the one that is current, of the same replica, or is that one.
  ///
  /// A file that was put back sends what it still holds behind what had been sent from it. Where
  /// the later claim was settled under an earlier stamp, the stamps alone would say the opposite.
  private func isOlderClaim(_ claim: Stamp, than current: FieldState) -> Bool {
    guard current.origin.replica == claim.replica, current.stamp != current.origin else {
      return false
    }
    return !(current.origin < claim)
  }

  /// What a claim from the future must be settled above: what its writer had seen, and the current
  /// value if that is the one.
  private func causalFloor(of change: OperationField, current: FieldState?) -> Stamp {
    #if PLANTED
      if Planted.isActive(.seenIgnored) { return .floor }
    #endif
    let over = change.over?.stamp ?? .floor
    guard let current, hasSeen(current, change) else { return over }
    return max(over, current.stamp)
  }
}

#if PLANTED
  extension Operation {
    /// The naive rule: of two writers of one record the later one wins, with all of it.
    func isOlder(than record: RecordState) -> Bool {
      !fields.entries.contains { record.greatestStamp < $0.value.stamp }
    }
  }
#endif
