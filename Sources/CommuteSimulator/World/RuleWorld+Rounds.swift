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
    tell("\(device) sends \(contents[operation.id] ?? [])")
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
      let isOfCopy = parcel.operation.replica != parcel.replica
      judge(parcel.operation, verdict, outcome, before: before, isOfCopy: isOfCopy)
    }
    if let revision = state.records[Self.key]?.state.revision {
      snapshots[revision.number] = oracle.fields
    }
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
    checkView(device)
    if choices.draw(2) == 0 { pull(device) }
  }

  /// A device reads what the server holds now.
  mutating func pull(_ device: Int) {
    guard let state = state.records[Self.key]?.state else { return }
    var clock = devices[device].clock
    devices[device].record.absorb(state, clock: &clock)
    devices[device].clock = clock
    checkView(device)
  }

  // MARK: - Judging

  private mutating func judge(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, _ outcome: Settlement.Outcome,
    before: RecordState?, isOfCopy: Bool
  ) {
    applied.append(operation.id)
    let after = state.records[Self.key]?.state
    if isReviving { judgeLife(operation, verdict, after: after) }
    // An edit of a deleted record that does not bring it back is nowhere.
    if before?.deleted != nil, after?.deleted != nil { return }
    var losers: [Int] = []
    for (field, name) in names.enumerated() {
      guard let change = operation.fields[name] else { continue }
      let numbers = contents[operation.id]?[field] ?? []
      let claim = Moment(change.stamp)
      let held = after?.fields[name]
      if rules[field] == .text { judgeText(change, numbers, claim, held?.value, field) }
      let loser = oracle.came(
        numbers, to: field, claim: claim, stands: Self.edit(of: held?.value))
      if loser > 0, !told.contains(loser) { losers.append(loser) }
      if !isReviving { judgeField(field, held) }
    }
    if !isReviving { judgeConflicts(outcome, losers: losers, isOfCopy: isOfCopy) }
  }

  /// The field holds what the oracle expects.
  private mutating func judgeField(_ field: Int, _ held: FieldState?) {
    let expected = oracle.fields[field]
    switch rules[field] {
    case .counter, .rising:
      let sum = oracle.sum(of: expected)
      if held?.value != .integer(Int64(sum)) {
        blame(21, "a counter holds \(held.map { "\($0.value)" } ?? "nothing"), must hold \(sum)")
      }
    case .set:
      let elements = expected.elements.map { "e\($0)" }
      if held?.value != .list(elements) {
        blame(12, "a set holds \(held.map { "\($0.value)" } ?? "nothing"), must hold \(elements)")
      }
    case .keepBoth:
      let siblings = (held?.siblings ?? []).map { Self.edit(of: $0.value) }.sorted()
      if siblings != expected.siblings.sorted() {
        blame(12, "\(siblings) stand side by side, must be \(expected.siblings.sorted())")
      }
    case .text: break
    case .latest, .maximum, .minimum, .serverWins, .clientWins:
      let edit = Self.edit(of: held?.value)
      if edit != expected.current {
        let rule = rules[field]
        blame(12, "\(rule) holds edit \(edit), must hold \(expected.current)")
      }
    }
  }

  /// Every loss is told once, and nothing else is.
  ///
  /// A file that was put back sends under another id what may have been settled and replaced, or
  /// was collapsed into what was; of such a value the server cannot know who had seen it.
  private mutating func judgeConflicts(
    _ outcome: Settlement.Outcome, losers: [Int], isOfCopy: Bool
  ) {
    var found: [Int] = []
    for key in outcome.changedRecords where key.table == ConflictEntry.table {
      guard let state = state.records[key]?.state,
        let conflict = ConflictEntry(key: key, state: state)
      else {
        blame(22, "a conflict cannot be read")
        continue
      }
      if conflict.rule == "text" { continue }
      let edit = Self.edit(of: conflict.lost)
      let isTold = told.contains(edit)
      if isTold { blame(22, "edit \(edit) is told twice to have lost") }
      if !isOfCopy || losers.contains(edit) { found.append(edit) }
    }
    if found.sorted() != losers.sorted() {
      blame(22, "\(losers) lost to edits that had not seen them, told are \(found)")
    }
    told += losers
  }

  /// No word is lost that nobody took out, and none comes from nowhere.
  private mutating func judgeText(
    _ change: OperationField, _ numbers: [Int], _ claim: Moment, _ held: FieldValue?, _ field: Int
  ) {
    guard case .text(let text)? = held, let last = numbers.last else {
      return blame(12, "a text is no text")
    }
    let words = Self.words(text)
    let isKnown = last > 0 && oracle.fields[field].hasSettled(claim)
    if !isKnown, last > 0 {
      let old = Self.words(change.base)
      let new = Self.words(change.value)
      oracle.fields[field].wordsIn += new.filter { !old.contains($0) }
      oracle.fields[field].wordsOut += old.filter { !new.contains($0) }
      oracle.fields[field].claims.append(claim)
    }
    let count = oracle.edits.count
    for word in words where word > count {
      blame(12, "the word w\(word) comes from nowhere")
    }
    let expected = oracle.fields[field]
    for word in expected.wordsIn where word > 0 && !expected.wordsOut.contains(word) {
      if !words.contains(word) { blame(12, "the word w\(word) is lost and nobody took it out") }
    }
  }

  /// The numbers of a text's words; those of seeds are not positive.
  private static func words(_ value: FieldValue?) -> [Int] {
    guard case .text(let text)? = value else { return [] }
    return words(text)
  }

  private static func words(_ text: String) -> [Int] {
    text.split(separator: " ").map { word in
      let number = Int(word.dropFirst()) ?? 0
      return word.hasPrefix("s") ? -number : number
    }
  }

  /// The record lives if and only if an edit is later than every deletion.
  private mutating func judgeLife(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, after: RecordState?
  ) {
    for entry in operation.fields.entries where !entry.value.stamp.isFloor {
      let settled = verdict.stamps[entry.name] ?? entry.value.stamp
      let moment = min(Moment(settled), Moment(entry.value.stamp))
      if latestEdit < moment { latestEdit = moment }
    }
    if let claimed = operation.deleted {
      let moment = Moment(verdict.deleted ?? claimed)
      if latestDeletion < moment { latestDeletion = moment }
    }
    let mustLive = latestDeletion == .start || latestDeletion < latestEdit
    if (after?.deleted == nil) != mustLive {
      blame(12, mustLive ? "a later edit does not revive" : "an earlier edit brings a record back")
    }
  }
}
