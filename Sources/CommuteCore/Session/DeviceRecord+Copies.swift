/// What another copy of the file has sent of this file's own changes.
extension DeviceRecord {
  /// The stamps under which the server holds a value of an earlier replica id that comes again
  /// under another one.
  ///
  /// What stood behind another change when the file was copied or put back may have been lifted
  /// there and here. Whoever takes the place of it takes the place of what was sent before. Where
  /// another copy has sent this very operation, its value stands there under whatever id that has.
  func twins(
    of sent: OperationField, by replica: ReplicaID, in field: Key, clock: HybridClock,
    isOfCopy: Bool
  ) -> [Stamp] {
    guard replica != clock.replica, case .replaces = sent.detail,
      let siblings = base?.fields[field]?.siblings
    else { return [] }
    var twins: [Stamp] = []
    for sibling in siblings
    where sibling.origin != sent.stamp && sibling.value == sent.value {
      let writer = sibling.origin.replica
      if isOfCopy || writer == replica || writer == sent.stamp.replica {
        twins.append(sibling.origin)
      }
    }
    return twins
  }

  /// The value that base shows, where it is the one that another copy of the file has sent with
  /// this very operation, under the stamp that it was lifted to there; nil for another one.
  func sentByCopy(_ sent: OperationField, in field: Key) -> FieldState? {
    guard case .none = sent.detail, !sent.stamp.isFloor, let current = base?.fields[field],
      current.value == sent.value, !current.origin.isFloor
    else { return nil }
    return current
  }
}

extension OutboxRow {
  /// What the row counts and the record does not show, although it is taken for settled because
  /// another copy of the file had sent it; nil for nothing.
  ///
  /// That copy had moved its counts to another operation before. What became of that one nobody
  /// here knows, and a person decides.
  func uncounted(in record: RecordState?) -> OutboxRow? {
    guard let record, record.deleted == nil else { return nil }
    var row = self
    row.operation.fields = FieldMap()
    for entry in operation.fields.entries {
      guard case .total(let shares) = entry.value.detail else { continue }
      let counter = record.fields[entry.name]?.counter ?? CounterState()
      // A seed is everybody's.
      let missing = shares.filter {
        $0.replica != CounterState.seed && !$0.isCounted(in: counter)
      }
      if missing.isEmpty { continue }
      var change = entry.value
      change.detail = .total(missing)
      row.operation.fields.append(entry.name, change)
    }
    row.operation.creates = false
    row.operation.deleted = nil
    return row.operation.fields.isEmpty ? nil : row
  }
}

extension CounterShare {
  /// Whether a counter shows the total, or a greater one.
  func isCounted(in counter: CounterState) -> Bool {
    let told = counter[replica]
    return after.up <= told.up && after.down <= told.down
  }
}
