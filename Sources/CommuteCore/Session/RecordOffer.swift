/// A record as a device held it under an earlier epoch, offered to the server again.
///
/// It is state, not an edit: the server merges it by the stamps that were settled before. Until
/// then it is kept apart from base and shown over it.
public struct RecordOffer: Hashable, Sendable {
  /// The id that its verdict names.
  public var id: OperationID
  /// The record's full state; its revision names the epoch it comes from.
  public var state: RecordState
  /// In how many rounds it was sent.
  public var attempts: UInt32
  /// Not to be sent before this wall-clock time, in milliseconds; 0 for at once.
  public var notBefore: Int64

  /// Makes an offer that was never sent.
  public init(
    id: OperationID, state: RecordState, attempts: UInt32 = 0, notBefore: Int64 = 0
  ) {
    self.id = id
    self.state = state
    self.attempts = attempts
    self.notBefore = notBefore
  }

  /// Whether it may be sent at a wall-clock time, by the same rule as rows.
  public func isDue(wall: Int64) -> Bool {
    notBefore <= wall
      || notBefore > wall.adding(milliseconds: UInt64(OutboxRow.longestDelay))
  }
}

extension DeviceRecord {
  /// Puts the record in line to be offered again, if the server does not hold what base shows.
  ///
  /// An offer that is outstanding from an earlier change stays; what base has beyond it joins it.
  ///
  /// - Parameters:
  ///   - change: The change of epoch.
  ///   - id: A fresh id.
  /// - Returns: Whether the record is offered because of this change.
  @discardableResult
  public mutating func offerAgain(after change: EpochChange, id: OperationID) -> Bool {
    #if PLANTED
      if Planted.isActive(.offersForgotten) { offer = nil }
    #endif
    guard let base, let revision = base.revision, !change.holds(revision, in: feed) else {
      // Under another epoch nothing is known of what became of it.
      offer?.notBefore = 0
      return false
    }
    let state = offer.map { base.merged(with: $0.state, schema: table) } ?? base
    offer = RecordOffer(id: id, state: state)
    return true
  }

  /// Marks the offer as sent.
  ///
  /// - Returns: What the request carries; nil where nothing is offered.
  public mutating func markOffered() -> SyncRequest.Offer? {
    guard var sent = offer else { return nil }
    sent.attempts &+= 1
    offer = sent
    return SyncRequest.Offer(
      id: sent.id, feed: feed, record: RecordMessage(key: key, state: sent.state))
  }

  /// Applies the server's verdict on the offer.
  ///
  /// - Parameters:
  ///   - verdict: The verdict; one that names another id changes nothing.
  ///   - clock: The device's clock; it takes note of every stamp.
  ///   - wall: The device's wall clock in milliseconds.
  /// - Returns: Whether the offer was settled, and what goes to the inbox.
  public mutating func settleOffer(
    _ verdict: Verdict, clock: inout HybridClock, wall: Int64
  ) -> Outcome {
    var outcome = Outcome()
    guard let offer, offer.id == verdict.id else { return outcome }
    let told = verdict.record?.state
    told?.observeStamps(with: &clock)
    switch verdict.kind {
    case .later(_, let delay):
      let patience = min(delay, UInt64(OutboxRow.longestDelay))
      self.offer?.notBefore = delay == 0 ? 0 : wall.adding(milliseconds: patience)
      return outcome
    case .applied, .duplicate:
      base = told ?? ground
      if told == nil { base?.revision = verdict.revision }
    case .rejected(.gone, _):
      // Deleted long ago: that is the server's to tell, and nobody has lost anything.
      base = told
    case .rejected(let code, let message):
      outcome.rejections.append(rejection(of: offer, code: code, message: message, told: told))
      // What a page has told since the offer was made is still there.
      base = told ?? (base?.revision == offer.state.revision ? nil : base)
    }
    self.offer = nil
    outcome.isSettled = true
    return outcome
  }

  /// An offer that nobody takes, as a creation that a person may make once more.
  func rejection(
    of offer: RecordOffer, code: RejectionCode, message: String, told: RecordState?
  ) -> Rejection {
    var operation = Operation(
      id: offer.id, schema: 0, replica: offer.state.greatestStamp.replica, key: key, feed: feed,
      creates: true, deleted: offer.state.deleted)
    for entry in offer.state.fields.entries {
      operation.fields[entry.name] = OperationField(
        value: entry.value.value, stamp: entry.value.stamp)
    }
    let row = OutboxRow(operation: operation, attempts: offer.attempts)
    return Rejection(row: row, code: code, message: message, record: told)
  }
}
