extension FieldState {
  /// What a change makes of a field where nobody decides for it: on a screen before the server has
  /// answered, and under the rules that are decided anywhere also at the server.
  ///
  /// Under the rules that the server decides a device shows its own value meanwhile.
  ///
  /// `current` is the field as it is, nil where there is none; `stamp` is when the change was
  /// settled, or written where it is not settled yet.
  public init(laying change: OperationField, over current: FieldState?, stamp: Stamp) {
    switch change.rule {
    case .latest:
      let state = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
      self = current.map { state.wins(over: $0) ? state : $0 } ?? state
    case .maximum, .minimum:
      let state = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
      self = current.map { state.isChosen(over: $0, rule: change.rule) ? state : $0 } ?? state
    case .growOnlyCounter, .counter:
      self.init(counting: change, over: current, stamp: stamp)
    case .set:
      self.init(collecting: change, over: current, stamp: stamp)
    case .text, .serverWins, .clientWins, .keepBoth:
      self.init(showing: change, over: current, stamp: stamp)
    }
  }

  private init(counting change: OperationField, over current: FieldState?, stamp: Stamp) {
    var counter = current?.counter ?? CounterState()
    if case .total(let shares) = change.detail {
      for share in shares { counter.raise(share.replica, to: share.after) }
    }
    let stamps = Self.stamps(of: change, over: current, stamp: stamp)
    self.init(counter, stamp: stamps.stamp, origin: stamps.origin)
  }

  private init(collecting change: OperationField, over current: FieldState?, stamp: Stamp) {
    var set = current?.set ?? SetState()
    if case .tags(let tags) = change.detail {
      for tag in tags.removed {
        set.remove(SetState.Removal(tag: tag, milliseconds: stamp.milliseconds))
      }
      for addition in tags.added { set.add(addition) }
    }
    let stamps = Self.stamps(of: change, over: current, stamp: stamp)
    self.init(set, stamp: stamps.stamp, origin: stamps.origin)
  }

  private static func stamps(
    of change: OperationField, over current: FieldState?, stamp: Stamp
  ) -> (stamp: Stamp, origin: Stamp) {
    let mine = FieldState(value: .null, stamp: stamp, origin: change.stamp)
    return current.map { $0.laterStamps(mine) } ?? (stamp, change.stamp)
  }

  /// The writer's own value; a seed shows only where nobody wrote, the greater of two of them.
  private init(showing change: OperationField, over current: FieldState?, stamp: Stamp) {
    let state = FieldState(value: change.value, stamp: stamp, origin: change.stamp)
    guard let current else {
      self = state
      return
    }
    if stamp.isFloor {
      self = current.stamp.isFloor && current.value < change.value ? state : current
      return
    }
    self = state
    if change.rule == .keepBoth {
      self = FieldState(adding: change, beside: current, stamp: stamp)
    } else {
      merge = current.merge
    }
  }

  /// The value beside those that its writer did not replace; the one with the greatest origin is
  /// what shows.
  init(adding change: OperationField, beside current: FieldState, stamp: Stamp) {
    var replaced: [Stamp] = []
    if case .replaces(let origins) = change.detail { replaced = origins }
    var siblings: [Sibling] = []
    #if PLANTED
      let drops = Planted.isActive(.siblingDropped)
    #else
      let drops = false
    #endif
    for sibling in current.siblings where !drops {
      if sibling.origin.isFloor || sibling.origin == change.stamp { continue }
      if !replaced.contains(sibling.origin) { siblings.append(sibling) }
    }
    let place = siblings.place(of: change.stamp) { $0.origin }
    siblings.insert(Sibling(origin: change.stamp, value: change.value), at: place.index)
    var decided = current.decided
    decided.siblings = siblings
    let shown = siblings[siblings.count - 1]
    self.init(value: shown.value, stamp: stamp, origin: shown.origin, merge: decided.json)
  }
}

extension OperationField {
  /// Whether the writer had seen a value; seeds see nothing, and are seen by nobody.
  func hasSeen(_ current: FieldState) -> Bool {
    guard let over, !stamp.isFloor, !current.origin.isFloor else { return false }
    return over.origin == current.origin
  }
}

extension RecordState {
  /// Lays an operation over the state: each field by the rule of its change, a deletion if it has
  /// one.
  ///
  /// Where the server settled a field under another stamp than the writer's, that one counts.
  mutating func lay(
    _ operation: Operation, settled: FieldMap<Stamp> = FieldMap(), rule: RecordRule = .deleteWins
  ) {
    #if PLANTED
      if Planted.isActive(.rowLevelMerge) {
        layWhole(operation)
        return
      }
    #endif
    for entry in operation.fields.entries {
      let origin = entry.value.stamp
      let stamp = settled.isEmpty ? origin : settled[entry.name] ?? origin
      let (index, isThere) = fields.place(of: entry.name)
      guard isThere else {
        fields[entry.name] = FieldState(laying: entry.value, over: nil, stamp: stamp)
        continue
      }
      if entry.value.rule == .latest {
        // What its writer had seen cannot win back, under whatever stamp it was settled anew.
        let hasSeen = entry.value.hasSeen(fields[position: index])
        if !hasSeen, stamp < fields[position: index].stamp { continue }
        let state = FieldState(value: entry.value.value, stamp: stamp, origin: origin)
        if hasSeen || state.wins(over: fields[position: index]) {
          fields[position: index] = state
        }
      } else {
        fields[position: index] = FieldState(
          laying: entry.value, over: fields[position: index], stamp: stamp)
      }
    }
    if let stamp = operation.deleted { deleted = deleted.map { max($0, stamp) } ?? stamp }
    if rule == .editRevives { reviveIfEdited() }
  }

  /// Under `editRevives` a record lives if and only if an edit is later than its deletion.
  ///
  /// Of a value that was settled under another stamp than the writer's the earlier one counts: what
  /// the server decided late was not written late, and what claims the future is of the present.
  mutating func reviveIfEdited() {
    guard let deletion = deleted else { return }
    #if PLANTED
      if Planted.isActive(.everyEditRevives),
        fields.entries.contains(where: { !$0.value.stamp.isFloor })
      {
        deleted = nil
        return
      }
    #endif
    for entry in fields.entries where deletion < min(entry.value.stamp, entry.value.origin) {
      deleted = nil
      return
    }
  }

  #if PLANTED
    /// The naive rule: the later writer's whole record wins.
    mutating func layWhole(_ operation: Operation) {
      var latest = Stamp.floor
      for entry in operation.fields.entries where latest < entry.value.stamp {
        latest = entry.value.stamp
      }
      if !(latest < greatestStamp) {
        for entry in operation.fields.entries {
          fields[entry.name] = FieldState(value: entry.value.value, stamp: entry.value.stamp)
        }
      }
      if let stamp = operation.deleted { deleted = deleted.map { max($0, stamp) } ?? stamp }
    }
  #endif
}
