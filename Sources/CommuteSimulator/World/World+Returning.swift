import CommuteCore

/// The device's side of long absences: resets, other epochs, subscriptions that ended.
extension World {
  /// The records of a feed by number.
  func records(of feed: Key) -> [Int] {
    roster.keys.indices.filter { roster.feeds[$0] == feed }
  }

  /// A device learns that the server writes another history, and offers what may be lost.
  mutating func take(_ change: EpochChange, on number: Int) {
    reach(.newEpoch)
    for record in devices[number].sentRecords {
      devices[number].withRecord(record) { state, _ in state.noteUnsettled() }
    }
    for record in roster.keys.indices {
      let held = devices[number].file.records[record]
      guard held.base != nil || held.offer != nil else { continue }
      let identifier = newIdentifier()
      let wasOffered = held.offer != nil
      let isOffered = devices[number].withRecord(record) { state, _ in
        state.offerAgain(
          after: change, id: OperationID(high: identifier.high, low: identifier.low))
      }
      if wasOffered, devices[number].file.records[record].offer == nil {
        blame(13, "device \(number) no longer offers record \(record)")
      }
      guard isOffered else { continue }
      if record == Stage.item { book?.offers(devices[number].file.records[record], before: held) }
      reach(wasOffered ? .offerJoined : .offered)
      tell("device \(number) will offer record \(record) again")
    }
    devices[number].withFile { $0.told = 0 }
    devices[number].commit(full: false)
    memory[number].cursors = [0, 0]
    for record in roster.keys.indices { checkView(record, on: number) }
    report(.answered(more: true), on: number)
  }

  /// Takes a feed's part of an answer.
  mutating func take(_ part: SyncAnswer.Feed, touched: inout [Int], on number: Int) {
    let members = records(of: part.feed)
    checkReset(part, on: number)
    let turn = devices[number].withDevice { $0.turn(to: part) }
    if part.records.count > Int(Self.pageRecords) { blame(18, "a page carries too much") }
    if part.more { reach(.pageCut) }
    switch turn {
    case .read: absorb(part, touched: &touched, on: number)
    case .reset(let begins, let ends):
      if memory[number].mustBegin, !begins {
        blame(11, "device \(number) goes on with a reset that began anew")
      }
      memory[number].mustBegin = false
      if begins {
        reach(devices[number].isToldOf(members) ? .resetRestarted : .resetBegun)
        devices[number].withFile { $0.forgetTold(members) }
        memory[number].cursors[stage.number(of: part.feed)] = 0
      }
      absorb(part, touched: &touched, on: number)
      for message in part.records {
        let record = self.number(of: message.key)
        devices[number].withFile { $0.noteTold(record) }
      }
      if ends {
        checkTold(part.feed, members, on: number)
        sweep(members, touched: &touched, on: number)
      }
    case .revoked(let reason):
      memory[number].cursors[stage.number(of: part.feed)] = 0
      for record in members { revoke(record, reason: reason, on: number) }
      forgetCounts(on: number)
    }
  }

  /// Keeps account of what a reset tells, apart from the device.
  private mutating func checkReset(_ part: SyncAnswer.Feed, on number: Int) {
    let index = stage.number(of: part.feed)
    if let known = devices[number].file.device.feeds[part.feed]?.grant, known != part.grant,
      part.reset == nil, part.revoked == nil
    {
      blame(2, "device \(number) goes on reading under another grant")
    }
    guard let fence = part.reset else { return memory[number].resets[index] = nil }
    let isInside = devices[number].file.device.feeds[part.feed]?.reset != nil
    var reset = memory[number].resets[index]
    if !isInside || reset.map({ $0.fence != fence || $0.grant != part.grant }) ?? false {
      if isInside { memory[number].mustBegin = true }
      reset = ResetMemory(fence: fence, grant: part.grant)
    }
    for message in part.records { reset?.told |= 1 << UInt64(self.number(of: message.key)) }
    memory[number].resets[index] = reset
  }

  /// What the device kept of a reset is what this reset has told.
  private mutating func checkTold(_ feed: Key, _ members: [Int], on number: Int) {
    guard let reset = memory[number].resets[stage.number(of: feed)] else { return }
    for record in members where (reset.told ^ devices[number].file.told) >> record & 1 == 1 {
      blame(11, "device \(number) takes record \(record) for told by a reset, or not, wrongly")
    }
  }

  private mutating func absorb(
    _ part: SyncAnswer.Feed, touched: inout [Int], on number: Int
  ) {
    for message in part.records {
      let record = self.number(of: message.key)
      devices[number].withRecord(record) { state, device in
        state.absorb(message.state, clock: &device.clock)
      }
      touched.append(record)
    }
  }

  /// The reset has ended: what it did not tell is gone.
  private mutating func sweep(_ records: [Int], touched: inout [Int], on number: Int) {
    for record in records
    where devices[number].file.told & (1 << UInt64(record)) == 0 {
      let before = devices[number].file.records[record]
      guard before.base != nil || !before.rows.isEmpty else { continue }
      let replica = devices[number].file.device.replica
      let rejections = devices[number].withRecord(record) { state, _ in
        state.sweep(by: replica)
      }
      tell("device \(number) sweeps record \(record): \(rejections.count) to the inbox")
      if before.base != nil { reach(.sweptRecord) }
      if !rejections.isEmpty { reach(.sweptRows) }
      takeIntoInbox(rejections, on: number)
      checkSwept(before, rejections, by: replica, on: number)
      let after = devices[number].file.records[record]
      if after.rows.isEmpty, after.offer == nil {
        release(record, on: number)
      } else if after.offer == nil {
        reach(.keptCreation)
      }
      touched.append(record)
    }
    devices[number].withFile { $0.forgetTold(records) }
  }

  /// What a reset did not tell goes to the inbox, unless it was certainly never sent.
  private mutating func checkSwept(
    _ before: DeviceRecord, _ rejections: [Rejection], by replica: ReplicaID, on number: Int
  ) {
    guard before.offer == nil, let first = before.rows.first else { return }
    let isUnsent =
      first.operation.creates && first.unanswered == 0 && first.operation.replica == replica
    let expected = isUnsent ? 0 : before.rows.count
    if rejections.count != expected {
      blame(
        13, "a reset of device \(number) put \(rejections.count) of \(expected) rows into the inbox"
      )
    }
  }

  /// A device that forgot what it had counted counts on under another id.
  private mutating func forgetCounts(on number: Int) {
    guard let table = book?.table else { return }
    let replica = newReplica()
    let isRenewed = devices[number].withDevice {
      $0.forgetCounts(in: [table], newReplica: replica)
    }
    guard isRenewed else { return }
    reach(.forgottenCounts)
    tell("device \(number) takes a new replica id: it has forgotten what it had counted")
  }

  private mutating func revoke(_ record: Int, reason: String, on number: Int) {
    let before = devices[number].file.records[record]
    guard before.base != nil || before.offer != nil || !before.rows.isEmpty else { return }
    let rejections = devices[number].withRecord(record) { state, _ in
      state.revoke(reason: reason)
    }
    if !rejections.isEmpty { reach(.revokedRows) }
    if let offer = before.offer { noteFailed(offer, of: record, on: number) }
    takeIntoInbox(rejections.suffix(before.rows.count), on: number)
    devices[number].file(Array(rejections.dropLast(before.rows.count)))
    if rejections.count != before.rows.count + (before.offer == nil ? 0 : 1) {
      blame(13, "device \(number) lost what was pending in a feed that was taken away")
    }
    if devices[number].file.records[record].view != nil {
      blame(11, "device \(number) still shows record \(record), which was taken away")
    }
    release(record, on: number)
    memory[number].deleted &= ~(1 << UInt64(record))
  }

  /// A device no longer holds what the server once told it of a record.
  mutating func release(_ record: Int, on number: Int) {
    guard isPlain(record) else { return }
    for place in 0..<Stage.placesPerRecord {
      oracle.released(device: number, Stage.place(record, place))
    }
  }

  private mutating func takeIntoInbox(_ rejections: some Sequence<Rejection>, on number: Int) {
    let rejections = Array(rejections)
    devices[number].file(rejections)
    for rejection in rejections { noteFailed(rejection.row.operation, on: number) }
  }

  // MARK: - Offers

  /// The record whose offer a verdict is about.
  func offer(of id: OperationID, on number: Int) -> Int? {
    for record in devices[number].file.records.indices {
      if let offer = devices[number].file.records[record].offer, offer.id == id { return record }
    }
    return nil
  }

  /// Applies the verdict on an offer.
  mutating func settleOffer(_ verdict: Verdict, _ record: Int, on number: Int) {
    let wall = wall(of: number)
    guard let offer = devices[number].file.records[record].offer else { return }
    let outcome = devices[number].withRecord(record) { state, device in
      state.settleOffer(verdict, clock: &device.clock, wall: wall)
    }
    tell("device \(number) hears of its offer of record \(record): \(verdict.kind)")
    guard outcome.isSettled else { return }
    switch verdict.kind {
    case .applied, .duplicate: reach(.offerTaken)
    case .rejected(.gone, _):
      reach(.offerGone)
      release(record, on: number)
    case .rejected(let code, _):
      if code == .late { reach(.offerLate) }
      if outcome.rejections.count != 1 {
        blame(13, "device \(number) lost a record that only it still had")
      }
      devices[number].file(outcome.rejections)
      noteFailed(offer, of: record, on: number)
      release(record, on: number)
      memory[number].deleted &= ~(1 << UInt64(record))
    case .later: break
    }
  }

  /// Tells the oracle that a record which only this device still had is in its inbox.
  private mutating func noteFailed(_ offer: RecordOffer, of record: Int, on number: Int) {
    guard isPlain(record) else { return }
    for entry in offer.state.fields.entries {
      oracle.accounted(
        Stage.place(record, stage.field(entry.name, of: record)),
        until: Moment(entry.value.stamp), Content(entry.value.value), isFailed: true)
    }
    if let deleted = offer.state.deleted {
      oracle.accounted(Stage.deletion(of: record), until: Moment(deleted), .nothing, isFailed: true)
    }
  }
}
