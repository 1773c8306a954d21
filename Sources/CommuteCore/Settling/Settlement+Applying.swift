extension Settlement {
  /// Settles an operation that nothing refuses into the record's state.
  func apply(
    _ operation: Operation, to stored: StoredRecord?, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) -> Verdict {
    let before = stored?.state ?? RecordState()
    var after = before
    var settled = FieldMap<Stamp>()
    var deleted: Stamp?
    // Under `deleteWins` a deleted record stays as it is: the operation is settled by its
    // tombstone.
    if before.deleted == nil {
      for entry in operation.fields.entries {
        #if PLANTED
          if Planted.isActive(.rowLevelMerge), operation.isOlder(than: before) { break }
        #endif
        let stamp = settleField(
          entry.name, entry.value, of: operation, before: before, after: &after, in: &state,
          outcome: &outcome, time: time)
        if stamp != entry.value.stamp { settled[entry.name] = stamp }
      }
    }
    if let claimed = operation.deleted {
      let stamp = settleDeletion(
        claimed, of: operation, in: &state, outcome: &outcome, time: time)
      if stamp != claimed { deleted = stamp }
      after.deleted = before.deleted.map { max($0, stamp) } ?? stamp
    }
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
    if let refused = objection(to: operation, before: stored?.state, after: after, user: user) {
      return refused
    }
    if after != before || stored == nil {
      raise(
        &after, key: operation.key, feed: operation.feed, in: &state, outcome: &outcome,
        user: user)
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
    if !outcome.changedRecords.contains(key) {
      outcome.changedRecords.append(key)
    }
    if !outcome.raisedFeeds.contains(feed) { outcome.raisedFeeds.append(feed) }
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
    guard after.deleted == operation.deleted else { return false }
    for entry in operation.fields.entries {
      guard let field = after.fields[entry.name], field.stamp == entry.value.stamp,
        field.origin == entry.value.stamp, field.value == entry.value.value, field.merge.isEmpty
      else { return false }
    }
    return true
  }

  /// Settles one field by the rule `latest`.
  ///
  /// - Returns: The stamp under which it was settled, whether it won or not.
  private func settleField(
    _ name: Key, _ change: OperationField, of operation: Operation, before: RecordState,
    after: inout RecordState, in state: inout ServerState, outcome: inout Outcome, time: Int64
  ) -> Stamp {
    let current = before.fields[name]
    var stamp = change.stamp
    if !stamp.isFloor {
      if let current, isOlderClaim(change.stamp, than: current) { return current.stamp }
      let memory = FieldKey(record: operation.key, field: name)
      if let known = remembered(stamp, of: memory, in: state) {
        stamp = known
      } else if isFromFuture(stamp, time: time) || isOvertaken(stamp, of: memory, in: state) {
        stamp = restamp(
          stamp, floor: causalFloor(of: change, current: current), of: memory, in: &state,
          outcome: &outcome, replica: operation.replica, time: time)
      }
      if let current, hasSeen(current, change), !(current.stamp < stamp) {
        stamp = serverStamp(above: current.stamp, in: &state, time: time)
      }
    }
    let offered = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
    guard let current else {
      after.fields[name] = offered
      return stamp
    }
    #if PLANTED
      if Planted.isActive(.serverIgnoresFloor), change.stamp.isFloor {
        after.fields[name] = offered
        return stamp
      }
    #endif
    if offered.wins(over: current) { after.fields[name] = offered }
    return stamp
  }

  /// Settles a deletion: only a stamp from the future is changed.
  private func settleDeletion(
    _ claimed: Stamp, of operation: Operation, in state: inout ServerState,
    outcome: inout Outcome, time: Int64
  ) -> Stamp {
    let memory = FieldKey(record: operation.key, field: "")
    if let known = remembered(claimed, of: memory, in: state) { return known }
    guard isFromFuture(claimed, time: time) else { return claimed }
    return restamp(
      claimed, floor: .floor, of: memory, in: &state, outcome: &outcome,
      replica: operation.replica, time: time)
  }

  /// Whether the writer had seen the value that is current; equal floors mean nothing.
  private func hasSeen(_ current: FieldState, _ change: OperationField) -> Bool {
    #if PLANTED
      if Planted.isActive(.seenIgnored) { return false }
    #endif
    guard let over = change.over, !current.origin.isFloor else { return false }
    return over.origin == current.origin
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
    guard let current, !(over < current.stamp) || hasSeen(current, change) else { return over }
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
