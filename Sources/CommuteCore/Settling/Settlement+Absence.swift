/// Devices that were away for long, or come with another history than the server's.
extension Settlement {
  /// What keeps an operation or offer of a feed from being judged; nil where nothing does.
  ///
  /// A device that has not read the deletions that were purged must first read the feed anew, to
  /// its end; one whose grant is another one, too.
  func feedRefusal(
    of id: OperationID, _ feed: Key, request: SyncRequest, in state: ServerState
  ) -> Verdict? {
    guard let head = state.heads[feed] else { return nil }
    // Whatever the request asks about: a verdict must not tell of a feed that was taken away.
    if let reason = head.revoked {
      return Verdict(id: id, kind: .rejected(.forbidden, message: reason))
    }
    if head.isReadOnly {
      return Verdict(
        id: id,
        kind: .rejected(.forbidden, message: "you may read the feed \(feed.text), not change it"))
    }
    for part in request.feeds where part.feed == feed {
      #if PLANTED
        if Planted.isActive(.fenceIgnored) { return nil }
      #endif
      if case .reset = FeedReading(part, head: head) {
        return Verdict(id: id, kind: .later(.reset, afterMilliseconds: 0))
      }
    }
    return nil
  }

  /// Refuses what may have been applied before its replica was retired: nobody remembers.
  ///
  /// Counters, maxima and minima are the same however often they are merged.
  func expiry(
    of operation: Operation, request: SyncRequest, stored: StoredRecord?, in state: ServerState
  ) -> Verdict? {
    #if PLANTED
      if Planted.isActive(.retiredAccepted) { return nil }
    #endif
    guard state.retired.contains(operation.replica), request.again.contains(operation.id) else {
      return nil
    }
    if let stored, stored.state.deleted == nil, operation.isRepeatable { return nil }
    return rejection(
      of: operation, .expired,
      "it may have been applied before, and the device was away for too long to tell",
      record: stored?.state)
  }

  /// Judges an offer: the record as another device knew it under an earlier epoch.
  func judge(
    _ offer: SyncRequest.Offer, of request: SyncRequest, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) -> Verdict {
    guard takesOffers else {
      return Verdict(id: offer.id, kind: .later(.offers, afterMilliseconds: 3_600_000))
    }
    if let refusal = feedRefusal(of: offer.id, offer.feed, request: request, in: state) {
      return refusal
    }
    let stored = state.records[offer.record.key]
    if let (code, message) = refusal(
      of: offer, request: request, stored: stored, in: state, time: time)
    {
      // A record of another feed is not told: whether the user may read it is not known here.
      let told = stored.flatMap { $0.feed == offer.feed ? $0.state : nil }
      return Verdict(
        id: offer.id, kind: .rejected(code, message: message), revision: told?.revision,
        record: told.map { RecordMessage(key: offer.record.key, state: $0) })
    }
    return take(offer, over: stored, in: &state, outcome: &outcome, time: time, user: user)
  }

  private func refusal(
    of offer: SyncRequest.Offer, request: SyncRequest, stored: StoredRecord?,
    in state: ServerState, time: Int64
  ) -> (RejectionCode, String)? {
    if let stored, stored.feed != offer.feed {
      return (.feed, "the record belongs to another feed")
    }
    if !request.feeds.contains(where: { $0.feed == offer.feed }) {
      return (.feed, "the request does not ask about the feed \(offer.feed.text)")
    }
    if stored == nil, state.hasStub(of: offer.record.key) {
      return (.gone, "the record was deleted long ago")
    }
    if isLate(offer.record.state.revision?.epoch, in: state, time: time) {
      return (.late, "only this device still has it, from a history that ended long ago")
    }
    return nil
  }

  /// Whether an epoch ended longer ago than records of it are taken.
  ///
  /// An epoch that nothing is known of ended when the present one began.
  private func isLate(_ epoch: Epoch?, in state: ServerState, time: Int64) -> Bool {
    #if PLANTED
      if Planted.isActive(.lateOffersTaken) { return false }
    #endif
    if epoch == state.epoch { return false }
    let known = state.ancestry.first { $0.epoch == epoch } ?? state.ancestry.last
    guard let known else { return false }
    let (age, overflow) = time.subtractingReportingOverflow(known.ended)
    return !overflow && age > retention
  }

  /// Merges an offer by the stamps that were settled before, whatever the rules of its fields.
  ///
  /// Where a value carries another origin than its stamp, a claim was settled anew: the memory of
  /// that is regained from it.
  private func take(
    _ offer: SyncRequest.Offer, over stored: StoredRecord?, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) -> Verdict {
    let key = offer.record.key
    var offered = offer.record.state
    for index in offered.fields.entries.indices {
      let name = offered.fields.entries[index].name
      let field = FieldKey(record: key, field: name)
      var value = offered.fields[position: index]
      let settled = settledStamp(
        value.stamp, of: field, replica: value.origin.replica, in: &state, outcome: &outcome,
        time: time)
      if settled != value.stamp {
        value.stamp = settled
      } else if value.origin != value.stamp, !value.origin.isFloor {
        regain(value, of: field, in: &state, outcome: &outcome)
      }
      offered.fields[position: index] = value
    }
    if let deleted = offered.deleted {
      offered.deleted = settledStamp(
        deleted, of: FieldKey(record: key, field: ""), replica: deleted.replica, in: &state,
        outcome: &outcome, time: time)
    }
    let before = stored?.state ?? RecordState()
    var after =
      stored == nil ? offered : before.merged(with: offered, schema: tables[key.table])
    #if PLANTED
      if Planted.isActive(.offerAsEdit) {
        after = before
        for entry in offered.fields.entries { after.fields[entry.name] = entry.value }
      }
    #endif
    // What the present history holds of its own, it does not learn from anybody.
    if offered.revision?.epoch == state.epoch { after = before }
    mend(&after, of: key, in: state)
    if let refusal = keyRefusal(
      of: after, before: stored?.state, key: key, feed: offer.feed, in: state)
    {
      return verdict(of: refusal, on: offer.id, key: key, before: stored?.state)
    }
    guard !isTooLarge(after, key: key) else {
      return Verdict(
        id: offer.id,
        kind: .rejected(
          .tooLarge, message: "the record would take more than \(Limits.mergedBytes) bytes"),
        revision: before.revision,
        record: stored.map { RecordMessage(key: key, state: $0.state) })
    }
    if stored == nil || !after.saysSame(as: before) {
      raise(
        &after, key: key, feed: offer.feed, in: &state, outcome: &outcome, user: user)
    } else {
      after = before
    }
    return Verdict(
      id: offer.id, kind: .applied, revision: after.revision,
      record: RecordMessage(key: key, state: after))
  }

  /// Remembers under which stamp a claim was settled by a history that is lost.
  private func regain(
    _ value: FieldState, of field: FieldKey, in state: inout ServerState, outcome: inout Outcome
  ) {
    #if PLANTED
      if Planted.isActive(.memoryNotRegained) { return }
    #endif
    guard remembered(value.origin, of: field, in: state) == nil else { return }
    let memory = Restamp(
      claimed: value.origin, settled: value.stamp, replica: value.origin.replica)
    state.restamps[field, default: []].append(memory)
    outcome.restamps.append((field, memory))
  }
}

extension ServerState {
  /// Whether a record was purged.
  func hasStub(of key: RecordKey) -> Bool {
    #if PLANTED
      if Planted.isActive(.stubForgotten) { return false }
    #endif
    return stubs.contains(key)
  }
}

extension RecordState {
  /// Whether both hold the same, revision and author aside.
  func saysSame(as other: RecordState) -> Bool {
    fields == other.fields && deleted == other.deleted && unknown == other.unknown
  }
}

extension Operation {
  /// Whether it changes nothing more when it is settled a second time, whatever came between:
  /// counters, maxima and minima only.
  var isRepeatable: Bool {
    guard deleted == nil, revives == nil, !fields.isEmpty else { return false }
    return fields.entries.allSatisfy { entry in
      switch entry.value.rule {
      case .growOnlyCounter, .counter, .maximum, .minimum: true
      case .latest, .set, .text, .serverWins, .clientWins, .keepBoth: false
      }
    }
  }
}
