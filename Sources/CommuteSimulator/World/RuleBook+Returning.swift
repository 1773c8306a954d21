import CommuteCore

/// Files and servers that go back, and what becomes of the edits in them.
extension RuleBook {
  /// What the server held at some time.
  struct Marks {
    fileprivate var fields: [RuleField]
    fileprivate var told: [Int]
    fileprivate var latestEdit: Moment
    fileprivate var latestDeletion: Moment
  }

  /// What the server holds now.
  var marks: Marks {
    Marks(
      fields: oracle.fields, told: told, latestEdit: latestEdit, latestDeletion: latestDeletion)
  }

  /// The server's files were put back.
  mutating func serverWentBack(to marks: Marks) {
    oracle.fields = marks.fields
    told = marks.told
    latestEdit = marks.latestEdit
    latestDeletion = marks.latestDeletion
    isLoose = true
  }

  /// The server has forgotten removals from sets: an addition that waits in a file that was put
  /// back shows again until it is refused.
  mutating func forgetRemovals(before: RecordState?, after: RecordState) {
    for (field, name) in names.enumerated() {
      let removals = after.fields[name]?.set.removals ?? []
      guard removals.isEmpty, before?.fields[name]?.set.removals.isEmpty == false else { continue }
      // Those of seeds, whose names are negative, stay.
      let gone = oracle.fields[field].removed.filter { $0 > 0 }
      oracle.fields[field].removed.removeAll { gone.contains($0) }
      oracle.fields[field].added.removeAll { gone.contains($0.name) }
    }
  }

  /// A device's file went back to an earlier commit.
  mutating func wentBack(device: Int, to version: Int) {
    for index in oracle.edits.indices
    where oracle.edits[index].device == device && oracle.edits[index].version > version {
      oracle.edits[index].isLost = true
    }
    // What was moved since then stands in the rows again.
    for index in moves.indices.reversed()
    where moves[index].device == device && moves[index].version > version {
      contents[moves[index].row]?[moves[index].field] = moves[index].numbers
      moves.remove(at: index)
    }
  }

  /// An operation was refused and is shown as such.
  mutating func failed(_ operation: CommuteCore.Operation) {
    account(for: operation)
    refused.formUnion((contents[operation.id] ?? []).joined())
    refusedCounts.formUnion(operation.countingReplicas)
  }

  /// An operation was settled, or refused and shown as such: with all that it carries.
  mutating func account(for operation: CommuteCore.Operation) {
    for field in rules.indices {
      for number in numbers(of: field, in: operation) where number > 0 {
        oracle.edits[number - 1].isAccounted = true
      }
    }
  }

  /// The edits of a field that an operation carries, as it was sent.
  ///
  /// What a row had counted may have been moved to another operation before it was sent, and the
  /// file put back since, in which it stands under the same id as it was.
  func numbers(of field: Int, in operation: CommuteCore.Operation) -> [Int] {
    let numbers = contents[operation.id]?[field] ?? []
    guard rules[field] == .counter || rules[field] == .rising else { return numbers }
    var shares: [CounterShare] = []
    if case .total(let all)? = operation.fields[names[field]]?.detail { shares = all }
    if shares.contains(where: { $0.replica != CounterState.seed }) { return numbers }
    return numbers.filter { $0 > 0 && oracle.edits[$0 - 1].isSeed }
  }

  // MARK: - Offers

  /// An offer was refused: what was counted in it may come all the same, with the totals of rows
  /// that counted on from it.
  mutating func refused(_ offer: SyncRequest.Offer) {
    for (field, name) in names.enumerated() {
      for entry in offer.record.state.fields[name]?.counter.entries ?? [] {
        doubled[field].up += Int(entry.total.up)
        doubled[field].down += Int(entry.total.down)
      }
    }
  }

  /// A device offers again what it held under an earlier epoch.
  mutating func offers(_ record: DeviceRecord, before: DeviceRecord) {
    guard let offer = record.offer else { return }
    offered[offer.id] = ground(of: before)
  }

  /// What a device knows of the fields without its own rows.
  func ground(of record: DeviceRecord) -> [RuleField] {
    var fields =
      record.base?.revision.flatMap { snapshots[$0] } ?? rules.map { _ in RuleField() }
    guard let offer = record.offer, let told = offered[offer.id] else { return fields }
    for (field, name) in names.enumerated() {
      let isLater = Self.isLater(offer.state.fields[name], than: record.base?.fields[name])
      fields[field] = oracle.joined(fields[field], with: told[field], in: field, isLater: isLater)
    }
    return fields
  }

  /// The server took an offer.
  mutating func took(_ offer: SyncRequest.Offer, over before: RecordState?) {
    guard let told = offered[offer.id] else { return }
    let state = offer.record.state
    for (field, name) in names.enumerated() {
      let isLater = Self.isLater(state.fields[name], than: before?.fields[name])
      oracle.fields[field] = oracle.joined(
        oracle.fields[field], with: told[field], in: field, isLater: isLater)
    }
    for entry in state.fields.entries where !entry.value.stamp.isFloor {
      let moment = min(Moment(entry.value.stamp), Moment(entry.value.origin))
      if latestEdit < moment { latestEdit = moment }
    }
    if let deleted = state.deleted, latestDeletion < Moment(deleted) {
      latestDeletion = Moment(deleted)
    }
  }

  /// Whether of two copies of a field the first was settled later.
  private static func isLater(_ one: FieldState?, than other: FieldState?) -> Bool {
    guard let one else { return false }
    return other.map { $0.stamp < one.stamp } ?? true
  }

  // MARK: - Counts that were moved

  /// What rows counted under an earlier id is counted by another operation, too.
  ///
  /// `version` is that of the device's file then.
  mutating func recounted(
    _ moved: [Recount], rows: [OutboxRow], by id: OperationID, on device: Int, version: Int
  ) {
    var content = rules.map { _ in [Int]() }
    for recount in moved {
      guard let field = field(recount.field) else { continue }
      doubled[field].up += Int(recount.amount.up)
      doubled[field].down += Int(recount.amount.down)
      for row in rows {
        let numbers = contents[row.operation.id]?[field] ?? []
        moves.append(
          Move(
            device: device, version: version, row: row.operation.id, field: field,
            numbers: numbers))
        content[field] += numbers.filter {
          $0 > 0 && !oracle.edits[$0 - 1].isSeed && !content[field].contains($0)
        }
        // What the row says beside them goes on under its own id.
        contents[row.operation.id]?[field] = numbers.filter {
          $0 > 0 && oracle.edits[$0 - 1].isSeed
        }
      }
    }
    contents[id] = content
  }

  /// Which sums a counter may show: what was counted, and what may have been counted twice.
  func sums(of field: Int, in known: RuleField) -> ClosedRange<Int> {
    let sum = oracle.sum(of: known)
    return (sum - doubled[field].down)...(sum + doubled[field].up)
  }

  /// A refused operation is taken for counted where the record shows its total, or, where a copy of
  /// the file has sent it, no less.
  ///
  /// Under an id that two machines share the total may be the other's: the counts hide each other.
  mutating func hide(
    _ operation: CommuteCore.Operation, in told: RecordState?, isOfCopy: Bool
  ) {
    for (field, name) in names.enumerated() {
      guard case .total(let shares)? = operation.fields[name]?.detail,
        shares.contains(where: { shared.contains($0.replica) }),
        let counter = told?.fields[name]?.counter
      else { continue }
      let isTaken = shares.allSatisfy { share in
        let held = counter[share.replica]
        let isBelow = share.after.up <= held.up && share.after.down <= held.down
        return share.after == held || isOfCopy && isBelow
      }
      guard isTaken else { continue }
      for number in numbers(of: field, in: operation) where number > 0 {
        oracle.edits[number - 1].isAccounted = true
      }
    }
  }

  // MARK: - At rest

  /// Every edit was settled, is shown as refused, or went with a file; some devices are down.
  mutating func judgeFates(down: [Int]) {
    for (index, edit) in oracle.edits.enumerated() {
      if edit.isAccounted || edit.isLost || edit.isSeed || down.contains(edit.device) { continue }
      blame(13, "edit \(index + 1) of the item is neither settled nor shown as failed")
    }
  }
}
