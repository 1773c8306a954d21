import CommuteCore
import CommuteSQLite
import Synchronization

/// One write that waits for the writer: its body, and who waits for its end.
struct WriteJob: Sendable {
  let durability: Durability
  /// Runs the body; gives back what to call once the transaction is permanent.
  let run: @Sendable (WriterCore) throws -> @Sendable () -> Void
  /// Called with the error where it is not.
  let fail: @Sendable (any Error) -> Void
}

/// Running writes: one alone, or all that wait in one transaction.
extension WriterCore {
  /// Runs one write where the caller stands; nothing is run where another process is writing.
  func runInPlace(_ body: (WriterCore) throws -> Void) throws {
    do throws(StoreError) {
      try begin(.normal, waits: false)
    } catch .busy {
      return
    }
    do {
      try body(self)
    } catch {
      rollback()
      throw error
    }
    try commit(writes: 1)
  }

  /// Runs all writes in one transaction: one that throws is undone alone.
  ///
  /// - Returns: What to call, in order, to tell those who wait.
  func run(_ jobs: [WriteJob]) -> [@Sendable () -> Void] {
    let durability = jobs.contains { $0.durability == .full } ? Durability.full : .normal
    var succeeded: [@Sendable () -> Void] = []
    var failed: [@Sendable () -> Void] = []
    var waiting: [WriteJob] = []
    do throws(StoreError) {
      try begin(durability, waits: true)
      for job in jobs {
        do {
          succeeded.append(try jobs.count == 1 ? job.run(self) : runApart(job))
          waiting.append(job)
        } catch {
          failed.append { job.fail(error) }
        }
      }
      if succeeded.isEmpty {
        rollback()
      } else {
        try commit(writes: succeeded.count)
      }
      return failed + succeeded
    } catch {
      if connection.isInTransaction { rollback() }
      let lost = failed.isEmpty && waiting.isEmpty ? jobs : waiting
      return failed + lost.map { job in { job.fail(error) } }
    }
  }

  /// Runs a write among others, in a savepoint.
  private func runApart(_ job: WriteJob) throws -> @Sendable () -> Void {
    try apart { try job.run(self) }
  }

  /// Runs a part of the transaction that is undone alone when it throws, with all that is known
  /// of the file and all that observers would have been told.
  func apart<Result>(_ body: () throws -> Result) throws -> Result {
    let before = state
    do {
      return try connection.savepoint(body)
    } catch {
      // Numbers that were given to replicas stay given: the whole transaction writes their rows.
      state = before
      throw error
    }
  }

  /// Whether the log holds enough for copying it into the database: 8 MB.
  ///
  /// After a copy that left nothing the next commit begins the log anew, and counts from there.
  var isCheckpointDue: Bool {
    guard !isClosed else { return false }
    let pages = connection.pagesInLog
    if pages < copiedPages { copiedPages = 0 }
    return pages - copiedPages >= 2_000
  }

  /// Copies the log into the database on the store's own thread, with the lock that other
  /// processes respect.
  func checkpoint(_ mode: CheckpointMode) {
    guard folder.writerLock.tryLock() else { return }
    defer { folder.writerLock.unlock() }
    options.onPoint?(.beforeCheckpoint)
    // A checkpoint that does not succeed is tried again after the next writes; nothing depends on
    // it.
    if let outcome = try? connection.checkpoint(mode), !outcome.isBlocked {
      copiedPages = connection.pagesInLog
    }
    options.onPoint?(.afterCheckpoint)
  }

  /// Marks a clean end, and closes the connection; later calls are answered with `reason`.
  func close(_ reason: StoreError) {
    if isClosed { ending = reason }
    guard !isClosed else { return }
    guard refusal == nil else {
      ending = reason
      return connection.close(copyingLog: false)
    }
    // Who has only read waits for nobody who writes.
    let hasWritten = commits.transactions.load(ordering: .relaxed) > 0
    if !state.meta.cleanEnd, state.meta.boot == bootID, !isIdentityOpen,
      (try? begin(.normal, waits: hasWritten)) != nil
    {
      state.meta.cleanEnd = true
      try? commit(writes: 0)
    }
    ending = reason
    // The last connection to close copies the log: that is a checkpoint and needs the lock.
    let patience = hasWritten ? options.busyMilliseconds : 0
    let hasLock = (try? folder.writerLock.lock(waiting: patience)) != nil
    connection.close(copyingLog: hasLock)
    if hasLock { folder.writerLock.unlock() }
  }

  /// Tells observers where another connection has written since they were last told.
  func lookForOthers() {
    guard !isClosed, let known = dataVersion, let version = try? connection.dataVersion(),
      version != known, version != notedVersion
    else { return }
    notedVersion = version
    observers.noteEverything()
  }
}
