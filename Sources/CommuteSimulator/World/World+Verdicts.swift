import CommuteCore

/// What verdicts mean for the rows that they are about.
extension World {
  /// The record whose row in flight a verdict is about.
  func record(of id: OperationID, on number: Int) -> Int? {
    for record in devices[number].file.records.indices
    where !devices[number].file.records[record].rows.isEmpty {
      if devices[number].file.records[record].rows[0].operation.id == id { return record }
    }
    return nil
  }

  /// Applies a verdict; tells the oracle of moved stamps and refusals.
  mutating func settle(_ verdict: Verdict, _ record: Int, on number: Int) {
    let wall = wall(of: number)
    let user = devices[number].user
    let behind =
      devices[number].file.records[record].rows.count > 1
      ? devices[number].file.records[record].rows[1] : nil
    let hadBase = devices[number].file.records[record].base != nil
    if record == Stage.item, case .rejected(let code, _) = verdict.kind,
      let row = devices[number].file.records[record].rows.first
    {
      let isOwn = row.operation.replica == devices[number].file.device.replica
      book?.hide(
        row.operation, in: verdict.record?.state, isOfCopy: code == .mismatch && !isOwn)
    }
    let outcome = devices[number].withRecord(record) { state, device in
      state.settle(verdict, author: user, clock: &device.clock, wall: wall)
    }
    let after = devices[number].file.records[record]
    if let behind, isPlain(record), outcome.isSettled,
      after.rows.first?.operation.id == behind.operation.id
    {
      noteMoved(record, from: behind, on: number)
    }
    if hadBase, after.base == nil { release(record, on: number) }
    guard !outcome.rejections.isEmpty else { return }
    if outcome.rejections.count > 1 { reach(.creationRefused) }
    devices[number].file(outcome.rejections)
    for rejection in outcome.rejections {
      tell("device \(number): record \(record) goes to the inbox (\(rejection.code.name.text))")
      noteFailed(rejection.row.operation, on: number)
    }
  }

  /// Tells the oracle which stamps of the row behind were lifted.
  private mutating func noteMoved(_ record: Int, from old: OutboxRow, on number: Int) {
    guard let new = devices[number].file.records[record].rows.first else { return }
    for entry in old.operation.fields.entries {
      guard let change = new.operation.fields[entry.name], change.stamp != entry.value.stamp else {
        continue
      }
      oracle.moved(
        device: number, Stage.place(record, stage.field(entry.name, of: record)),
        Content(change.value), from: Moment(entry.value.stamp), to: Moment(change.stamp))
    }
  }

  /// Tells the oracle of what was refused.
  mutating func noteFailed(_ operation: Operation, on number: Int) {
    let record = self.number(of: operation.key)
    if record == Stage.item { book?.failed(operation) }
    guard isPlain(record) else { return }
    for entry in operation.fields.entries {
      oracle.failed(
        device: number, Stage.place(record, stage.field(entry.name, of: record)),
        Content(entry.value.value), claimed: Moment(entry.value.stamp))
    }
    if let deleted = operation.deleted {
      oracle.failed(
        device: number, Stage.deletion(of: record), .nothing, claimed: Moment(deleted))
    }
  }
}
