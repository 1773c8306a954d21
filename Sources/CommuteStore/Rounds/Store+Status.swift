public import CommuteCore
import CommuteSQLite

/// How many things wait, and for what.
public struct StoreCounts: Hashable, Sendable {
  /// Operations in line, those in flight included.
  public var waiting: Int
  /// Operations that were sent and are not settled.
  public var inFlight: Int
  /// Operations that the server refused.
  public var refused: Int
  /// Records that could not be applied.
  public var quarantined: Int
  /// Values of this device that lost to others whose writers had not seen them.
  public var conflicts: Int
  /// Records that a server which was put back is offered again.
  public var offers: Int

  /// What the server is still to be told, operations and offers.
  public var unsettled: Int { waiting + offers }

  /// Makes counts.
  public init(
    waiting: Int = 0, inFlight: Int = 0, refused: Int = 0, quarantined: Int = 0,
    conflicts: Int = 0, offers: Int = 0
  ) {
    self.waiting = waiting
    self.inFlight = inFlight
    self.refused = refused
    self.quarantined = quarantined
    self.conflicts = conflicts
    self.offers = offers
  }
}

/// A retry that was stored, as it counts now.
public struct PendingRetry: Hashable, Sendable {
  /// Why the last attempt failed.
  public var failure: RoundFailure
  /// The wall clock of the next attempt, in milliseconds.
  public var due: Int64
  /// Milliseconds from now on.
  public var remaining: Int64
  /// Failures in a row.
  public var failures: UInt32
}

extension StoreReader where Self: ~Copyable {
  /// Counts what waits.
  public borrowing func counts() throws(StoreError) -> StoreCounts {
    let found = try rows(
      """
      SELECT (SELECT count(*) FROM c_outbox),
        (SELECT count(*) FROM c_outbox WHERE in_flight = 1),
        (SELECT count(*) FROM c_inbox), (SELECT count(*) FROM c_quarantine),
        (SELECT count(*) FROM c_conflict), (SELECT count(*) FROM c_offer)
      """
    ) { (row) throws(StoreError) in
      StoreCounts(
        waiting: Int(row.int64(0)), inFlight: Int(row.int64(1)), refused: Int(row.int64(2)),
        quarantined: Int(row.int64(3)), conflicts: Int(row.int64(4)), offers: Int(row.int64(5)))
    }
    return found.first ?? StoreCounts()
  }

  /// The feeds that were taken away and not asked for since, with the server's reasons.
  public borrowing func revokedFeeds() throws(StoreError) -> FieldMap<String> {
    var feeds = FieldMap<String>()
    let rows = try rows("SELECT feed, coalesce(revoked, '') FROM c_feed WHERE subscribed = 0") {
      (row) throws(StoreError) in (feed: row.text(0), reason: row.text(1))
    }
    for row in rows { feeds[Key(row.feed)] = row.reason }
    return feeds
  }
}

extension Store {
  /// How many things wait.
  public func counts() async throws -> StoreCounts {
    try await read { tx in try tx.counts() }
  }

  /// The feeds that were taken away and not asked for since, with the server's reasons.
  ///
  /// ``subscribe(to:)`` asks for one again.
  public func revokedFeeds() async throws -> FieldMap<String> {
    try await read { tx in try tx.revokedFeeds() }
  }

  /// Says when local changes wait to be sent; several changes may be said once.
  public func queuedChanges() -> AsyncStream<Void> {
    let observers = observers
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
      let id = observers.addQueueListener {
        stream.yield()
      } end: {
        stream.finish()
      }
      stream.onTermination = { _ in observers.removeQueueListener(id) }
    }
  }

  /// Keeps the time of the next attempt, so that it counts after a restart, too.
  ///
  /// `failures` is how many there were in a row, `batch` how many operations the next attempt is to
  /// carry at most; the milliseconds count from now on.
  public func saveRetry(
    after failure: RoundFailure, failures: UInt32, batch: Int? = nil, milliseconds: UInt64
  ) async throws(StoreError) {
    try await perform { core throws(StoreError) in
      let clock = core.options.clock
      let remaining = Int64(clamping: min(milliseconds, 1 << 50))
      core.state.meta.retryFailures = failures
      if let batch { core.state.meta.batch = Int64(batch) }
      core.state.meta.retry = StoredRetry(
        failure: failure, due: clock.wall() &+ remaining,
        monotonic: clock.monotonic() &+ remaining, boot: clock.bootID(), remaining: remaining)
    }
  }

  /// Forgets the stored attempt.
  public func clearRetry() async throws(StoreError) {
    try await perform { core throws(StoreError) in
      core.state.meta.retry = nil
      core.state.meta.retryFailures = 0
    }
  }

  /// The stored attempt; nil where none is due.
  ///
  /// Under the same boot the monotonic clock decides; after a restart the smaller of what the wall
  /// clock says and what was left, so that a wall clock that was set back cannot stop sync.
  public func retry() async throws(StoreError) -> PendingRetry? {
    let clock = options.clock
    return try await look { session throws(StoreError) -> PendingRetry? in
      let meta = try FileMeta.load(from: session.connection)
      guard let retry = meta.retry else { return nil }
      let wall = clock.wall()
      let left =
        retry.boot == clock.bootID()
        ? retry.monotonic &- clock.monotonic() : retry.due &- wall
      let remaining = max(0, min(left, retry.remaining))
      return PendingRetry(
        failure: retry.failure, due: wall &+ remaining, remaining: remaining,
        failures: meta.retryFailures)
    }
  }

  /// How many operations the latest request was to carry at most; nil where there was none.
  ///
  /// A server that takes only a few at once is not asked to take many again by the next process.
  public func batch() async throws(StoreError) -> Int? {
    try await look { session throws(StoreError) in
      try FileMeta.load(from: session.connection).batch.map { Int(clamping: $0) }
    }
  }

  /// When the last round succeeded, in milliseconds since 1970; nil for never.
  public func lastSuccess() async throws(StoreError) -> Int64? {
    try await look { session throws(StoreError) in
      try FileMeta.load(from: session.connection).syncedAt
    }
  }

  /// The server's address that was used last; nil before the first.
  public func server() async throws(StoreError) -> String? {
    try await look { session throws(StoreError) in
      try FileMeta.load(from: session.connection).server
    }
  }

  /// Keeps the server's address.
  public func setServer(_ address: String?) async throws(StoreError) {
    try await perform { core throws(StoreError) in core.state.meta.server = address }
  }

  /// The name people know the device by.
  public func deviceName() async throws(StoreError) -> String {
    try await look { session throws(StoreError) in
      try FileMeta.load(from: session.connection).device
    }
  }

  /// A small value that a program keeps for itself in the file; nil where there is none.
  public func note(_ name: String) async throws(StoreError) -> String? {
    try await look { session throws(StoreError) in
      try FileMeta.load(from: session.connection).notes[Key(name)]
    }
  }

  /// Takes the right to sync this database, over all processes.
  ///
  /// - Parameter name: Who syncs, for messages to others.
  /// - Throws: ``StoreError/syncedElsewhere(holder:)`` where somebody else has it.
  /// - Returns: The right; it is given back when it is released or forgotten.
  public func claimSync(as name: String) throws(StoreError) -> SyncClaim {
    try SyncClaim(folder.syncLock, name: name, flag: syncFlag)
  }
}
