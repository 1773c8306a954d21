public import CommuteCore

/// Rounds of sync, as the driver carries them out.
extension Store {
  /// Marks what is to be sent, durably, and makes the request.
  ///
  /// What is marked before stays first in line with the same bytes. When the call returns, the
  /// marks and the record outside the database have reached the disk, and the bytes may be sent.
  ///
  /// - Parameters:
  ///   - batch: The most operations.
  ///   - limit: How much of an answer the device can take.
  /// - Throws: ``StoreError/hostRecord(path:reason:)`` where the record outside cannot be written;
  ///   nothing may be sent then.
  /// - Returns: The request and its bytes.
  public func beginRound(
    batch: Int, limit: SyncRequest.Limit = SyncRequest.Limit()
  ) async throws(StoreError) -> OutgoingRound {
    // A request that only asks gives nothing away that power loss could take back.
    let asking = try await perform { core throws(StoreError) -> OutgoingRound? in
      core.pending.isEmpty ? try core.beginRound(batch: 0, limit: limit) : nil
    }
    if let asking { return asking }
    #if PLANTED
      let durability = PlantedStore.isActive(.markNotDurable) ? Durability.normal : .full
    #else
      let durability = Durability.full
    #endif
    let marked = try await perform(durability) {
      core throws(StoreError) -> (round: OutgoingRound, host: HostRecord) in
      let round = try core.beginRound(batch: batch, limit: limit)
      return (round, core.hostRecord)
    }
    options.onPoint?(.roundMarked)
    if !marked.round.isAsking { try keep(marked.host) }
    return marked.round
  }

  /// Applies the answer to the round under way, all of it in one transaction.
  ///
  /// An answer to another round changes nothing.
  ///
  /// - Parameters:
  ///   - answer: The answer as it came.
  ///   - roundTrip: How long the request took, in milliseconds of the monotonic clock.
  ///   - next: The nonce of the request that follows this answer and is on its way already.
  /// - Returns: What the answer meant, and what it changed.
  /// - Throws: ``StoreError``; nothing of the answer is applied then.
  public func apply(
    _ answer: SyncAnswer, roundTrip: Int64, next: Nonce? = nil
  ) async throws(StoreError) -> AppliedRound {
    // A new identity must not be lost once it was taken.
    let mayRenew = answer.renew != nil || answer.feeds.contains { $0.revoked != nil }
    // A page takes milliseconds: no place for a thread that others share.
    let isLong = answer.feeds.contains {
      $0.recordCount > Self.recordsInPlace || $0.reset != nil || $0.revoked != nil
    }
    let (applied, host, isAstray) = try await perform(
      mayRenew ? .full : .normal, onThread: isLong || !answer.ancestry.isEmpty
    ) {
      core throws(StoreError) -> (AppliedRound, HostRecord?, Bool) in
      let replica = core.state.device.replica
      let applied = try core.apply(answer, roundTrip: roundTrip)
      if let next, applied.reading == .apply { core.state.device.nonce = next }
      let clock = core.state.device.clock
      let host = clock.replica == replica ? nil : core.hostRecord
      return (applied, host, clock.isAstray(wall: core.options.clock.wall()))
    }
    if let host { try keep(host) }
    // A page that is on its way answers to the present id. What fails here is done later.
    if isAstray, next == nil, applied.reading == .apply { try? await lowerClock() }
    return applied
  }

  /// Sets a clock that was led astray back, in a durable transaction of its own: the answer does
  /// not depend on it, and may be large.
  private func lowerClock() async throws(StoreError) {
    let host = try await perform(.full, onThread: true) {
      core throws(StoreError) -> HostRecord? in try core.lowerClock() ? core.hostRecord : nil
    }
    if let host { try keep(host) }
  }

  /// Takes note that the round under way brought no answer; its operations stay in line.
  ///
  /// `settledNothing` is for a server that itself said so: what it was sent is then not perhaps
  /// sent.
  public func abandonRound(settledNothing: Bool = false) async throws(StoreError) {
    try await perform { core throws(StoreError) in
      try core.abandonRound(settledNothing: settledNothing)
    }
  }

  /// Moves an operation in flight, or an offer, to the inbox by this device's own judgement.
  ///
  /// For one that alone is too large for the server (413).
  public func refuse(
    _ operation: OperationID, code: RejectionCode, message: String
  ) async throws(StoreError) {
    let verdict = Verdict(id: operation, kind: .rejected(code, message: message))
    try await perform { core throws(StoreError) in
      let wall = core.options.clock.wall()
      var keys = try core.rows(where: "operation = \(operation.bytes)").map(\.operation.key)
      if let key = try core.key(ofOffer: operation) { keys.append(key) }
      for key in keys {
        let outcome = try core.settle(verdict, of: key, wall: wall)
        try core.putInbox(outcome.rejections, wall: wall)
      }
    }
  }

  /// Subscribes to a feed: the next round reads it from the start.
  ///
  /// One that was taken away is asked for again by that, and by a write of a record into it;
  /// opening the store does not. The server decides anew.
  ///
  /// - Throws: ``StoreError/tooManyFeeds(feed:limit:)`` where the device has as many as it may.
  public func subscribe(to feed: String) async throws(StoreError) {
    try await perform { core throws(StoreError) in try core.enter(feed: Key(feed)) }
  }

  /// What is known of the file's identity, clock, epoch and feeds.
  public func device() async throws(StoreError) -> Device {
    try await look { session throws(StoreError) in
      var names = NumberedNames()
      try names.load(from: session.connection)
      return try FileState.load(from: session.connection, names: names).device
    }
  }

  /// How many records are applied where the caller stands; about half a millisecond.
  private static let recordsInPlace = 100

  private func keep(_ record: HostRecord) throws(StoreError) {
    #if PLANTED
      if PlantedStore.isActive(.hostNotWritten) { return }
    #endif
    try folder.host?.write(record)
    options.onPoint?(.hostRecordWritten)
  }
}

extension WriterCore {
  /// What is to be kept outside the file.
  var hostRecord: HostRecord {
    HostRecord(replica: state.device.replica, number: state.device.number)
  }
}
