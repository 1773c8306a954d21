extension DeviceRecord {
  /// What a verdict left to be done.
  public struct Outcome: Hashable, Sendable {
    /// Rows that go to the inbox, the refused one first, in the order they stood.
    public var rejections: [Rejection] = []
    /// Whether the verdict settled the row in flight; false for late news.
    public var isSettled = false

    /// Makes an outcome of nothing.
    public init() {}
  }

  /// Marks the first row in flight: from here on its bytes are frozen.
  ///
  /// The caller stores the bytes in the row and commits durably before it sends them.
  public mutating func markInFlight(epoch: Epoch?) {
    if rows.isEmpty { return }
    if !rows[0].isInFlight {
      rows[0].isInFlight = true
      rows[0].operation.base = base?.revision
      rows[0].operation.epoch = epoch
      let changed = rows[0].operation.fields.names
      rows[0].operation.declares = table?.declarations(of: changed) ?? []
    }
    rows[0].attempts &+= 1
    rows[0].unanswered &+= 1
  }

  /// Takes back the mark of a round in which the server settled nothing and said so.
  public mutating func noteUnsettled() {
    guard !rows.isEmpty, rows[0].isInFlight, rows[0].unanswered > 0 else { return }
    rows[0].unanswered -= 1
  }

  /// Replaces the base by what a page of the server says; rows stay laid over it.
  public mutating func absorb(_ state: RecordState, clock: inout HybridClock) {
    state.observeStamps(with: &clock)
    base = state
    #if PLANTED
      if Planted.isActive(.pageDropsPending) { rows.removeAll { !$0.isInFlight } }
      if Planted.isActive(.tombstoneIgnored), state.deleted != nil {
        base?.deleted = nil
      }
    #endif
  }

  /// Applies the server's verdict on the row in flight.
  ///
  /// - Parameters:
  ///   - verdict: The verdict; one that names another operation changes nothing.
  ///   - author: The user of this device, who is the author where the server left the record out.
  ///   - clock: The device's clock; it takes note of every stamp, and lifts those of rows behind.
  ///   - wall: The device's wall clock in milliseconds.
  /// - Returns: Whether the row was settled, and what goes to the inbox.
  public mutating func settle(
    _ verdict: Verdict, author: String, clock: inout HybridClock, wall: Int64
  ) -> Outcome {
    var outcome = Outcome()
    guard let row = rows.first, row.isInFlight, row.operation.id == verdict.id else {
      return outcome
    }
    #if PLANTED
      if !Planted.isActive(.verdictsNotObserved) { observe(verdict, with: &clock) }
    #else
      observe(verdict, with: &clock)
    #endif
    switch verdict.kind {
    case .applied, .duplicate:
      outcome = acknowledge(row, verdict: verdict, author: author, clock: &clock, wall: wall)
    case .rejected(.mismatch, let message) where row.operation.replica != clock.replica:
      // The file was copied or put back since this was written, and the other copy sent it first,
      // over another base: the same change in other bytes.
      outcome = acknowledge(row, verdict: verdict, author: author, clock: &clock, wall: wall)
      if let left = row.uncounted(in: verdict.record?.state) {
        forget(left.operation)
        outcome.rejections.append(
          Rejection(
            row: left, code: .mismatch, message: message, record: verdict.record?.state))
      }
    case .rejected(let code, let message):
      outcome = reject(
        row, verdict: verdict, code: code, message: message, clock: &clock, wall: wall)
    case .later(_, let delay):
      #if PLANTED
        if Planted.isActive(.laterDropsRow) {
          rows.removeFirst()
          return outcome
        }
      #endif
      noteUnsettled()
      rows[0].notBefore = delay == 0 ? 0 : wall.adding(milliseconds: rows[0].patience(delay))
    }
    return outcome
  }

  /// Takes the row out of the line, and what it became into the base.
  private mutating func acknowledge(
    _ row: OutboxRow, verdict: Verdict, author: String, clock: inout HybridClock, wall: Int64
  ) -> Outcome {
    rows.removeFirst()
    takeBase(of: verdict, sent: row.operation, author: author)
    inform(rowsBehind: row.operation, verdict: verdict, clock: &clock, wall: wall)
    #if PLANTED
      if Planted.isActive(.acknowledgeByRecord) { rows.removeAll() }
    #endif
    var outcome = Outcome()
    outcome.isSettled = true
    return outcome
  }

  private func observe(_ verdict: Verdict, with clock: inout HybridClock) {
    verdict.record?.state.observeStamps(with: &clock)
    for entry in verdict.stamps.entries { clock.observe(entry.value) }
    if let deleted = verdict.deleted { clock.observe(deleted) }
  }

  /// Base is what the server told with the verdict, or the operation merged into what it told
  /// before.
  private mutating func takeBase(of verdict: Verdict, sent: Operation, author: String) {
    if let record = verdict.record {
      #if PLANTED
        if Planted.isActive(.baseMergedNotReplaced) {
          var merged = base ?? RecordState()
          merged.lay(sent)
          merged = merged.merged(with: record.state)
          merged.revision = record.state.revision
          merged.author = record.state.author
          base = merged
          return
        }
      #endif
      base = record.state
      return
    }
    var state = base ?? RecordState()
    state.lay(sent, settled: verdict.stamps, rule: table?.rule ?? .deleteWins)
    // Under the same revision nothing was changed, and the author is who made that revision.
    if state.revision != verdict.revision { state.author = author }
    state.revision = verdict.revision
    base = state
  }

  /// Tells the rows behind what their writer had seen, now that it is settled, and lifts those
  /// stamps that are no longer later than it.
  private mutating func inform(
    rowsBehind sent: Operation, verdict: Verdict, clock: inout HybridClock, wall: Int64
  ) {
    if rows.isEmpty { return }
    var isOfCopy = false
    if case .rejected(.mismatch, _) = verdict.kind { isOfCopy = sent.replica != clock.replica }
    for entry in sent.fields.entries {
      let origin = entry.value.stamp
      var settled = verdict.stamps[entry.name] ?? origin
      var won: Stamp?
      if let current = base?.fields[entry.name], current.origin == origin, !origin.isFloor {
        settled = current.stamp
        won = current.stamp
      }
      let twins = twins(
        of: entry.value, by: sent.replica, in: entry.name, clock: clock, isOfCopy: isOfCopy)
      for index in rows.indices where !twins.isEmpty {
        rows[index].operation.fields[entry.name]?.replace(twins, beside: origin)
      }
      // The rows behind come later than what the other copy made of this one.
      for twin in twins where isOfCopy { settled = max(settled, twin) }
      // The name under which the next row knows what it replaced, before and after a lifting.
      var replaced = (known: origin, now: origin)
      if isOfCopy, let current = sentByCopy(entry.value, in: entry.name) {
        settled = max(current.stamp, current.origin)
        won = current.stamp
        replaced.now = current.origin
      }
      for index in rows.indices {
        guard var behind = rows[index].operation.fields[entry.name] else { continue }
        if behind.over?.origin == replaced.known {
          behind.over?.origin = replaced.now
          if let won { behind.over?.stamp = won }
        }
        behind.rename(replaced.known, to: replaced.now)
        replaced.known = behind.stamp
        if !behind.stamp.isFloor, !(settled < behind.stamp) {
          clock.observe(settled)
          behind.stamp = clock.now(wall: wall)
        }
        replaced.now = behind.stamp
        settled = max(settled, behind.stamp)
        rows[index].operation.fields[entry.name] = behind
      }
    }
  }

  /// Moves the refused row to the inbox, and behind a refused creation all that depend on it.
  private mutating func reject(
    _ row: OutboxRow, verdict: Verdict, code: RejectionCode, message: String,
    clock: inout HybridClock, wall: Int64
  ) -> Outcome {
    var outcome = Outcome()
    outcome.isSettled = true
    #if PLANTED
      if Planted.isActive(.rejectionBlocksLine) { return outcome }
    #endif
    rows.removeFirst()
    let record = verdict.record?.state
    #if PLANTED
      if Planted.isActive(.rejectionDropped) {
        if let record { base = record }
        return outcome
      }
    #endif
    let (applied, refused) = row.operation.split(by: record)
    if let left = row.leavingOut(counted: applied, in: record) {
      outcome.rejections.append(
        Rejection(row: left, code: code, message: message, record: record))
    }
    if let record {
      base = record
    } else if code == .gone {
      base = nil
    }
    forget(refused)
    inform(rowsBehind: applied, verdict: verdict, clock: &clock, wall: wall)
    guard base == nil || row.operation.creates else { return outcome }
    for behind in rows {
      outcome.rejections.append(
        Rejection(
          row: behind, code: code,
          message: "needs the refused change of the same record: \(message)"))
    }
    rows.removeAll()
    return outcome
  }
}

extension Operation {
  /// The changes that a record shows to have been applied, and the others.
  ///
  /// One that is refused may have been applied all the same: the answer to it was lost, and the
  /// server does not remember it any more, or a copy of the file sent it. What stands behind it has
  /// seen it then.
  fileprivate func split(by record: RecordState?) -> (applied: Operation, others: Operation) {
    var applied = self
    applied.fields = FieldMap()
    guard let record else { return (applied, self) }
    var others = applied
    for entry in fields.entries {
      if entry.value.shows(in: record.fields[entry.name]) {
        applied.fields.append(entry.name, entry.value)
      } else {
        others.fields.append(entry.name, entry.value)
      }
    }
    return (applied, others)
  }
}

extension OutboxRow {
  /// The row without the counts that were applied; nil where nothing else was in it.
  ///
  /// Whoever makes a refused change once more counts what it counted once more, too: what the
  /// server holds already would be there twice. Where the record holds more under the same id than
  /// this device can have sent, another machine counts under it, and hides whether this was
  /// applied: a person decides then.
  fileprivate func leavingOut(counted applied: Operation, in record: RecordState?) -> OutboxRow? {
    var row = self
    for entry in applied.fields.entries {
      guard case .total(let shares) = entry.value.detail,
        let counted = record?.fields[entry.name]?.counter,
        shares.allSatisfy({ $0.after == counted[$0.replica] })
      else { continue }
      row.operation.fields[entry.name] = nil
    }
    let isEmpty = row.operation.fields.isEmpty && row.operation.deleted == nil
    return isEmpty && !operation.fields.isEmpty && !operation.creates ? nil : row
  }
}

extension OperationField {
  /// Whether a field holds this very change, or a counter what it counted; a seed is nobody's.
  fileprivate func shows(in field: FieldState?) -> Bool {
    guard let field, !stamp.isFloor else { return false }
    switch detail {
    case .total(let shares):
      let counter = field.counter
      return shares.allSatisfy { $0.isCounted(in: counter) }
    case .none, .tags: return field.origin == stamp
    case .replaces: return field.siblings.contains { $0.origin == stamp }
    }
  }
}

extension RecordState {
  /// Lets a clock take note of every stamp the record carries.
  public func observeStamps(with clock: inout HybridClock) {
    for index in fields.storage.indices { clock.observe(fields.storage[index].value.stamp) }
    if let deleted { clock.observe(deleted) }
  }
}

extension Int64 {
  /// This time and a delay, kept in range.
  func adding(milliseconds: UInt64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(Int64(Swift.min(milliseconds, 1 << 50)))
    return overflow ? Int64.max : sum
  }
}
