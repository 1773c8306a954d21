import CommuteCore
import CommuteStore

/// Rounds of sync over a network that loses, doubles and reorders.
extension SQLiteWorld {
  /// A device marks what waits, and sends it.
  func startRound(on device: RealDevice) async throws {
    if device.waits {
      try await act(device, "waits no longer") { store in try await store.abandonRound() }
      device.waits = false
    }
    guard device.store != nil else { return }
    let outside = device.hostLine
    let round = try await act(
      device, "begins a round", durable: { (round: OutgoingRound) in !round.isAsking }
    ) { store in
      try await store.beginRound(
        batch: Self.batch, limit: SyncRequest.Limit(records: Self.pageRecords))
    }
    guard let round, device.store != nil else { return }
    if !isCalm, !round.isAsking, oneIn(40) {
      // It dies after the commit that marks, before the record outside is written.
      device.hostLine = outside
      return try await die(device, .kill)
    }
    if !round.isAsking, device.hostLine?.hasSuffix(" \(round.request.number)\n") != true {
      throw Breach(
        promise: .identity,
        text: "\(device.number) sends #\(round.request.number), and nothing outside knows of it")
    }
    device.waits = true
    report.note(round.request.number)
    tell("\(device.number) sends #\(round.request.number), \(round.operationCount) operations")
    network.append(
      Parcel(device: device.number, process: device.process, load: .request(round.bytes)))
  }

  /// Something of what is under way arrives.
  func deliver() async throws {
    if network.isEmpty { return try await startRound(on: devices[draw(devices.count)]) }
    var index = 0
    if network.count > 1, oneIn(4) {
      index = draw(network.count)
      if index > 0 { count(.reordering) }
    }
    let parcel = network.remove(at: index)
    try await take(parcel)
  }

  func take(_ parcel: Parcel) async throws {
    switch parcel.load {
    case .request(let bytes): try serve(bytes, of: parcel)
    case .answer, .failure: try await receive(parcel)
    }
  }

  func disturbNetwork() {
    guard !network.isEmpty else { return }
    let index = draw(network.count)
    if oneIn(2) {
      count(.duplication)
      network.append(network[index])
    } else {
      count(.loss)
      network.remove(at: index)
    }
  }

  // MARK: - The server

  private func serve(_ bytes: [UInt8], of parcel: Parcel) throws {
    if !isCalm, oneIn(12) {
      count(.trouble)
      return network.append(
        Parcel(
          device: parcel.device, process: parcel.process,
          load: .failure(settledNothing: oneIn(2))))
    }
    let request: SyncRequest
    do throws(WireError) {
      request = try SyncRequest(decoding: bytes)
    } catch {
      throw Breach(promise: .trap, text: "a request cannot be read: \(error.message)")
    }
    try checkStamps(request)
    let (answer, outcome) = server.answer(request, time: time)
    if outcome.isSettled { note(outcome, of: request, by: parcel.device) }
    tell("the server answers \(parcel.device): \(answer.verdicts.map(\.kind))")
    network.append(
      Parcel(
        device: parcel.device, process: parcel.process, load: .answer(answer.encoded())))
  }

  private func note(_ outcome: Settlement.Outcome, of request: SyncRequest, by device: Int) {
    for (index, verdict) in outcome.verdicts.enumerated() {
      guard verdict.kind == .applied || verdict.kind == .duplicate else { continue }
      if index < request.offers.count {
        let offer = request.offers[index].record
        guard let record = Shelf.number(of: offer.key) else { continue }
        for number in ledger.numbers(in: offer.state, record) { ledger.took(number) }
        continue
      }
      let operation = request.operations[index - request.offers.count].operation
      for number in ledger.numbers(in: operation) {
        // Others' removals and deletions are not known by it.
        let edit = ledger.edits[number]
        let isOwn = edit?.device == device || edit?.stock != nil && edit?.isOnlyRemoving == false
        if isOwn { ledger.took(number) }
      }
    }
    report.note(outcome.changedRecords.count)
  }

  /// No device gives one stamp twice among those that left it.
  private func checkStamps(_ request: SyncRequest) throws {
    if ledger.hasTwins { return }
    for sent in request.operations {
      for entry in sent.operation.fields.entries {
        let field = FieldKey(record: sent.operation.key, field: entry.name)
        let stamp = entry.value.stamp
        let known = stamps[stamp]
        if let value = known?[field], value != entry.value.value {
          throw Breach(
            promise: .twice,
            text: "\(request.device) gave one stamp to two values of \(entry.name)")
        }
        if known?.keys.contains(where: { $0.record != field.record }) == true {
          throw Breach(
            promise: .twice, text: "\(request.device) gave one stamp in two records")
        }
        stamps[stamp, default: [:]][field] = entry.value.value
      }
    }
  }

  // MARK: - The answer

  private func receive(_ parcel: Parcel) async throws {
    let device = devices[parcel.device]
    guard device.store != nil, device.process == parcel.process else { return }
    switch parcel.load {
    case .request: return
    case .failure(let settledNothing):
      guard device.waits else { return }
      device.waits = false
      try await act(device, "hears of trouble") { store in
        try await store.abandonRound(settledNothing: settledNothing)
      }
    case .answer(let bytes):
      let answer: SyncAnswer
      do throws(WireError) {
        answer = try SyncAnswer(decodingPlain: bytes)
      } catch {
        throw Breach(promise: .trap, text: "an answer cannot be read: \(error.message)")
      }
      let applied = try await act(
        device, "applies an answer",
        durable: { (applied: AppliedRound) in
          // An answer to another request is passed over, whatever it says.
          applied.reading == .renewed
        }
      ) { store in try await store.apply(answer, roundTrip: 20) }
      guard let applied else { return }
      tell("\(device.number) reads it: \(applied.reading)")
      if applied.reading != .ignored { device.waits = false }
    }
  }
}
