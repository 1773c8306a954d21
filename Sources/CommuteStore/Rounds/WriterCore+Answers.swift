import CommuteCore
import CommuteSQLite

/// The device's side of a round: what an answer changes, all in one transaction.
extension WriterCore {
  /// Applies an answer: verdicts, records, cursors.
  func apply(
    _ answer: SyncAnswer, roundTrip: Int64
  ) throws(StoreError) -> AppliedRound {
    let wall = options.clock.wall()
    let earlier = state.device.replica
    let reading = state.device.read(
      answer, wall: wall, roundTrip: roundTrip, newReplica: ReplicaID.random(using: &random),
      carryingOut: .all)
    var applied = AppliedRound(reading: reading)
    switch reading {
    case .ignored: return applied
    case .stop: break
    case .newEpoch(let change):
      try take(change)
      applied.more = true
      options.onPoint?(.answerApplied)
    case .renewed:
      try noteUnsettled()
      try recount(answer.renew ?? [], under: earlier)
      applied.more = true
    case .apply:
      let isCut = try settle(answer.verdicts, wall: wall, into: &applied)
      options.onPoint?(.verdictsApplied)
      let hasResetEnded = try take(answer.feeds, wall: wall, into: &applied)
      try forgetFailures(ofRound: round)
      // What was to wait for the reset's end has not had its turn.
      if hasResetEnded { round = [] }
      try learnNames(answer.devices)
      state.meta.syncedAt = wall
      state.meta.retry = nil
      state.meta.retryFailures = 0
      applied.more = answer.feeds.contains(where: \.more) || isCut
      if !applied.more { applied.more = try areOffersWaiting() }
      if !applied.more { applied.more = try areRowsWaiting() }
      options.onPoint?(.answerApplied)
    }
    round = []
    return applied
  }

  /// Applies verdicts.
  ///
  /// - Returns: Whether the server took a part and asked for the rest at once.
  private func settle(
    _ verdicts: [Verdict], wall: Int64, into applied: inout AppliedRound
  ) throws(StoreError) -> Bool {
    guard !verdicts.isEmpty else { return false }
    var isCut = false
    let keys = try keysInFlight()
    for verdict in verdicts {
      let offered = keys[verdict.id] == nil ? try key(ofOffer: verdict.id) : nil
      guard let key = keys[verdict.id] ?? offered else { continue }
      let outcome = try settleApart(
        verdict, of: key, isOffer: offered != nil, wall: wall, into: &applied)
      try putInbox(outcome.rejections, wall: wall)
      applied.rejected += outcome.rejections.count
      if outcome.isSettled, outcome.rejections.isEmpty {
        if offered == nil { applied.settled += 1 } else { applied.offers += 1 }
      }
      if !outcome.isSettled { applied.deferred += 1 }
      if case .later(.unavailable, afterMilliseconds: 0) = verdict.kind { isCut = true }
    }
    // Without progress the rest has to wait, or rounds would follow each other without end.
    return isCut && applied.settled + applied.rejected + applied.offers > 0
  }

  /// Which records the operations in flight belong to.
  private func keysInFlight() throws(StoreError) -> [OperationID: RecordKey] {
    var keys: [OperationID: RecordKey] = [:]
    let statement = try speaking { () throws(SQLiteError) in
      try connection.statement("SELECT operation, tbl, id FROM c_outbox WHERE in_flight = 1")
    }
    try statement.forEach { (row) throws(StoreError) in
      keys[try row.operationID(0)] = RecordKey(
        table: Key(row.text(1)), id: try row.recordID(2))
    }
    return keys
  }

  /// Lets a record hear a verdict; where the record cannot be applied then, it is kept aside.
  private func settleApart(
    _ verdict: Verdict, of key: RecordKey, isOffer: Bool, wall: Int64,
    into applied: inout AppliedRound
  ) throws(StoreError) -> DeviceRecord.Outcome {
    do throws(StoreError) {
      return try connection.savepoint { () throws(StoreError) in
        let outcome = try settle(verdict, of: key, wall: wall)
        // What is decided of an offer is decided of what was kept aside, too.
        if verdict.record != nil || isOffer && outcome.isSettled, try hasQuarantine {
          try releaseQuarantine(key)
        }
        return outcome
      }
    } catch {
      guard error.isAboutOneRecord else { throw error }
      applied.quarantined += 1
      return try settleAside(verdict, of: key, wall: wall, reason: error.message)
    }
  }

  /// Takes the operation out of the line, and keeps aside what the server told: the row stays as
  /// it is.
  private func settleAside(
    _ verdict: Verdict, of key: RecordKey, wall: Int64, reason: String
  ) throws(StoreError) -> DeviceRecord.Outcome {
    guard let shape = shapes.shape(named: key.table) else { throw .corrupt(reason: reason) }
    var loaded = try load(key.id, in: shape)
    let outcome = hear(verdict, &loaded.record, wall: wall)
    try saveOutbox(of: loaded)
    if let base = loaded.record.base {
      try quarantine(
        RecordMessage(key: key, state: base), feed: loaded.record.feed, reason: reason)
    }
    return outcome
  }

  /// Lets a record hear the verdict on its offer or on its operation in flight.
  private func hear(
    _ verdict: Verdict, _ record: inout DeviceRecord, wall: Int64
  ) -> DeviceRecord.Outcome {
    if record.offer?.id == verdict.id {
      return record.settleOffer(verdict, clock: &state.device.clock, wall: wall)
    }
    return record.settle(
      verdict, author: state.device.account.user, clock: &state.device.clock, wall: wall)
  }

  /// Lets a record hear the verdict on its offer or on its operation in flight, and saves it.
  func settle(
    _ verdict: Verdict, of key: RecordKey, wall: Int64
  ) throws(StoreError) -> DeviceRecord.Outcome {
    guard let shape = shapes.shape(named: key.table) else {
      var loaded = try loadUnknown(key, feed: Key(""))
      let outcome = hear(verdict, &loaded.record, wall: wall)
      try saveUnknown(loaded)
      return outcome
    }
    var loaded = try load(key.id, in: shape)
    let shown = loaded.record.view
    let outcome = hear(verdict, &loaded.record, wall: wall)
    #if PLANTED
      if PlantedStore.isActive(.acknowledgeByRecord), outcome.isSettled {
        loaded.record.rows.removeAll()
      }
    #endif
    try save(loaded, in: shape, changed: shape.difference(shown, loaded.record.view))
    return outcome
  }

  /// Replaces what the server last told of one record.
  func absorb(
    _ message: RecordMessage, feed: Key, in shape: TableShape?
  ) throws(StoreError) {
    let key = message.key
    guard let shape else {
      return try connection.savepoint { () throws(StoreError) in
        var loaded = try loadUnknown(key, feed: feed)
        loaded.record.absorb(message.state, clock: &state.device.clock)
        try saveUnknown(loaded)
      }
    }
    guard !pending.contains(key.id) else {
      return try connection.savepoint { () throws(StoreError) in
        var loaded = try load(key.id, in: shape, feed: feed)
        loaded.record.absorb(message.state, clock: &state.device.clock)
        try save(loaded, in: shape)
      }
    }
    // Nothing of the device's own lies over it: base and view are what the server tells.
    message.state.observeStamps(with: &state.device.clock)
    if message.state.deleted == nil {
      try replaceRow(message.state, id: key.id, feed: feed, in: shape)
      try deleteTombstone(key)
    } else {
      try deleteRow(key.id, in: shape)
      try putTombstone(message.state, key: key, feed: feed)
      note(shape.slot, key.id, CommittedChange.everything)
    }
  }

  /// Takes note of the names of the devices behind stamps.
  private func learnNames(_ devices: [SyncAnswer.Device]) throws(StoreError) {
    for device in devices {
      let number = names.number(of: device.replica)
      try speaking { () throws(SQLiteError) in
        try connection.run(
          """
          INSERT INTO c_replica(number, replica, name, own)
          VALUES (\(number), \(device.replica.text), \(device.name), 0)
          ON CONFLICT (number) DO UPDATE SET name = excluded.name WHERE name <> excluded.name
          """)
      }
    }
  }
}

extension TableShape {
  /// The fields that differ between two views that are both shown; nil where one is not.
  func difference(_ one: RecordState?, _ other: RecordState?) -> UInt64? {
    guard let one, let other, one.deleted == nil, other.deleted == nil else { return nil }
    var mask: UInt64 = 0
    for (index, field) in layout.fields.enumerated()
    where one.fields[field.name]?.value != other.fields[field.name]?.value {
      mask |= 1 << UInt64(index)
    }
    return mask
  }
}
