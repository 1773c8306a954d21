import CommuteCore

/// The server: its rows, and what it does when a request comes.
struct SimulatedServer {
  /// Everything in its store; every commit of it is durable.
  var state: ServerState
  let settlement: Settlement
  /// What it keeps beside the state; both go back with a copy.
  var notes = Notes()
  /// A copy of all of it that was made some time ago.
  var copy: Copy?

  /// What is known about the state.
  struct Notes {
    /// The records by number, read from the store after each request.
    var held = [RecordState?](repeating: nil, count: Stage.recordCount)
    /// The operations that had effect, to see that none has it twice.
    var applied: [OperationID] = []
    /// The operations that were settled.
    var settled: [SyncRequest.SentOperation] = []
    /// The values that they carried, under the stamps with which they were settled.
    var deliveries: [Delivery] = []
    /// How far the devices have come.
    var progress: [Purge.Progress] = []
    /// When the latest change of each record was settled.
    var changedAt = [Int64](repeating: 0, count: Stage.recordCount)
    /// What each of two users may read.
    var grants = [[Grant]](repeating: [Grant(), Grant()], count: 2)
    /// Whether memories were purged, so that what is replayed is not known any more.
    var hasForgotten = false
  }

  /// What a user may do with a feed.
  struct Grant {
    var number: UInt64 = 1
    var isRevoked = false
  }

  /// A copy of the server's files, with what the oracle knew then.
  struct Copy {
    var state: ServerState
    var notes: Notes
    var marks: Oracle.Marks
    var book: RuleBook.Marks?
  }

  /// One field that was settled.
  struct Delivery {
    var place: Int
    var state: FieldState
  }

  /// The records by number.
  var held: [RecordState?] { notes.held }

  /// The flavour of operation ids that the validator refuses.
  static let refused: UInt64 = 7

  init(tables: FieldMap<TableSchema>) {
    state = ServerState(
      epoch: Epoch(rawValue: 0xE1), clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    settlement = Settlement(
      tables: tables, takesOffers: true, retention: World.retention
    ) { proposal in
      proposal.operation.low & 0xFF == Self.refused ? .invalid("a rule refused it") : nil
    }
  }

  /// Reads the records again that a request was about.
  mutating func readAgain(_ request: SyncRequest, in roster: Roster) {
    for index in request.operations.indices {
      readAgain(roster.number(of: request.operations[index].operation.key), in: roster)
    }
    for offer in request.offers {
      readAgain(roster.number(of: offer.record.key), in: roster)
    }
  }

  /// Reads a record again.
  mutating func readAgain(_ number: Int, in roster: Roster) {
    while notes.held.count < roster.keys.count { notes.held.append(nil) }
    notes.held[number] = state.records[roster.keys[number]]?.state
  }

  /// The highest number of a feed.
  func head(of feed: Key) -> UInt64 { state.heads[feed]?.head ?? 0 }
}

extension World {
  /// The server takes a request.
  mutating func serve(_ parcel: Parcel) {
    let number = parcel.device
    guard var request = read(parcel) else { return }
    let user = devices[number].user
    if request.owner != Account(tenant: "home", user: user).owner {
      blame(9, "device \(number) asks in the name of \(request.owner)")
    }
    if let failure = drawTrouble() {
      network.append(Parcel(device: number, process: parcel.process, load: .failure(failure)))
      return
    }
    if request.schema.version < minimumSchema {
      count(.tooOld)
      let failure = RoundFailure(status: 426)
      network.append(Parcel(device: number, process: parcel.process, load: .failure(failure)))
      return tell("the server tells device \(number) to update")
    }
    // What answers in the server's place got what the server did not get.
    let isServed = memory[number].served == request.nonce
    if strangeAnswers > 0, request.epoch != nil, !isServed, parcel.copies == 0 {
      send(strangeAnswer(to: request), to: number, process: parcel.process)
      return
    }
    memory[number].served = request.nonce
    // Only operations that need each other may be more.
    let areTogether =
      request.offers.isEmpty && request.operations.contains { !$0.operation.needs.isEmpty }
    if request.operations.count + request.offers.count > Self.batch, !areTogether {
      blame(18, "a request carries too much")
    }
    if isPutBackUnnoticed(request, by: number) || isRefusedOfCopy(request) {
      book?.mayHideCounts = true
    }
    grant(to: user)
    let raised = raise(&request)
    let wasDeleted = request.operations.map {
      server.held[self.number(of: $0.operation.key)]?.deleted != nil
    }
    let item = server.held[Stage.item]
    var outcome = server.settlement.settle(request, in: &server.state, time: time, user: user)
    tell(raised, in: &outcome)
    if tellsConflicts { tellConflicts(outcome.changedRecords) }
    server.readAgain(request, in: roster)
    note(outcome, of: request, by: number, wasDeleted: wasDeleted, item: item)
    checkServer(outcome.changedRecords)
    var answer = SyncAnswer(
      epoch: server.state.epoch,
      renew: outcome.renews ? Settlement.renewal(of: request, in: server.state) : nil, time: time,
      nonce: request.nonce, verdicts: outcome.verdicts,
      feeds: outcome.isSettled ? pages(for: request, told: told(by: outcome, of: request)) : [])
    if let epoch = request.epoch, epoch != server.state.epoch {
      answer.ancestry = server.state.ancestry
    }
    tell("server answers device \(number): \(Self.describe(answer))")
    send(answer, to: number, process: parcel.process)
  }

  /// Brings operations of an older app to the present schema: its titles end with a mark, which
  /// goes.
  ///
  /// Gives the operations that were changed.
  private mutating func raise(_ request: inout SyncRequest) -> [CommuteCore.Operation] {
    var raised: [CommuteCore.Operation] = []
    for index in request.operations.indices {
      let operation = request.operations[index].operation
      guard operation.schema < 2, operation.key.table == "book",
        case .text(let text)? = operation.fields["title"]?.value, text.hasSuffix("~")
      else { continue }
      request.operations[index].operation.fields["title"]?.value = .text(String(text.dropLast()))
      raised.append(operation)
      reach(.raised)
    }
    return raised
  }

  /// A device cannot tell what became of a change that was raised: its verdict carries the record.
  private func tell(
    _ raised: [CommuteCore.Operation], in outcome: inout Settlement.Outcome
  ) {
    if raised.isEmpty { return }
    #if PLANTED
      if Planted.isActive(.raisedLeftOut) { return }
    #endif
    for index in outcome.verdicts.indices where outcome.verdicts[index].kind == .applied {
      guard let operation = raised.first(where: { $0.id == outcome.verdicts[index].id }),
        let state = server.state.records[operation.key]?.state
      else { continue }
      outcome.verdicts[index].record = RecordMessage(key: operation.key, state: state)
    }
  }

  /// Tells the oracle what a request has changed.
  private mutating func note(
    _ outcome: Settlement.Outcome, of request: SyncRequest, by number: Int, wasDeleted: [Bool],
    item: RecordState?
  ) {
    guard outcome.isSettled else { return }
    // An offer of the same request may bring a tombstone.
    var buried: [RecordKey] = []
    for (index, verdict) in outcome.verdicts.enumerated() {
      if index < request.offers.count {
        let offer = request.offers[index].record
        if verdict.kind == .applied, offer.state.deleted != nil { buried.append(offer.key) }
        note(verdict, on: request.offers[index], by: number, item: item)
        continue
      }
      let place = index - request.offers.count
      let operation = request.operations[place].operation
      let isBuried = wasDeleted[place] || buried.contains(operation.key)
      if operation.key == stage.records[Stage.item], verdict.kind == .applied {
        noteItem(operation, verdict, outcome, of: request, wasDeleted: isBuried)
      }
      note(verdict, on: operation, by: number, wasDeleted: isBuried)
    }
    if book != nil { book?.noteRevision(server.held[Stage.item]?.revision) }
    for id in outcome.appliedOperations {
      // Of two copies of a file the second may come when the memory of the first is gone.
      let isCopy = oracle.copies.contains(number) || oracle.machines.contains(number)
      let isCopys = isCopy && !request.again.contains(id)
      let mayCome = server.notes.hasForgotten && (isCopys || isRepeatable(id, in: request))
      if server.notes.applied.contains(id), !mayCome {
        blame(14, "an operation had effect twice")
      }
      server.notes.applied.append(id)
    }
    for key in outcome.changedRecords where key.table != ConflictEntry.table {
      server.notes.changedAt[self.number(of: key)] = time
    }
    noteProgress(of: request)
    report.note(outcome.changedRecords.count)
  }

  /// Whether an operation says the same however often it comes.
  private func isRepeatable(_ id: OperationID, in request: SyncRequest) -> Bool {
    request.operations.contains { sent in
      sent.operation.id == id
        && sent.operation.fields.entries.allSatisfy {
          $0.value.rule.isCounter || $0.value.rule == .maximum || $0.value.rule == .minimum
        }
    }
  }

  /// Tells the oracle what the server made of an operation.
  private mutating func note(
    _ verdict: Verdict, on operation: Operation, by device: Int, wasDeleted: Bool
  ) {
    switch verdict.kind {
    case .duplicate: reach(.duplicateVerdict)
    case .rejected(let code, _):
      switch code {
      case .mismatch: reach(.sentByCopy)
      case .expired:
        reach(.expired)
        checkExpiry(of: operation)
      default: count(.rejection)
      }
    case .later: reach(.deferred)
    case .applied:
      reach(verdict.record == nil ? .recordLeftOut : .recordTold)
      guard isPlain(number(of: operation.key)) else {
        server.notes.settled.append(SyncRequest.SentOperation(operation: operation))
        return
      }
      if wasDeleted {
        noteBuried(operation, by: device)
      } else {
        noteSettled(operation, as: verdict, by: device)
      }
    }
  }

  /// Tells the oracle what the server made of an offer.
  private mutating func note(
    _ verdict: Verdict, on offer: SyncRequest.Offer, by device: Int, item: RecordState?
  ) {
    if case .rejected = verdict.kind, number(of: offer.record.key) == Stage.item {
      book?.refused(offer)
    }
    guard verdict.kind == .applied, offer.record.state.revision?.epoch != server.state.epoch else {
      return
    }
    checkInTime(offer)
    let record = number(of: offer.record.key)
    if record == Stage.item { book?.took(offer, over: item) }
    guard isPlain(record) else { return }
    for entry in offer.record.state.fields.entries {
      let place = Stage.place(record, stage.field(entry.name, of: record))
      blame(
        oracle.settledAgain(
          device: device, place, Content(entry.value.value), origin: Moment(entry.value.origin),
          as: Moment(entry.value.stamp)))
      server.notes.deliveries.append(
        SimulatedServer.Delivery(place: place, state: entry.value))
      let isAnew = entry.value.origin != entry.value.stamp && !entry.value.origin.isFloor
      let field = FieldKey(record: offer.record.key, field: entry.name)
      let memories = server.state.restamps[field] ?? []
      if isAnew, !memories.contains(where: { $0.claimed == entry.value.origin }) {
        blame(20, "an offer told under which stamp a claim was settled, and it is forgotten")
      }
    }
    if let deleted = offer.record.state.deleted {
      oracle.accounted(
        Stage.deletion(of: record), until: Moment(deleted), .nothing, isFailed: false)
    }
  }

  private mutating func noteBuried(_ operation: Operation, by device: Int) {
    let record = number(of: operation.key)
    for entry in operation.fields.entries {
      oracle.buried(
        device: device, Stage.place(record, stage.field(entry.name, of: record)),
        Content(entry.value.value), claimed: Moment(entry.value.stamp))
    }
    reach(.buried)
    guard let deleted = operation.deleted else { return }
    oracle.buried(
      device: device, Stage.deletion(of: record), .nothing, claimed: Moment(deleted))
  }

  private mutating func noteSettled(
    _ operation: Operation, as verdict: Verdict, by device: Int
  ) {
    let record = number(of: operation.key)
    let state = server.held[record]
    for entry in operation.fields.entries {
      let change = entry.value
      let place = Stage.place(record, stage.field(entry.name, of: record))
      let settled = verdict.stamps[entry.name] ?? change.stamp
      let held = state?.fields[entry.name]
      if settled != change.stamp { reach(.restamped) }
      if change.stamp.isFloor, let held, held.stamp.isFloor, held.value != change.value {
        reach(.seedTie)
        if case .text(let one) = change.value, case .text(let other) = held.value, one == other {
          reach(.equivalentTexts)
        }
      }
      blame(
        oracle.settled(
          device: device, place, Content(change.value), claimed: Moment(change.stamp),
          as: Moment(settled)))
      if let held, held.stamp == settled, held.origin != change.stamp {
        // An older claim of the same writer: it is told the stamp that stands, and does not count.
        reach(.olderClaim)
        continue
      }
      server.notes.deliveries.append(
        SimulatedServer.Delivery(
          place: place,
          state: FieldState(value: change.value, stamp: settled, origin: change.stamp)))
    }
    if let claimed = operation.deleted {
      blame(
        oracle.settled(
          device: device, Stage.deletion(of: record), .nothing, claimed: Moment(claimed),
          as: Moment(verdict.deleted ?? claimed)))
    }
    server.notes.settled.append(SyncRequest.SentOperation(operation: operation))
  }

  /// No stamp of the server is beyond its time and the limit.
  private mutating func checkServer(_ changed: [RecordKey]) {
    let limit = UInt64(time) + Limits.skewMilliseconds + 5
    for key in changed {
      guard let state = server.state.records[key]?.state else { continue }
      if state.greatestStamp.milliseconds > limit {
        blame(6, "the server holds a stamp from the future")
      }
    }
  }
}
