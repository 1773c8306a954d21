/// The rules that only the server carries out: functions of the change and the current field.
///
/// Whatever they put in the place of a value is stamped by the server's own clock, above that value
/// and above what the writer had seen.
extension Settlement {
  /// Settles one field by a rule that the server decides.
  ///
  /// - Returns: The field as it is then, and the stamp under which the change was settled.
  func decide(
    _ change: OperationField, of name: Key, _ current: FieldState?,
    _ settling: inout FieldSettling, in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    guard let current else {
      // Even where nothing is replaced a stamp of the server's own keeps the future out.
      if change.stamp.isFloor {
        return (FieldState(value: change.value, stamp: .floor), .floor)
      }
      let stamp = decidedStamp(above: .floor, change, settling, in: &state)
      return (first(change, stamp: stamp), stamp)
    }
    if change.stamp.isFloor {
      return (FieldState(laying: change, over: current, stamp: .floor), .floor)
    }
    // The same write again, under another operation id.
    if current.origin == change.stamp { return (current, current.stamp) }
    switch change.rule {
    case .clientWins: return decideClientWins(change, of: name, current, &settling, in: &state)
    case .keepBoth: return decideKeepBoth(change, current, settling, in: &state)
    case .text: return decideText(change, of: name, current, &settling, in: &state)
    default: return decideServerWins(change, of: name, current, &settling, in: &state)
    }
  }

  /// The first value of a field.
  private func first(_ change: OperationField, stamp: Stamp) -> FieldState {
    var field = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
    if change.rule.keepsState { note(change.stamp, in: &field) }
    return field
  }

  /// Notes that a claim was settled in a field.
  private func note(_ claim: Stamp, in field: inout FieldState) {
    var decided = field.decided
    decided.note(claim)
    field.merge = decided.json
  }

  /// A stamp of the server above a value and above what the writer had seen.
  ///
  /// Nobody has seen a value from the future: such an `over` would drag the clock along.
  private func decidedStamp(
    above current: Stamp, _ change: OperationField, _ settling: FieldSettling,
    in state: inout ServerState
  ) -> Stamp {
    let over = change.over?.stamp ?? .floor
    let seen = isFromFuture(over, time: settling.time) ? .floor : over
    return serverStamp(above: max(current, seen), in: &state, time: settling.time)
  }

  /// The value stays where the writer had not seen it.
  private func decideServerWins(
    _ change: OperationField, of name: Key, _ current: FieldState,
    _ settling: inout FieldSettling, in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    if loses(change, to: current) {
      let offered = FieldState(value: change.value, stamp: change.stamp)
      settling.note(name, rule: change.rule, lost: offered, kept: current, isOwn: true)
      return (current, current.stamp)
    }
    return replace(current, by: change, settling, in: &state)
  }

  /// Whether a value was settled that is later than what the writer had seen, and another one.
  private func loses(_ change: OperationField, to current: FieldState) -> Bool {
    if current.origin.isFloor { return false }
    #if PLANTED
      if Planted.isActive(.serverWinsAlways) { return true }
      if Planted.isActive(.serverWinsNever) { return false }
    #endif
    guard let over = change.over else { return true }
    return over.stamp < current.stamp && over.origin != current.origin
  }

  private func replace(
    _ current: FieldState, by change: OperationField, _ settling: FieldSettling,
    in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    let stamp = decidedStamp(above: current.stamp, change, settling, in: &state)
    var field = FieldState(
      value: change.value, stamp: stamp, origin: change.stamp, merge: current.merge)
    if change.rule.keepsState { note(change.stamp, in: &field) }
    return (field, stamp)
  }

  /// The writer's value wins against anything it had not seen, but not twice, and not out of
  /// another history.
  private func decideClientWins(
    _ change: OperationField, of name: Key, _ current: FieldState,
    _ settling: inout FieldSettling, in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    let isOfOtherEpoch = settling.operation.epoch.map { $0 != state.epoch } ?? false
    #if PLANTED
      let winsAgain = Planted.isActive(.clientWinsAlways)
    #else
      let winsAgain = false
    #endif
    if !winsAgain, isOfOtherEpoch || current.decided.hasSettled(change.stamp) {
      return decideServerWins(change, of: name, current, &settling, in: &state)
    }
    let result = replace(current, by: change, settling, in: &state)
    if !knew(current, change) {
      settling.note(name, rule: .clientWins, lost: current, kept: result.field, isOwn: false)
    }
    return result
  }

  /// The value stands beside those that its writer did not replace.
  private func decideKeepBoth(
    _ change: OperationField, _ current: FieldState, _ settling: FieldSettling,
    in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    if current.decided.hasSettled(change.stamp) { return (current, current.stamp) }
    let stamp = decidedStamp(above: current.stamp, change, settling, in: &state)
    var field = FieldState(adding: change, beside: current, stamp: stamp)
    note(change.stamp, in: &field)
    return (field, stamp)
  }

  /// The text is merged by words with what was written meanwhile.
  private func decideText(
    _ change: OperationField, of name: Key, _ current: FieldState,
    _ settling: inout FieldSettling, in state: inout ServerState
  ) -> (field: FieldState, stamp: Stamp) {
    if current.decided.hasSettled(change.stamp) { return (current, current.stamp) }
    let isLater = current.stamp < change.stamp || current.origin.isFloor
    let mine = FieldState(value: change.value, stamp: change.stamp)
    let merged = TextMerge.merge(
      base: change.base ?? .null, mine: change.value, theirs: current.value, mineIsLater: isLater)
    var result = replace(current, by: change, settling, in: &state)
    result.field.value = merged.value
    if merged.isConflict, !current.origin.isFloor {
      // The earlier one lost, unless the later one left nothing in the place.
      let keepsCurrent = merged.value == current.value
      if merged.value == mine.value || isLater && !keepsCurrent {
        settling.note(name, rule: .text, lost: current, kept: result.field, isOwn: false)
      } else {
        var kept = result.field
        kept.origin = current.origin
        settling.note(name, rule: .text, lost: mine, kept: kept, isOwn: true)
      }
    }
    return result
  }
}
