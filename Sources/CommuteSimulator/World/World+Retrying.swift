import CommuteCore

/// What must be true of what a person makes once more.
extension World {
  /// What was made once more is what was refused: seeds stay seeds, deletions deletions, and no
  /// count is lost.
  mutating func checkRetried(
    _ refused: [CommuteCore.Operation], _ record: Int, over shown: RecordState?, on number: Int
  ) {
    guard let row = devices[number].file.records[record].rows.last else { return }
    for entry in row.operation.fields.entries {
      let before = refused.compactMap { $0.fields[entry.name] }
      if before.isEmpty { blame(13, "a retry writes a field that was not refused") }
      let isSeed = entry.value.stamp.isFloor
      let isShown = isSeed && before.areDecided(in: shown?.fields[entry.name])
      if isSeed != before.allSatisfy({ $0.stamp.isFloor }), !isShown {
        blame(13, "a seed that was refused comes once more as a decision, or a decision as a seed")
      }
    }
    if refused.contains(where: { $0.deleted != nil }), row.operation.deleted == nil {
      blame(13, "a deletion that was refused is not made once more")
    }
    if refused.contains(where: { $0.id == row.operation.id }) {
      blame(13, "what was refused is made once more under its old id")
    }
    for entry in row.operation.fields.entries {
      // Seeds are everybody's: one that others have told meanwhile need not come once more.
      guard case .total(let all) = entry.value.detail else { continue }
      let shares = all.filter { $0.replica != CounterState.seed }
      var up = shares.reduce(0) { $0 + $1.up }
      var down = shares.reduce(0) { $0 + $1.down }
      for operation in refused {
        guard case .total(let all)? = operation.fields[entry.name]?.detail else { continue }
        let old = all.filter { $0.replica != CounterState.seed }
        up &-= old.reduce(0) { $0 + $1.up }
        down &-= old.reduce(0) { $0 + $1.down }
      }
      if up != 0 || down != 0 { blame(21, "a count that was refused is not counted once more") }
    }
  }
}

extension [OperationField] {
  /// Whether a set shows all that was decided of it, so that nothing but what was seeded is left to
  /// be made once more.
  fileprivate func areDecided(in shown: FieldState?) -> Bool {
    guard let shown, first?.rule == .set else { return false }
    var added: [TaggedElement] = []
    var seeded: [TaggedElement] = []
    var removed: [ElementTag] = []
    for case .tags(let tags) in map(\.detail) {
      added += tags.added.filter { !$0.tag.isSeeded }
      seeded += tags.added.filter { $0.tag.isSeeded }
      added.removeAll { tags.removed.contains($0.tag) }
      removed += tags.removed
    }
    let elements = added.map(\.element)
    let mustGo = (shown.set.additions + seeded).contains {
      removed.contains($0.tag) && !elements.contains($0.element)
    }
    return !mustGo && elements.allSatisfy { shown.set.elements.contains($0) }
  }
}
