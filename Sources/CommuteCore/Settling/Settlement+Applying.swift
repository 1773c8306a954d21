extension Settlement {
  /// Settles an operation that nothing refuses into the record's state.
  func apply(
    _ operation: Operation, to stored: StoredRecord?, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) -> Verdict {
    let before = stored?.state ?? RecordState()
    var after = before
    var settling = FieldSettling(operation: operation, before: before, time: time, user: user)
    settleFields(&settling, into: &after, in: &state, outcome: &outcome)
    let settled = settling.settled
    var deleted: Stamp?
    if let claimed = operation.deleted {
      let stamp = settleDeletion(
        claimed, of: operation, before: before, in: &state, outcome: &outcome, time: time)
      if stamp != claimed { deleted = stamp }
      after.deleted = after.deleted.map { max($0, stamp) } ?? stamp
      if rule(of: operation.key.table) == .editRevives { after.reviveIfEdited() }
    }
    mend(&after, with: &settling, in: state)
    #if PLANTED
      if Planted.isActive(.editsRevive), before.deleted != nil, !operation.fields.isEmpty {
        after.deleted = nil
      }
    #endif
    guard !isTooLarge(after, key: operation.key) else {
      return Verdict(
        id: operation.id,
        kind: .rejected(
          .tooLarge, message: "the record would take more than \(Limits.mergedBytes) bytes"),
        revision: before.revision,
        record: stored.map { RecordMessage(key: operation.key, state: $0.state) })
    }
    if let refusal = keyRefusal(
      of: after, before: stored?.state, key: operation.key, feed: operation.feed, in: state)
    {
      return verdict(
        of: refusal, on: operation.id, key: operation.key, before: stored?.state)
    }
    if let refused = objection(to: operation, before: stored?.state, after: after, user: user) {
      return refused
    }
    if after != before || stored == nil {
      raise(
        &after, key: operation.key, feed: operation.feed, in: &state, outcome: &outcome,
        user: user)
    }
    for conflict in settling.conflicts {
      write(conflict, of: operation, in: &state, outcome: &outcome, time: time, user: user)
    }
    let memory = AppliedOperation(
      digest: operation.digest, revision: after.revision, replica: operation.replica)
    if state.operations.updateValue(memory, forKey: operation.id) == nil {
      outcome.appliedOperations.append(operation.id)
    }
    var verdict = Verdict(
      id: operation.id, kind: .applied, revision: after.revision, stamps: settled,
      deleted: deleted)
    if !isEvident(operation, before: before, after: after, isNew: stored == nil) {
      verdict.record = RecordMessage(key: operation.key, state: after)
    }
    return verdict
  }

  /// Does to what an operation makes of a record what its references say.
  ///
  /// An edit brings no record back whose parent is deleted; it came to a deleted record then.
  private func mend(
    _ after: inout RecordState, with settling: inout FieldSettling, in state: ServerState
  ) {
    #if PLANTED
      if Planted.isActive(.lateChildrenKept) { return }
    #endif
    let isRevived = settling.before.deleted != nil && after.deleted == nil
    mend(&after, of: settling.operation.key, in: state)
    guard isRevived, after.deleted != nil else { return }
    after = settling.before
    settling.conflicts = []
    bury(&settling)
  }

  /// Whether a merged record would be over its limit on the wire.
  ///
  /// The estimate leaves out stamps and escapes, which make it six times as long at the most, so
  /// only records that it finds large are written to be measured.
  func isTooLarge(_ state: RecordState, key: RecordKey) -> Bool {
    guard state.approximateSize > Limits.mergedBytes / 8 else { return false }
    return RecordMessage(key: key, state: state).encodedJSON().count > Limits.mergedBytes
  }

  /// Gives the changed record the next number of its feed.
  func raise(
    _ after: inout RecordState, key: RecordKey, feed: Key, in state: inout ServerState,
    outcome: inout Outcome, user: String
  ) {
    let before = state.records[key]?.state
    var head = state.heads[feed] ?? FeedHead()
    head.head += 1
    state.heads[feed] = head
    after.revision = Revision(epoch: state.epoch, number: head.head)
    after.author = user
    #if PLANTED
      if Planted.isActive(.revisionNotRaised) {
        after.revision = state.records[key]?.state.revision ?? after.revision
      }
      if Planted.isActive(.hardDelete), after.deleted != nil {
        state.records[key] = nil
        return
      }
    #endif
    state.records[key] = StoredRecord(feed: feed, state: after)
    if !outcome.changedRecords.contains(key) { outcome.changedRecords.append(key) }
    if !outcome.raisedFeeds.contains(feed) { outcome.raisedFeeds.append(feed) }
    noteKeys(of: key, feed: feed, before: before, after: after, in: &state)
    noteDeletion(of: key, before: before, after: after, in: &state, outcome: &outcome)
  }

  /// Whether the device can tell the record from what it held and what it sent.
  ///
  /// It can if the record stood at the operation's base in this epoch, and every field was stored
  /// with value and stamp as sent.
  private func isEvident(
    _ operation: Operation, before: RecordState, after: RecordState, isNew: Bool
  ) -> Bool {
    #if PLANTED
      if Planted.isActive(.recordLeftOut) { return true }
    #endif
    guard isNew ? operation.base == nil : before.revision == operation.base else { return false }
    guard before.deleted == nil, after.deleted == operation.deleted else { return false }
    for entry in operation.fields.entries {
      // Under `latest` what was sent is what was stored; under other rules it is so once it is laid
      // over the same field.
      let change = entry.value
      let sent =
        change.rule == .latest
        ? FieldState(value: change.value, stamp: change.stamp)
        : FieldState(laying: change, over: before.fields[entry.name], stamp: change.stamp)
      guard after.fields[entry.name] == sent else { return false }
    }
    return true
  }
}
