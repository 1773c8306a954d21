/// How planned changes become part of a row.
extension DeviceRecord {
  /// Puts one changed field into a row, with what its writer had seen.
  mutating func note(
    _ change: PlannedChange, stamp: Stamp, before: RecordState, in index: Int,
    operation id: OperationID
  ) {
    let known = rows[index].operation.fields[change.name]
    let shown = before.fields[change.name]
    var field = OperationField(
      value: .null, stamp: stamp, over: known?.over, base: known.map { $0.base } ?? shown?.value,
      rule: change.rule)
    switch change.action {
    case .put(let value), .resolve(let value):
      if known == nil || showsBase(change.name, in: before) {
        field.over = seen(change.name, before: index)
      }
      field.value = value
      if change.rule == .keepBoth {
        field.detail = .replaces(replaced(by: change, known: known, shown: shown))
      }
    case .count(let up, let down):
      field.over = nil
      field.detail = counted(
        up: up, down: down, known: known, shown: shown, told: ground?.fields[change.name],
        isSeed: stamp.isFloor, replica: rows[index].operation.replica)
    case .collect(let insert, let remove):
      field.over = nil
      let tags = collected(
        insert: insert, remove: remove, change.name, known: known,
        operation: stamp.isFloor ? nil : id)
      field.detail = .tags(tags)
    }
    rows[index].operation.fields[change.name] = field
  }

  /// The siblings that a value takes the place of: those of the same row's earlier value, and the
  /// one that shows, or all.
  private func replaced(
    by change: PlannedChange, known: OperationField?, shown: FieldState?
  ) -> [Stamp] {
    var origins: [Stamp] = []
    if case .replaces(let earlier)? = known?.detail { origins = earlier }
    var seen: [Stamp] = []
    if let shown {
      switch change.action {
      case .resolve: seen = shown.siblings.map { $0.origin }
      case .put, .count, .collect: seen = [shown.origin]
      }
    }
    for origin in seen where !origin.isFloor && origin != known?.stamp {
      if !origins.contains(origin) { origins.append(origin) }
    }
    origins.sort()
    return origins
  }

  /// The totals that an amount makes of what the view shows.
  private func counted(
    up: UInt64, down: UInt64, known: OperationField?, shown: FieldState?, told: FieldState?,
    isSeed: Bool, replica: ReplicaID
  ) -> RuleDetail {
    var shares: [CounterShare] = []
    if case .total(let earlier)? = known?.detail { shares = earlier }
    if up == 0, down == 0 { return .total(shares) }
    if isSeed {
      let total = CounterTotal(up: up, down: down)
      shares = [CounterShare(replica: CounterState.seed, before: CounterTotal(), after: total)]
      return .total(shares)
    }
    #if PLANTED
      // As it is told in books: a device counts on from what it knows to be settled.
      let counter =
        (Planted.isActive(.totalsFromBase) ? told : shown)?.counter ?? CounterState()
    #else
      let counter = shown?.counter ?? CounterState()
    #endif
    let now = counter[replica]
    let after = now.adding(up: up, down: down)
    let place = shares.place(of: replica) { $0.replica }
    if place.found {
      shares[place.index].after = after
    } else {
      let share = CounterShare(replica: replica, before: now, after: after)
      shares.insert(share, at: place.index)
    }
    return .total(shares)
  }

  /// The additions and removals of a row after some more; seeds have tags that all devices know.
  private func collected(
    insert: [String], remove: [String], _ name: Key, known: OperationField?,
    operation: OperationID?
  ) -> TagChange {
    var change = TagChange()
    if case .tags(let earlier)? = known?.detail { change = earlier }
    for element in remove {
      for tag in knownTags(of: element, in: name) {
        // The removal goes with it also where the addition has not left: a copy of the file may
        // still hold that, and send it.
        if !tag.isSeeded { change.added.removeAll { $0.tag == tag } }
        if !change.removed.contains(tag) { change.removed.append(tag) }
      }
    }
    #if PLANTED
      let operation = Planted.isActive(.elementsUntagged) ? nil : operation
    #endif
    for element in insert {
      let tag =
        operation.map { ElementTag.added(by: $0, field: name, element: element) }
        ?? ElementTag.seeded(in: key, field: name, element: element)
      change.added.append(TaggedElement(tag: tag, element: element))
    }
    return TagChange(added: change.added, removed: change.removed)
  }

  /// The additions of an element that the device knows: the server's, and those of its own rows.
  ///
  /// Also those that an earlier row removes already: should that one be refused, the person has
  /// still removed the element since.
  private func knownTags(of element: String, in name: Key) -> [ElementTag] {
    var tags = ground?.fields[name]?.set.tags(of: element) ?? []
    for row in rows {
      guard case .tags(let change)? = row.operation.fields[name]?.detail else { continue }
      for addition in change.added where addition.element.hasSameBytes(as: element) {
        tags.append(addition.tag)
      }
    }
    return tags
  }

  /// Whether the view shows the server's value of a field rather than one of the device's own.
  private func showsBase(_ name: Key, in view: RecordState) -> Bool {
    view.fields[name] == ground?.fields[name]
  }

  /// What the view showed of a field below a row: an earlier row's value, or base's.
  private func seen(_ name: Key, before index: Int) -> Over? {
    let told = ground?.fields[name]
    var winner = told
    var over = told.map { Over(stamp: $0.stamp, origin: $0.origin) }
    #if PLANTED
      if Planted.isActive(.overNotInherited) { return over }
    #endif
    for earlier in 0..<index {
      guard let change = rows[earlier].operation.fields[name] else { continue }
      let state = FieldState(laying: change, over: winner, stamp: change.stamp)
      guard state.origin == change.stamp, state != winner else { continue }
      winner = state
      over = Over(stamp: change.over?.stamp ?? .floor, origin: change.stamp)
    }
    return over
  }

  /// Takes out of the rows what they had of a refused change.
  ///
  /// That is its share of counters, and its being seen: their writer had seen what that change was
  /// written over.
  mutating func forget(_ refused: Operation) {
    for entry in refused.fields.entries {
      for index in rows.indices {
        rows[index].operation.fields[entry.name]?.forget(entry.value)
      }
    }
  }
}

extension OperationField {
  /// Follows a value that it takes the place of and that was stamped anew before it left.
  mutating func rename(_ known: Stamp, to now: Stamp) {
    guard known != now, case .replaces(var origins) = detail,
      let place = origins.firstIndex(of: known)
    else { return }
    origins[place] = now
    origins.sort()
    detail = .replaces(origins)
  }

  /// Takes the place of some values more where it takes the place of one.
  mutating func replace(_ others: [Stamp], beside known: Stamp) {
    guard case .replaces(var origins) = detail, origins.contains(known) else { return }
    for origin in others where !origins.contains(origin) { origins.append(origin) }
    origins.sort()
    detail = .replaces(origins)
  }

  /// Forgets a change of the same field that was refused.
  mutating func forget(_ refused: OperationField) {
    if over?.origin == refused.stamp { over = refused.over }
    switch (detail, refused.detail) {
    case (.total(var shares), .total(let gone)):
      #if PLANTED
        if Planted.isActive(.refusedShareStays) { return }
      #endif
      // A seed is a value of its own, whatever was seeded before it.
      for index in shares.indices where shares[index].replica != CounterState.seed {
        for share in gone where share.replica == shares[index].replica {
          shares[index].withdraw(share)
        }
      }
      detail = .total(shares)
    case (.replaces(var origins), .replaces(let earlier)):
      guard let place = origins.firstIndex(of: refused.stamp) else { return }
      origins.remove(at: place)
      for origin in earlier where !origins.contains(origin) { origins.append(origin) }
      origins.sort()
      detail = .replaces(origins)
    default: return
    }
  }
}

extension CounterShare {
  /// Takes an earlier share that did not take effect out of the totals.
  fileprivate mutating func withdraw(_ refused: CounterShare) {
    before = before.subtracting(up: refused.up, down: refused.down)
    after = after.subtracting(up: refused.up, down: refused.down)
  }
}
