import CommuteCore

/// The server: its rows, and what it does when a request comes.
struct SimulatedServer {
  /// Everything in its store; every commit of it is durable.
  var state: ServerState
  let settlement: Settlement
  /// The operations that had effect, to see that none has it twice.
  var applied: [OperationID] = []
  /// The operations that were settled, with what the server made of their fields.
  var deliveries: [Delivery] = []

  /// An operation as it was settled.
  struct Delivery {
    var operation: Operation
    var stamps: FieldMap<Stamp>
    var deleted: Stamp?
  }

  /// The flavour of operation ids that the validator refuses.
  static let refused: UInt64 = 7

  init(tables: FieldMap<TableSchema>) {
    state = ServerState(
      epoch: Epoch(rawValue: 0xE1), clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    settlement = Settlement(tables: tables) { proposal in
      proposal.operation.low & 0xFF == Self.refused ? "a rule refused it" : nil
    }
  }

  /// The highest number of a feed.
  func head(of feed: Key) -> UInt64 { state.heads[feed]?.head ?? 0 }
}

extension World {
  /// The server takes a request.
  mutating func serve(_ parcel: Parcel) {
    let number = parcel.device
    guard let request = read(parcel) else { return }
    let user = devices[number].user
    if request.owner != Account(tenant: "home", user: user).owner {
      blame(9, "device \(number) asks in the name of \(request.owner)")
    }
    if let failure = drawTrouble() {
      network.append(Parcel(device: number, process: parcel.process, load: .failure(failure)))
      return
    }
    if strangeAnswers > 0, request.epoch != nil {
      send(strangeAnswer(to: request), to: number, process: parcel.process)
      return
    }
    if request.operations.count > Self.batch { blame(18, "a request carries too much") }
    let wasDeleted = request.operations.map {
      server.state.records[$0.operation.key]?.state.deleted != nil
    }
    let outcome = server.settlement.settle(request, in: &server.state, time: time, user: user)
    for (index, verdict) in outcome.verdicts.enumerated() where index < wasDeleted.count {
      note(
        verdict, on: request.operations[index].operation, by: number,
        wasDeleted: wasDeleted[index])
    }
    for id in outcome.appliedOperations {
      if server.applied.contains(id) { blame(14, "an operation had effect twice") }
      server.applied.append(id)
    }
    checkServer(outcome.changedRecords)
    let answer = SyncAnswer(
      epoch: server.state.epoch, renew: outcome.renews ? [] : nil, time: time,
      nonce: request.nonce, verdicts: outcome.verdicts,
      feeds: outcome.isSettled ? pages(for: request, told: told(by: outcome, of: request)) : [])
    tell("server answers device \(number): \(Self.describe(answer))")
    send(answer, to: number, process: parcel.process)
  }

  /// Tells the oracle what the server made of an operation.
  private mutating func note(
    _ verdict: Verdict, on operation: Operation, by device: Int, wasDeleted: Bool
  ) {
    let record = Stage.number(of: operation.key)
    switch verdict.kind {
    case .duplicate: reach(.duplicateVerdict)
    case .rejected: count(.rejection)
    case .later: reach(.deferred)
    case .applied:
      reach(verdict.record == nil ? .recordLeftOut : .recordTold)
      for entry in operation.fields.entries {
        let place = Stage.place(record, stage.field(entry.name, of: record))
        let content = Content(entry.value.value)
        let claimed = Moment(entry.value.stamp)
        if wasDeleted {
          oracle.buried(device: device, place, content, claimed: claimed)
          reach(.buried)
          continue
        }
        let settled = verdict.stamps[entry.name] ?? entry.value.stamp
        if settled != entry.value.stamp { reach(.restamped) }
        blame(
          oracle.settled(
            device: device, place, content, claimed: claimed, as: Moment(settled)))
      }
      if let claimed = operation.deleted {
        let settled = Moment(verdict.deleted ?? claimed)
        blame(
          oracle.settled(
            device: device, Stage.deletion(of: record), .nothing, claimed: Moment(claimed),
            as: settled))
      }
      if !wasDeleted {
        server.deliveries.append(
          SimulatedServer.Delivery(
            operation: operation, stamps: verdict.stamps, deleted: verdict.deleted))
      }
    }
  }

  /// No stamp of the server is beyond its time and the limit.
  private mutating func checkServer(_ changed: [RecordKey]) {
    let limit = UInt64(time) + Limits.skewMilliseconds + 5
    for key in changed {
      guard let stored = server.state.records[key] else { continue }
      if stored.state.greatestStamp.milliseconds > limit {
        blame(6, "the server holds a stamp from the future")
      }
    }
  }
}
