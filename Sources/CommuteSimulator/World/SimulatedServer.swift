import CommuteCore

/// The server: its rows, and what it does when a request comes.
struct SimulatedServer {
  /// Everything in its store; every commit of it is durable.
  var state: ServerState
  let settlement: Settlement
  /// The records by number, read from the store after each request.
  private(set) var held = [RecordState?](repeating: nil, count: Stage.recordCount)
  /// The operations that had effect, to see that none has it twice.
  var applied: [OperationID] = []
  /// The operations that were settled.
  var settled: [SyncRequest.SentOperation] = []
  /// The values that they carried, under the stamps with which they were settled.
  var deliveries: [Delivery] = []

  /// One field that was settled.
  struct Delivery {
    var place: Int
    var state: FieldState
  }

  /// The flavour of operation ids that the validator refuses.
  static let refused: UInt64 = 7

  init(tables: FieldMap<TableSchema>) {
    state = ServerState(
      epoch: Epoch(rawValue: 0xE1), clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    settlement = Settlement(tables: tables) { proposal in
      proposal.operation.low & 0xFF == Self.refused ? .invalid("a rule refused it") : nil
    }
  }

  /// Reads the records again that a request was about.
  mutating func readAgain(_ operations: [SyncRequest.SentOperation], on stage: Stage) {
    for index in operations.indices {
      let number = Stage.number(of: operations[index].operation.key)
      held[number] = state.records[stage.records[number]]?.state
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
      server.held[Stage.number(of: $0.operation.key)]?.deleted != nil
    }
    let outcome = server.settlement.settle(request, in: &server.state, time: time, user: user)
    server.readAgain(request.operations, on: stage)
    for index in outcome.verdicts.indices.prefix(wasDeleted.count) {
      note(
        outcome.verdicts[index], on: request.operations[index].operation, by: number,
        wasDeleted: wasDeleted[index])
    }
    for id in outcome.appliedOperations {
      if server.applied.contains(id) { blame(14, "an operation had effect twice") }
      server.applied.append(id)
    }
    report.note(outcome.changedRecords.count)
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
    switch verdict.kind {
    case .duplicate: reach(.duplicateVerdict)
    case .rejected(let code, _):
      if code == .mismatch { reach(.sentByCopy) } else { count(.rejection) }
    case .later: reach(.deferred)
    case .applied:
      reach(verdict.record == nil ? .recordLeftOut : .recordTold)
      if wasDeleted {
        noteBuried(operation, by: device)
      } else {
        noteSettled(operation, as: verdict, by: device)
      }
    }
  }

  private mutating func noteBuried(_ operation: Operation, by device: Int) {
    let record = Stage.number(of: operation.key)
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
    let record = Stage.number(of: operation.key)
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
      server.deliveries.append(
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
    server.settled.append(SyncRequest.SentOperation(operation: operation))
  }

  /// No stamp of the server is beyond its time and the limit.
  private mutating func checkServer(_ changed: [RecordKey]) {
    let limit = UInt64(time) + Limits.skewMilliseconds + 5
    for key in changed {
      guard let state = server.held[Stage.number(of: key)] else { continue }
      if state.greatestStamp.milliseconds > limit {
        blame(6, "the server holds a stamp from the future")
      }
    }
  }
}
