import CommuteCore

/// Rounds of sync in a world of rules, and what is judged after each operation.
extension RuleWorld {
  /// Sends the first row of a device.
  mutating func send(from device: Int) {
    guard !devices[device].record.rows.isEmpty else { return pull(device) }
    devices[device].record.markInFlight(epoch: Self.epoch)
    if devices[device].record.rows[0].operation.digest == World.noDigest {
      let operation = devices[device].record.rows[0].operation.withoutBases()
      devices[device].record.rows[0].operation.digest = World.digest(of: operation)
    }
    let operation = devices[device].record.rows[0].operation.withoutBases()
    let number = newIdentifier().low
    devices[device].nonce = number
    tell("\(device) sends \(book.contents[operation.id] ?? [])")
    network.append(
      RuleParcel(
        device: device, nonce: number, operation: operation,
        replica: devices[device].clock.replica, replicas: devices[device].earlier, number: number))
  }

  /// The server takes a request; an earlier one that comes late settles nothing.
  mutating func serve(_ parcel: RuleParcel) {
    let request = SyncRequest(
      schema: SchemaID(name: "rules", version: 1, hash: 1), build: "", owner: "home/ada",
      replica: parcel.replica, replicas: parcel.replicas, device: "", number: parcel.number,
      nonce: Nonce(high: 0, low: parcel.nonce), epoch: Self.epoch, time: time,
      feeds: [SyncRequest.Feed(feed: "items", cursor: 0)],
      operations: [SyncRequest.SentOperation(operation: parcel.operation)])
    let before = state.records[Self.key]?.state
    let outcome = settlement.settle(request, in: &state, time: time, user: "ada")
    guard outcome.isSettled, let verdict = outcome.verdicts.first else { return }
    if verdict.kind == .applied {
      let conflicts = outcome.changedRecords.compactMap { key in
        state.records[key].flatMap { ConflictEntry(key: key, state: $0.state) }
      }
      book.judge(
        parcel.operation, verdict, after: state.records[Self.key]?.state,
        wasDeleted: before?.deleted != nil, isOfOtherEpoch: false, conflicts: conflicts,
        isOfCopy: parcel.operation.replica != parcel.replica)
    }
    book.noteRevision(state.records[Self.key]?.state.revision)
    tell("the server says \(verdict.kind)")
    var answer = parcel
    answer.verdict = verdict
    network.append(answer)
  }

  /// A device reads an answer, if it waits for it, and what the server holds.
  mutating func receive(_ parcel: RuleParcel) {
    let device = parcel.device
    guard devices[device].nonce == parcel.nonce, let verdict = parcel.verdict else { return }
    devices[device].nonce = nil
    var clock = devices[device].clock
    let outcome = devices[device].record.settle(
      verdict, author: "ada", clock: &clock, wall: time + devices[device].skew)
    devices[device].clock = clock
    if !outcome.rejections.isEmpty { tell("\(device) was refused") }
    book.checkView(devices[device].record)
    if choices.draw(2) == 0 { pull(device) }
  }

  /// A device reads what the server holds now.
  mutating func pull(_ device: Int) {
    guard let state = state.records[Self.key]?.state else { return }
    var clock = devices[device].clock
    devices[device].record.absorb(state, clock: &clock)
    devices[device].clock = clock
    book.checkView(devices[device].record)
  }
}
