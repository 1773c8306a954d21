import CommuteCore

/// The device's side of a round: what the driver does, which decides nothing.
extension World {
  /// The most operations that a request carries here.
  static let batch = 3
  /// The most records that a page carries here.
  static let pageRecords: UInt64 = 2

  /// Reports an event to a device's conversation and does what it says.
  mutating func report(_ event: Conversation.Event, on number: Int) {
    for effect in devices[number].conversation.handle(event) {
      switch effect {
      case .exchange(let batch): exchange(min(batch, Self.batch), on: number)
      case .scheduleRetry(let at, _): devices[number].retryAt = at
      case .cancelRetry: devices[number].retryAt = nil
      }
    }
  }

  /// Something reminds a device of its conversation.
  mutating func nudge(_ number: Int) {
    switch devices[number].conversation.state {
    case .idle: report(choices.draw(2) == 0 ? .requested : .changed, on: number)
    case .exchanging:
      if choices.draw(3) < 2 { report(.changed, on: number) } else { timeOut(number) }
    case .waiting:
      let isDue = devices[number].retryAt.map { $0 <= wall(of: number) } ?? false
      report(isDue ? .retryDue : choices.draw(2) == 0 ? .requested : .cameOnline, on: number)
    case .blocked: report(.unblocked, on: number)
    }
  }

  /// A device waits no longer for its answer.
  mutating func timeOut(_ number: Int) {
    guard case .exchanging = devices[number].conversation.state else { return }
    count(.timeOut)
    tell("device \(number) waits no longer")
    fail(.timedOut, on: number)
  }

  /// Reports a failure of the round under way.
  mutating func fail(_ failure: RoundFailure, on number: Int) {
    let draw = UInt64(truncatingIfNeeded: choices.draw(1 << 16)) << 48
    report(.failed(failure, wall: wall(of: number), draw: draw), on: number)
  }

  // MARK: - Sending

  /// Begins a round: marks, commits, writes the host record, sends.
  private mutating func exchange(_ batch: Int, on number: Int) {
    let offered = lineUpOffers(batch, on: number)
    let records = lineUp(batch, behind: offered, on: number)
    let wall = wall(of: number)
    devices[number].begin()
    var offers: [SyncRequest.Offer] = []
    for record in offered {
      let offer = devices[number].withRecord(record) { state, _ in state.markOffered() }
      if let offer { offers.append(offer) }
    }
    var rows: [OutboxRow] = []
    for record in records {
      rows.append(mark(record, on: number))
    }
    let identifier = newIdentifier()
    let nonce = Nonce(high: identifier.high, low: identifier.low)
    let build = build(of: number)
    let request = devices[number].withDevice {
      $0.begin(
        with: rows, offers: offers, nonce: nonce, build: build, wall: wall,
        limit: SyncRequest.Limit(records: Self.pageRecords))
    }
    #if PLANTED
      devices[number].commit(
        full: request.carries && !Planted.isActive(.markNotDurable))
    #else
      // A request without operations only asks.
      devices[number].commit(full: request.carries)
    #endif
    devices[number].sentRecords = records
    devices[number].sentAt = time
    if request.carries {
      if diesHere(number) { return }
      devices[number].host = HostRecord(
        replica: devices[number].file.device.replica, number: request.number)
    }
    if diesHere(number) { return }
    guard devices[number].isOnline else { return fail(.unreachable("offline"), on: number) }
    for row in rows { noteSent(row.operation, by: number) }
    tell("device \(number) sends #\(request.number): \(Self.describe(request))")
    send(request, from: number)
  }

  private mutating func send(_ request: SyncRequest, from number: Int) {
    network.append(
      Parcel(
        device: number, process: devices[number].process,
        load: usesCodec ? .requestBytes(request.encoded()) : .request(request)))
  }

  /// Asks for what follows an answer before that is applied.
  ///
  /// Gives what the next answer will name; nil where the answer must be applied first.
  private mutating func readOn(_ answer: SyncAnswer, on number: Int) -> Nonce? {
    guard devices[number].readsOn, devices[number].conversation.mayReadOn else { return nil }
    let identifier = newIdentifier()
    let nonce = Nonce(high: identifier.high, low: identifier.low)
    let next = devices[number].file.device.readingOn(
      after: answer, nonce: nonce, build: build(of: number), wall: wall(of: number),
      limit: SyncRequest.Limit(records: Self.pageRecords))
    guard let next else { return nil }
    reach(.readOn)
    tell("device \(number) reads on: \(Self.describe(next.request))")
    send(next.request, from: number)
    return nonce
  }

  private func build(of number: Int) -> Device.Build {
    Device.Build(
      schema: SchemaID(name: "shelf", version: schema(of: number), hash: 1), build: "1",
      device: "box")
  }

  /// The version of the schema that a device's app knows.
  func schema(of number: Int) -> UInt64 { devices[number].isOld ? 1 : 2 }

  /// The records that are offered again next.
  private func lineUpOffers(_ batch: Int, on number: Int) -> [Int] {
    let wall = wall(of: number)
    var chosen: [Int] = []
    for record in devices[number].file.records.indices where chosen.count < batch {
      guard let offer = devices[number].file.records[record].offer, offer.isDue(wall: wall) else {
        continue
      }
      chosen.append(record)
    }
    return chosen
  }

  /// Whether anything is due to be sent.
  func hasLine(_ number: Int) -> Bool {
    !lineUpOffers(1, on: number).isEmpty || !lineUp(1, on: number).isEmpty
  }

  /// The records whose first row is sent next, in line order; a row follows its record's offer.
  func lineUp(_ batch: Int, behind offered: [Int] = [], on number: Int) -> [Int] {
    var line: [(order: Int64, record: Int)] = []
    for record in devices[number].file.records.indices
    where !devices[number].file.records[record].rows.isEmpty {
      let order = devices[number].file.records[record].rows[0].order
      var index = line.count
      while index > 0, line[index - 1].order > order { index -= 1 }
      line.insert((order, record), at: index)
    }
    let wall = wall(of: number)
    let places = line.map { place in
      let record = devices[number].file.records[place.record]
      let isHeld = record.offer != nil && !offered.contains(place.record)
      return LineUp.Place(
        key: record.key, creates: record.rows[0].operation.creates && record.base == nil,
        needs: record.rows[0].operation.needs,
        isReady: !isHeld && record.rows[0].isDue(wall: wall))
    }
    let chosen = LineUp.chosen(from: places, batch: batch, offers: offered.count)
    return chosen.map { line[$0].record }
  }

  /// Marks the first row of a record in flight, with its bytes and their hash.
  private mutating func mark(_ record: Int, on number: Int) -> OutboxRow {
    let usesCodec = usesCodec
    return devices[number].withRecord(record) { state, device in
      state.markInFlight(epoch: device.epoch)
      if state.rows[0].operation.digest == Self.noDigest {
        if usesCodec {
          let bytes = state.rows[0].operation.withoutBases().encoded()
          state.rows[0].bytes = bytes
          state.rows[0].operation.digest = SHA256.hash(bytes)
        } else {
          state.rows[0].operation.digest = Self.digest(of: state.rows[0].operation)
        }
      }
      return state.rows[0]
    }
  }

  /// Tells the oracle what leaves the device.
  private mutating func noteSent(_ operation: Operation, by number: Int) {
    let version = devices[number].file.version
    let record = self.number(of: operation.key)
    guard isPlain(record) else { return }
    for entry in operation.fields.entries {
      oracle.sent(
        device: number, Stage.place(record, stage.field(entry.name, of: record)),
        Content(entry.value.value), Moment(entry.value.stamp), version: version)
    }
    if let deleted = operation.deleted {
      oracle.sent(
        device: number, Stage.deletion(of: record), .nothing, Moment(deleted), version: version)
    }
  }

  // MARK: - Receiving

  /// An answer comes to the process that waits for it.
  mutating func receive(_ parcel: Parcel) {
    let number = parcel.device
    guard devices[number].process == parcel.process, devices[number].isOnline else { return }
    switch parcel.load {
    case .request, .requestBytes: return
    case .failure(let failure):
      #if PLANTED
        if Planted.isActive(.updateDropsLine), failure == .needsUpdate { dropLine(of: number) }
      #endif
      fail(failure, on: number)
    case .answer(let answer): take(answer, on: number)
    case .answerBytes(let bytes):
      do throws(WireError) {
        take(try SyncAnswer(decoding: bytes), on: number)
      } catch {
        fail(.notAnAnswer(error.message), on: number)
      }
    }
  }

  /// Reads an answer and does what it means, in one transaction.
  private mutating func take(_ answer: SyncAnswer, on number: Int) {
    let wall = wall(of: number)
    let roundTrip = time - devices[number].sentAt
    let replica = newReplica()
    let earlier = devices[number].file.device.replica
    let next = readOn(answer, on: number)
    devices[number].begin()
    let reading = devices[number].withDevice {
      $0.read(
        answer, wall: wall, roundTrip: roundTrip, newReplica: replica, carryingOut: .all)
    }
    tell("device \(number) reads an answer: \(reading)")
    switch reading {
    case .ignored: devices[number].commit(full: false)
    case .stop(let stop):
      devices[number].commit(full: false)
      report(.stopped(stop), on: number)
    case .renewed:
      reach(.renewedByServer)
      // The server has noticed: what is pending is counted anew, and hides nothing.
      noteUntold(answer.renew ?? [], under: earlier, on: number)
      devices[number].withFile { _ = $0.noticed.insert(earlier) }
      for record in devices[number].sentRecords {
        devices[number].withRecord(record) { state, _ in state.noteUnsettled() }
      }
      recount(answer.renew ?? [], from: earlier, on: number)
      devices[number].commit(full: true)
      devices[number].host = HostRecord(replica: replica, number: 0)
      report(.answered(more: true), on: number)
    case .newEpoch(let change): take(change, on: number)
    case .apply: apply(answer, next: next, on: number)
    }
  }

  private mutating func apply(_ answer: SyncAnswer, next: Nonce?, on number: Int) {
    #if PLANTED
      if diesBehindCursor(answer, on: number) { return }
    #endif
    var touched: [Int] = []
    for index in answer.verdicts.indices {
      let verdict = answer.verdicts[index]
      if let record = offer(of: verdict.id, on: number) {
        settleOffer(verdict, record, on: number)
        touched.append(record)
      } else if let record = record(of: verdict.id, on: number) {
        settle(verdict, record, on: number)
        touched.append(record)
      }
    }
    let earlier = devices[number].file.device.replica
    for part in answer.feeds { take(part, touched: &touched, on: number) }
    lowerClock(of: number)
    let isRenewed = devices[number].file.device.replica != earlier
    if let next, !isRenewed { devices[number].withDevice { $0.nonce = next } }
    devices[number].commit(full: isRenewed)
    if isRenewed {
      devices[number].host = HostRecord(replica: devices[number].file.device.replica, number: 0)
    }
    for record in touched { checkView(record, on: number) }
    checkCursors(of: number)
    if next != nil, !isRenewed {
      devices[number].sentAt = time
      devices[number].sentRecords = []
      return devices[number].conversation.noteProgress()
    }
    let more = answer.feeds.contains { $0.more } || hasLine(number)
    report(.answered(more: more), on: number)
  }

  /// Sets a clock that was led astray back to what the device still holds.
  private mutating func lowerClock(of number: Int) {
    let wall = wall(of: number)
    guard devices[number].file.device.clock.isAstray(wall: wall) else { return }
    var held = Stamp.floor
    for record in devices[number].file.records { held = max(held, record.greatestStamp) }
    for (entry, refused) in devices[number].file.inbox.enumerated()
    where !devices[number].file.decided.contains(entry) {
      held = max(held, refused.rejection.greatestStamp)
    }
    let replica = newReplica()
    let isLowered = devices[number].withDevice {
      $0.lowerClock(to: held, wall: wall, newReplica: replica)
    }
    if isLowered {
      reach(.loweredClock)
      tell("device \(number) sets its clock back to \(Self.describe(held))")
    }
  }

  #if PLANTED
    /// Who has to update an app loses what waits in it.
    private mutating func dropLine(of number: Int) {
      devices[number].begin()
      for record in roster.keys.indices {
        devices[number].withRecord(record) { state, _ in state.rows.removeAll() }
      }
      devices[number].commit(full: true)
      for record in roster.keys.indices { checkView(record, on: number) }
    }

    /// The cursors are moved in a transaction of their own, and the process dies behind it.
    private mutating func diesBehindCursor(_ answer: SyncAnswer, on number: Int) -> Bool {
      guard Planted.isActive(.cursorBeforeRows), choices.oneIn(4) else { return false }
      devices[number].withDevice { device in
        for part in answer.feeds { device.moveCursor(by: part) }
      }
      devices[number].commit(full: true)
      kill(number)
      return true
    }
  #endif
}
