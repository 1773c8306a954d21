/// The device's side of a round: what is sent, and what an answer changes.
extension WebTask {
  /// Marks offers and rows in flight, oldest first and one a record, and makes the request of them.
  mutating func beginRound(into output: inout WebOutput) throws(WebRefusal) {
    var records = try records(from: 1)
    var room = Limits.requestBytes - 65_536
    var marked: [Int] = []
    var offers: [SyncRequest.Offer] = []
    for index in records.indices where offers.count < header.batch {
      guard let offer = records[index].offer, offer.isDue(wall: header.wall) else { continue }
      let size = offer.state.approximateSize * 2
      guard room >= size || offers.isEmpty else { break }
      room -= size
      if let sent = records[index].markOffered() { offers.append(sent) }
      marked.append(index)
    }
    var rows: [OutboxRow] = []
    for index in chosen(from: records, offered: marked) {
      records[index].markInFlight(epoch: held.device.epoch)
      guard var row = records[index].rows.first else { continue }
      if row.bytes.isEmpty { row.bytes = row.operation.withoutBases().encoded() }
      room -= row.bytes.count
      guard room >= 0 || rows.isEmpty && offers.isEmpty else { break }
      records[index].rows[0] = row
      rows.append(row)
      if !marked.contains(index) { marked.append(index) }
    }
    let bytes = header.limit == 0 ? Limits.pageBytes : Int(clamping: header.limit)
    let request = held.device.begin(
      with: rows, offers: offers, nonce: Nonce.random(using: &random), build: build,
      wall: header.wall, limit: SyncRequest.Limit(bytes: UInt64(bytes)))
    for index in marked { output.record(records[index]) }
    output.note("round") { writer in
      writer.append(0x5B)
      for id in rows.map({ $0.operation.id }) + offers.map({ $0.id }) {
        writer.separate()
        writer.identifier(id)
      }
      writer.append(0x5D)
    }
    output.note("number") { $0.unsigned(request.number) }
    output.note("replica") { $0.digits(request.replica.rawValue) }
    output.request(request.encoded())
  }

  /// Which records' first rows go with the request.
  private func chosen(from records: [DeviceRecord], offered: [Int]) -> [Int] {
    var line: [LineUp.Place] = []
    var places: [Int] = []
    for (index, record) in records.enumerated() {
      guard let row = record.rows.first else { continue }
      let isHeld = record.offer != nil && !offered.contains(index)
      let isReset = held.device.feeds[record.feed]?.reset != nil
      line.append(
        LineUp.Place(
          key: record.key, creates: row.operation.creates && record.base == nil,
          needs: row.operation.needs,
          isReady: row.isDue(wall: header.wall) && !isHeld && !isReset))
      places.append(index)
    }
    return LineUp.chosen(from: line, batch: header.batch, offers: offered.count).map { places[$0] }
  }

  /// Takes note that the round brought no answer; `more` says that nothing of it was settled.
  mutating func abandon(into output: inout WebOutput) throws(WebRefusal) {
    held.device.nonce = nil
    for var record in try records(from: 1) {
      if header.more { noteUnsettled(&record) }
      output.record(record)
    }
  }

  private func noteUnsettled(_ record: inout DeviceRecord) {
    guard let first = record.rows.first, header.round.contains(first.operation.id) else { return }
    record.noteUnsettled()
  }

  /// Applies an answer: verdicts, records, cursors.
  mutating func apply(into output: inout WebOutput) throws(WebRefusal) {
    let answer = try answer(1)
    var records = try records(from: 2)
    let earlier = held.device.replica
    let newReplica = ReplicaID.random(using: &random)
    let reading = held.device.read(
      answer, wall: header.wall, roundTrip: header.roundTrip, newReplica: newReplica,
      carryingOut: .all)
    switch reading {
    case .ignored: output.note("reading", "ignored")
    case .stop(let stop):
      output.note("reading", "stop")
      output.note("message", stop.message)
    case .newEpoch(let change):
      output.note("reading", "newEpoch")
      output.note("known") { $0.digits(change.known.rawValue) }
      for index in records.indices { noteUnsettled(&records[index]) }
    case .renewed:
      output.note("reading", "renewed")
      for index in records.indices { noteUnsettled(&records[index]) }
      recount(answer.renew ?? [], under: earlier, &records)
    case .apply:
      output.note("reading", "apply")
      settle(answer.verdicts, &records, into: &output)
      take(answer, &records, into: &output)
    }
    for record in records { output.record(record) }
    output.note("isAstray", if: held.device.clock.isAstray(wall: header.wall))
    output.note("number") { $0.unsigned(held.device.number) }
    output.note("replica") { $0.digits(held.device.replica.rawValue) }
  }

  private func answer(_ index: Int) throws(WebRefusal) -> SyncAnswer {
    let bytes = Array(try piece(index))
    do throws(WireError) {
      return try SyncAnswer(decoding: bytes)
    } catch {
      throw WebRefusal(error)
    }
  }

  private mutating func settle(
    _ verdicts: [Verdict], _ records: inout [DeviceRecord], into output: inout WebOutput
  ) {
    var settled = 0
    var deferred = 0
    var refused = 0
    var isCut = false
    let author = held.device.account.user
    for verdict in verdicts {
      guard let index = records.firstIndex(where: { $0.isSubject(of: verdict) }) else { continue }
      let isOffer = records[index].offer?.id == verdict.id
      let outcome =
        isOffer
        ? records[index].settleOffer(
          verdict, clock: &held.device.clock, wall: header.wall)
        : records[index].settle(
          verdict, author: author, clock: &held.device.clock, wall: header.wall)
      for rejection in outcome.rejections { output.rejection(rejection) }
      refused += outcome.rejections.count
      if !outcome.isSettled { deferred += 1 }
      if outcome.isSettled, outcome.rejections.isEmpty { settled += 1 }
      if case .later(.unavailable, afterMilliseconds: 0) = verdict.kind { isCut = true }
    }
    output.note("settled", settled)
    output.note("deferred", deferred)
    // Without progress the rest has to wait, or rounds would follow each other without end.
    output.note("isCut", if: isCut && settled + refused > 0)
  }

  private mutating func take(
    _ answer: SyncAnswer, _ records: inout [DeviceRecord], into output: inout WebOutput
  ) {
    var places: [RecordKey: Int] = [:]
    for (index, record) in records.enumerated() { places[record.key] = index }
    var turns: [(feed: Key, turn: FeedTurn)] = []
    for part in answer.feeds {
      turns.append((part.feed, held.device.turn(to: part)))
      for message in part.records {
        if let index = places[message.key] {
          records[index].absorb(message.state, clock: &held.device.clock)
        } else {
          message.state.observeStamps(with: &held.device.clock)
          output.told(message, feed: part.feed)
        }
      }
    }
    if answer.feeds.contains(where: { $0.revoked != nil }), let schema {
      let tables = schema.tables.entries.map { $0.value }
      held.device.forgetCounts(in: tables, newReplica: ReplicaID.random(using: &random))
    }
    output.note("more", if: answer.feeds.contains { $0.more })
    output.note("turns") { writer in
      writer.append(0x5B)
      for (feed, turn) in turns { writer.turn(turn, feed) }
      writer.append(0x5D)
    }
    output.note("devices") { writer in
      writer.append(0x5B)
      for device in answer.devices {
        writer.separate()
        writer.append(0x5B)
        writer.digits(device.replica.rawValue)
        writer.append(0x2C)
        writer.text(device.name)
        writer.append(0x5D)
      }
      writer.append(0x5D)
    }
  }

  /// Counts anew what is pending in the records that a renewal told, and writes down each doubt.
  private mutating func recount(
    _ told: [RecordMessage], under earlier: ReplicaID, _ records: inout [DeviceRecord]
  ) {
    for message in told {
      guard let index = records.firstIndex(where: { $0.key == message.key }) else { continue }
      var context = context
      let moved = records[index].recount(
        told: message.state, from: earlier, operation: OperationID.random(using: &random),
        context: &context)
      held.lineUp(&records[index])
      for recount in moved {
        let doubt = recount.conflict(
          of: message.key, on: held.device, time: context.wall)
        let key = RecordKey(table: ConflictEntry.table, id: doubt.id)
        var entry = DeviceRecord(key: key, feed: records[index].feed)
        let operation = OperationID.random(using: &random)
        guard (try? entry.create(doubt.values, operation: operation, context: &context)) != nil
        else { continue }
        held.lineUp(&entry)
        records.append(entry)
      }
      held.device.clock = context.clock
    }
  }

  /// Puts in line what a server with another history may not hold.
  mutating func offer(into output: inout WebOutput) throws(WebRefusal) {
    let answer = try answer(1)
    guard let known = header.known else { throw WebRefusal(call: "the known epoch is missing") }
    let change = EpochChange(known: known, told: answer.epoch, ancestry: answer.ancestry)
    for var record in try records(from: 2) {
      let wasOffered = record.offer != nil
      let isOffered = record.offerAgain(after: change, id: OperationID.random(using: &random))
      if isOffered || wasOffered { output.record(record) }
    }
  }
}

extension DeviceRecord {
  /// Whether a verdict is about the record's offer or its operation in flight.
  fileprivate func isSubject(of verdict: Verdict) -> Bool {
    if offer?.id == verdict.id { return true }
    guard let first = rows.first else { return false }
    return first.isInFlight && first.operation.id == verdict.id
  }
}

extension JSONWriter {
  /// Writes what a feed's part of an answer asks for.
  fileprivate mutating func turn(_ turn: FeedTurn, _ feed: Key) {
    separate()
    append("{\"feed\":")
    text(feed.text)
    switch turn {
    case .read: append(",\"turn\":\"read\"")
    case .reset(let begins, let ends):
      append(",\"turn\":\"reset\"")
      if begins { append(",\"begins\":true") }
      if ends { append(",\"ends\":true") }
    case .revoked(let reason):
      append(",\"turn\":\"revoked\",\"reason\":")
      text(reason)
    }
    append(0x7D)
  }
}
