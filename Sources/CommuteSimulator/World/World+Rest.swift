import CommuteCore

/// What must be true once the faults have stopped and some healthy rounds are over.
extension World {
  /// Lets everything come to rest and checks what must hold then.
  mutating func rest() {
    tell("the faults stop")
    mayReorder = false
    mayDieBetween = false
    serverTrouble = 0
    strangeAnswers = 0
    for number in devices.indices { devices[number].isOnline = true }
    // A part of the world may stay down for ever; the others must come to rest all the same.
    if choices.oneIn(4) {
      devices[choices.draw(devices.count)].isDown = true
      reach(.leftDown)
    }
    if minimumSchema > 1 { updateApps() }
    guard settleDown() else { return blame(10, "not at rest after many healthy rounds") }
    judge()
    report.note(time)
  }

  /// Apps that are too old are brought up to date, or stay so for ever and work on without the
  /// server.
  private mutating func updateApps() {
    for number in devices.indices where devices[number].isOld && !devices[number].isDown {
      if choices.draw(3) < 2 {
        devices[number].isOld = false
        report(.unblocked, on: number)
        continue
      }
      devices[number].isDown = true
      reach(.leftOld)
      tell("device \(number) is never updated")
      for _ in 0..<2 { write(on: number) }
    }
  }

  private static let restRounds = 80
  private static let restParcels = 1_000

  /// Plays healthy rounds until nothing is left to do.
  private mutating func settleDown() -> Bool {
    var parcels = 0
    for _ in 0..<Self.restRounds {
      while !network.isEmpty, violation == nil {
        parcels += 1
        if parcels > Self.restParcels { return false }
        let parcel = network.removeFirst()
        if devices[parcel.device].isDown { continue }
        switch parcel.load {
        case .request, .requestBytes: serve(parcel)
        case .answer, .answerBytes, .failure: receive(parcel)
        }
      }
      if violation != nil { return true }
      var isQuiet = true
      for number in devices.indices where !devices[number].isDown && !hasNothingToDo(number) {
        isQuiet = false
        remind(number)
      }
      if isQuiet { return true }
      time += 1_000
    }
    return false
  }

  /// Whether a device has nothing to send and nothing to read.
  private func hasNothingToDo(_ number: Int) -> Bool {
    guard case .idle = devices[number].conversation.state else { return false }
    let device = devices[number].file.device
    if let epoch = device.epoch, epoch != server.state.epoch { return false }
    for record in devices[number].file.records.indices {
      if devices[number].file.records[record].offer != nil { return false }
      if devices[number].file.records[record].rows.isEmpty { continue }
      if !isWaiting(devices[number].file.records[record], on: number) { return false }
    }
    for feed in stage.feeds {
      guard let known = device.feeds[feed] else {
        if mayRead(feed, number) { return false }
        continue
      }
      if !mayRead(feed, number) { return false }
      if known.reset != nil || known.cursor ?? 0 < server.head(of: feed) { return false }
      let grant = server.notes.grants[userNumber(of: number)][stage.number(of: feed)].number
      if known.grant.map({ $0 != grant }) ?? false { return false }
    }
    return true
  }

  /// Whether what a record's row needs is not there, so that it stays in line and says so.
  ///
  /// What the device itself is to make is there as soon as that goes; a circle goes as a whole.
  private func isWaiting(_ record: DeviceRecord, on number: Int) -> Bool {
    var asked: Set<RecordKey> = [record.key]
    var open = [record]
    while let next = open.popLast() {
      guard let row = next.rows.first else { continue }
      for needed in row.operation.needs
      where server.state.records[needed] == nil && !server.state.stubs.contains(needed) {
        let own = devices[number].file.records[self.number(of: needed)]
        guard let first = own.rows.first, first.operation.creates else { return true }
        if asked.insert(needed).inserted { open.append(own) }
      }
    }
    return false
  }

  /// Does for a device what time and people do.
  private mutating func remind(_ number: Int) {
    subscribe(number)
    switch devices[number].conversation.state {
    case .idle:
      if let wait = shortestWait(on: number) { time += wait }
      report(.requested, on: number)
    case .exchanging: fail(.timedOut, on: number)
    case .waiting:
      if let at = devices[number].retryAt { time = max(time, at - devices[number].skew) }
      report(.retryDue, on: number)
    case .blocked: report(.unblocked, on: number)
    }
  }

  /// How long until the next row may go; nil where one may go now or none is in line.
  ///
  /// No delay is longer than two hours, whatever the wall clock was when it was noted.
  private func shortestWait(on number: Int) -> Int64? {
    guard !hasLine(number) else { return nil }
    let wall = wall(of: number)
    var wait: Int64?
    for record in devices[number].file.records {
      guard let until = record.offer?.notBefore ?? record.rows.first?.notBefore else { continue }
      let rest = until - wall
      if rest > 0 { wait = min(wait ?? rest, rest, 2 * 3_600_000) }
    }
    return wait
  }

  // MARK: - Judging

  private mutating func judge() {
    for record in roster.keys.indices { judge(record) }
    let down = devices.indices.filter { devices[$0].isDown }
    blame(oracle.judgeFates(waiting: waitingPlaces(), down: down))
    book?.judgeFates(down: down)
    readBook()
    judgeFreshDevice()
    judgeReplay()
    judgeAnyOrder()
  }

  /// The places of records whose rows wait for others.
  private mutating func waitingPlaces() -> [(device: Int, place: Int)] {
    var places: [(device: Int, place: Int)] = []
    for number in devices.indices {
      for record in 0..<Stage.plainCount
      where isWaiting(devices[number].file.records[record], on: number) {
        reach(.leftWaiting)
        for field in 0..<Stage.placesPerRecord {
          places.append((number, Stage.place(record, field)))
        }
      }
    }
    return places
  }

  /// Device and server hold the same, and it is what the oracle expects.
  private mutating func judge(_ record: Int) {
    let state = server.state.records[roster.keys[record]]?.state
    let isPurged = server.state.stubs.contains(roster.keys[record])
    let feed = roster.feeds[record]
    for number in devices.indices where !devices[number].isDown {
      let base = devices[number].file.records[record].base
      if !mayRead(feed, number) {
        if base != nil { blame(11, "device \(number) keeps record \(record) of another feed") }
      } else if isPurged {
        if base != nil, base?.deleted == nil {
          blame(3, "record \(record) was deleted and purged, and lives on device \(number)")
        }
      } else if base != state {
        blame(11, "record \(record) differs between device \(number) and the server")
      }
    }
    guard isPlain(record) else { return }
    blame(
      oracle.judgeDeletion(
        place: Stage.deletion(of: record), isDeleted: isPurged || state?.deleted != nil))
    if isPurged { return }
    for field in 0..<Stage.fieldCount {
      let held = state?.fields[stage.fields[record][field]]
      blame(
        oracle.judgeServer(
          place: Stage.place(record, field), content: held.map { Content($0.value) },
          stamp: Moment(held?.stamp ?? .floor)))
    }
  }

  /// A device that starts from nothing reads the same.
  private mutating func judgeFreshDevice() {
    var asked = stage.feeds.map { SyncRequest.Feed(feed: $0) }
    grant(to: "ada")
    for index in asked.indices { server.state.heads[asked[index].feed]?.revoked = nil }
    var bases = [RecordState?](repeating: nil, count: roster.keys.count)
    for _ in 0..<(roster.keys.count + 1) {
      let request = SyncRequest(
        schema: SchemaID(name: "shelf", version: 1, hash: 1), build: "", owner: "",
        replica: ReplicaID(rawValue: 1), device: "", number: 0, nonce: Nonce(high: 0, low: 0),
        epoch: nil, time: 0, feeds: asked, limit: SyncRequest.Limit(records: Self.pageRecords))
      let parts = pages(for: request, told: [])
      for (index, part) in parts.enumerated() {
        for message in part.records { bases[number(of: message.key)] = message.state }
        asked[index].cursor = part.cursor
        asked[index].reset = part.more ? part.reset : nil
      }
      if !parts.contains(where: { $0.more }) { break }
    }
    for record in roster.keys.indices
    where bases[record] != server.state.records[roster.keys[record]]?.state {
      blame(17, "a fresh device holds another record \(record)")
    }
  }

  /// Everything that was delivered is delivered again, and nothing changes.
  private mutating func judgeReplay() {
    // What was forgotten cannot be told from what is new.
    if server.notes.hasForgotten { return }
    var again = server.state
    let request = SyncRequest(
      schema: SchemaID(name: "shelf", version: 1, hash: 1), build: "", owner: "",
      replica: ReplicaID(rawValue: 1), device: "", number: 1, nonce: Nonce(high: 0, low: 0),
      epoch: nil, time: 0, feeds: stage.feeds.map { SyncRequest.Feed(feed: $0) },
      operations: server.notes.settled)
    let outcome = server.settlement.settle(request, in: &again, time: time, user: "replay")
    if !outcome.changedRecords.isEmpty || again.records != server.state.records {
      blame(15, "replaying what was delivered changes the server")
    }
  }

  /// Whether two values that were settled at a place carry one stamp.
  private func isStampShared(at place: Int) -> Bool {
    let states = server.notes.deliveries.filter { $0.place == place }.map(\.state)
    return states.indices.contains { index in
      states[..<index].contains {
        $0.origin == states[index].origin && $0.value != states[index].value
      }
    }
  }

  /// The values that were settled give the same in any order.
  private mutating func judgeAnyOrder() {
    var order = server.notes.deliveries
    for index in order.indices.dropFirst() {
      order.swapAt(index, (index * 7 + 3) % (index + 1))
    }
    var fresh = [FieldState?](
      repeating: nil, count: Stage.recordCount * Stage.placesPerRecord)
    for delivery in order {
      fresh[delivery.place] = fresh[delivery.place]?.merged(with: delivery.state) ?? delivery.state
    }
    for record in 0..<Stage.plainCount {
      if server.state.stubs.contains(stage.records[record]) { continue }
      let state = server.state.records[stage.records[record]]?.state
      for field in 0..<Stage.fieldCount {
        let held = state?.fields[stage.fields[record][field]]
        let place = Stage.place(record, field)
        guard fresh[place] != held else { continue }
        // A machine that was put back with its host record may give one stamp twice.
        let isKnown = oracle.isAnyMachinePutBack && isStampShared(at: place)
        blame(
          Breach(
            invariant: 16,
            text: "record \(record) depends on the order in which operations are delivered",
            limit: isKnown ? .putBack : nil))
      }
    }
  }
}
