import CommuteCore
import CommuteServer
import CommuteSQLite
import Dispatch

/// A request that waits to be settled.
struct SettlingJob: Sendable {
  var request: SyncRequest
  var account: Account
  var time: Int64
  var done: CheckedContinuation<Result<SettledRequest, ServerStoreError>, Never>
}

/// The one writer: settles requests that arrive together in one transaction, with one commit to the
/// disk.
///
/// It lives on a thread of its own. Each request has a savepoint, so that one that fails leaves the
/// others alone.
struct ServerWriter: ~Copyable {
  /// How long notes about devices wait for company.
  private static let notePatience = DispatchTimeInterval.milliseconds(1_000)

  private let connection: Connection
  private let checkpoints: CheckpointLock
  private let rules: ServerRules
  private let settlement: Settlement
  private let line: WorkLine<SettlingJob>
  private let notes: DeviceNotes
  private let settings: ServerSQLiteSettings
  private let index: RecordIndex
  private let follower: DeletionFollower
  /// Whether deletions are open.
  private var isFollowing = false
  private var changesCounted = 0
  private var pagesInLog = 0

  init(
    connection: Connection, checkpoints: CheckpointLock, rules: ServerRules,
    line: WorkLine<SettlingJob>, notes: DeviceNotes, settings: ServerSQLiteSettings
  ) {
    self.connection = connection
    self.checkpoints = checkpoints
    self.rules = rules
    var settlement = rules.settlement
    settlement.takesOffers = true
    settlement.retention = settings.retention
    self.settlement = settlement
    self.line = line
    self.notes = notes
    self.settings = settings
    index = RecordIndex(settlement)
    follower = DeletionFollower(
      connection: connection, index: index, bytes: settings.touchedBytesLimit)
  }

  /// Makes the index true where the tables declare something else than the last time.
  ///
  /// - Throws: What SQLite says.
  func bringIndex() throws(ServerStoreError) {
    do throws(SQLiteError) {
      try connection.bring(index)
    } catch {
      throw ServerStoreError(error)
    }
  }

  /// Works until the line is closed and empty.
  mutating func run() {
    var isPatient = false
    isFollowing = !index.isEmpty
    while true {
      let patience = isFollowing ? .nanoseconds(0) : isPatient ? Self.notePatience : nil
      switch line.take(atMost: settings.groupLimit, patience: patience) {
      case .jobs(let jobs):
        settle(jobs)
        isPatient = false
      case .nothing where isFollowing:
        follow()
        isPatient = !notes.isEmpty
      case .nothing where isPatient:
        // A note that cannot be written is lost; the device tells it again.
        try? writeNotes()
        isPatient = false
      case .nothing:
        isPatient = !notes.isEmpty
      case .end:
        try? writeNotes()
        checkpoints.holding {
          _ = try? connection.checkpoint(.truncate)
          connection.close()
        }
        return
      }
    }
  }

  /// Settles jobs together; where the whole transaction fails, each one again on its own.
  private mutating func settle(_ jobs: [SettlingJob]) {
    settings.hook?(.before)
    do throws(SQLiteError) {
      let results = try settleTogether(jobs)
      settings.hook?(.committed)
      for (job, result) in zip(jobs, results) { job.done.resume(returning: result) }
    } catch {
      // Where another process holds the database, each would only wait for it in its turn.
      guard jobs.count > 1, !error.isRetryable else {
        for job in jobs { job.done.resume(returning: .failure(ServerStoreError(error))) }
        return
      }
      for job in jobs { settle([job]) }
      return
    }
    settings.hook?(.answered)
    checkpointIfDue()
    isFollowing = !index.isEmpty
  }

  /// Goes on with open deletions in a transaction of their own, while nobody waits.
  private mutating func follow() {
    do throws(StoreFailure) {
      let isOpen = try StoreFailure.wrap { () throws(SQLiteError) in
        try connection.hasOpenDeletions()
      }
      guard isOpen else {
        isFollowing = false
        return
      }
      isFollowing = try connection.transaction(.immediate, synchronous: .full) {
        () throws(StoreFailure) in
        let found = try StoreFailure.wrap { () throws(SQLiteError) in try connection.loadMeta() }
        guard let meta = found else { return false }
        return try follower.run(tenant: nil, meta: meta)
      }
      checkpointIfDue()
    } catch {
      // Tried again after the next request.
      isFollowing = false
    }
  }

  private func settleTogether(
    _ jobs: [SettlingJob]
  ) throws(SQLiteError) -> [Result<SettledRequest, ServerStoreError>] {
    try connection.transaction(.immediate, synchronous: .full) { () throws(SQLiteError) in
      guard var meta = try connection.loadMeta() else {
        return jobs.map { _ in .failure(StoreFailure.nameless.storeError) }
      }
      let clock = meta.clock
      var results: [Result<SettledRequest, ServerStoreError>] = []
      for job in jobs { results.append(settle(job, meta: &meta)) }
      if meta.clock != clock { try connection.saveClock(meta.clock) }
      for note in notes.take() { try connection.save(note, epoch: meta.epoch) }
      settings.hook?(.inside)
      return results
    }
  }

  /// Settles one job in a savepoint.
  private func settle(
    _ job: SettlingJob, meta: inout ServerMeta
  ) -> Result<SettledRequest, ServerStoreError> {
    do throws(StoreFailure) {
      let before = meta
      let (settled, clock) = try connection.savepoint { () throws(StoreFailure) in
        try settleAlone(job, meta: before)
      }
      meta.clock = clock
      return .success(settled)
    } catch {
      return .failure(error.storeError)
    }
  }

  private func settleAlone(
    _ job: SettlingJob, meta: ServerMeta
  ) throws(StoreFailure) -> (SettledRequest, clock: UInt64) {
    var request = job.request
    let raised = rules.raise(&request)
    var portion = try SettlingPortion(
      of: request, account: job.account, rules: rules, meta: meta,
      limit: settings.touchedBytesLimit, index: index, on: connection)
    let outcome = settlement.settle(
      portion.request, in: &portion.state, time: job.time, user: job.account.user)
    try StoreFailure.wrap { () throws(SQLiteError) in
      try save(outcome, portion.state, of: job)
    }
    if !index.isEmpty { _ = try follower.run(tenant: job.account.tenant, meta: meta) }
    var settled = SettledRequest(renews: outcome.renews, verdicts: outcome.verdicts)
    if outcome.renews {
      settled.renewal = Settlement.renewal(of: portion.request, in: portion.state)
    }
    for index in settled.verdicts.indices where raised.contains(settled.verdicts[index].id) {
      portion.tell(&settled.verdicts[index])
    }
    if outcome.isSettled {
      settled.verdicts += portion.postponed.map { id in
        Verdict(id: id, kind: .later(.unavailable, afterMilliseconds: 0))
      }
    }
    return (settled, portion.state.clock.last)
  }

  /// Writes exactly what the outcome marks.
  private func save(
    _ outcome: Settlement.Outcome, _ state: ServerState, of job: SettlingJob
  ) throws(SQLiteError) {
    let tenant = job.account.tenant
    for key in outcome.changedRecords {
      guard let stored = state.records[key] else { continue }
      try connection.saveRecord(key, stored, tenant: tenant, time: job.time)
      try connection.saveIndex(index, of: key, stored, tenant: tenant)
    }
    for open in outcome.openDeletions {
      try connection.saveOpen(open, tenant: tenant, time: job.time)
    }
    for id in outcome.appliedOperations {
      guard let applied = state.operations[id] else { continue }
      try connection.saveOperation(id, applied, tenant: tenant, time: job.time)
    }
    for (field, memory) in outcome.restamps {
      try connection.saveRestamp(field, memory, tenant: tenant)
    }
    for feed in outcome.raisedFeeds {
      guard let head = state.heads[feed] else { continue }
      try connection.saveHead(feed, head, tenant: tenant)
    }
    let note = DeviceNote(
      job.request, tenant: tenant, user: job.account.user, time: job.time)
    if outcome.notesRequest, let last = state.requests[job.request.replica] {
      try connection.saveRequest(last, of: note)
    }
    if outcome.isSettled { _ = notes.add(note) }
  }

  private func writeNotes() throws(SQLiteError) {
    let waiting = notes.take()
    guard !waiting.isEmpty else { return }
    try connection.transaction(.immediate, synchronous: .normal) { () throws(SQLiteError) in
      guard let meta = try connection.loadMeta() else { return }
      for note in waiting { try connection.save(note, epoch: meta.epoch) }
    }
  }

  /// Copies the log back into the database between groups, not while somebody waits for an answer.
  private mutating func checkpointIfDue() {
    // A commit writes the ends of its trees, and about a page for three rows.
    pagesInLog += 8 + (connection.totalChanges - changesCounted) / 3
    changesCounted = connection.totalChanges
    guard pagesInLog >= settings.pagesPerCheckpoint else { return }
    // What cannot be copied now, because of readers or the disk, is copied next time.
    checkpoints.tryHolding {
      _ = try? connection.checkpoint(.passive)
      pagesInLog = 0
    }
  }
}
