public import CommuteCore
public import CommuteServer
import CommuteSQLite

/// A server's store in one SQLite file.
///
/// ```swift
/// let store = try await ServerSQLiteStore.open("library.sqlite", rules: ServerRules(schema))
/// ```
/// One thread writes; requests that arrive together share a transaction and its one commit to the
/// disk. Other threads read pages in snapshots. The file and those beside it are readable by their
/// owner only, and one process at a time serves it.
public final class ServerSQLiteStore: ServerStore {
  private let settling: WorkLine<SettlingJob>
  private let reading: WorkLine<ReadingJob>
  private let notes: DeviceNotes
  private let readerCount: Int
  private let threads: Countdown
  private let lock: ServerFileLock
  private let path: String
  private let rules: ServerRules

  private init(
    _ path: String, lock: ServerFileLock, rules: ServerRules, settings: ServerSQLiteSettings
  ) {
    self.path = path
    self.rules = rules
    settling = WorkLine(limit: settings.waitingLimit)
    reading = WorkLine(limit: settings.waitingLimit)
    notes = DeviceNotes()
    readerCount = max(1, settings.readerCount)
    threads = Countdown(readerCount + 1)
    self.lock = lock
  }

  deinit {
    endLines()
  }

  /// Opens a database, or makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - rules: The tables and rules of the server.
  ///   - settings: How it is set up.
  ///   - time: The wall clock in milliseconds, noted in a new database.
  ///   - generator: Where the ids of a new database come from.
  /// - Throws: `ServerStoreError.cannotOpen` where the file is something
  ///   else, was written by a newer program, or is served by another process.
  /// - Returns: The store; ``close()`` it at the end.
  public static func open(
    _ path: String, rules: ServerRules = ServerRules(),
    settings: ServerSQLiteSettings = ServerSQLiteSettings(),
    time: Int64 = WallClock.milliseconds(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ServerStoreError) -> ServerSQLiteStore {
    let lock = try ServerFileLock(database: path)
    let file = ServerFile(path: path, whenOpened: settings.whenOpened)
    let store = ServerSQLiteStore(path, lock: lock, rules: rules, settings: settings)
    try await store.startWriter(
      file, rules: rules, settings: settings, time: time, generator: generator)
    for _ in 0..<store.readerCount { try await store.startReader(file, rules: rules) }
    return store
  }

  private func startWriter(
    _ file: ServerFile, rules: ServerRules, settings: ServerSQLiteSettings, time: Int64,
    generator: some RandomNumberGenerator & Sendable
  ) async throws(ServerStoreError) {
    let (line, notes, threads) = (settling, notes, threads)
    let opened = await withCheckedContinuation { continuation in
      DatabaseThread.start("commute-writer") {
        defer { threads.countDown() }
        do throws(ServerStoreError) {
          var generator = generator
          let checkpoints = try CheckpointLock(database: file.path)
          let connection = try file.openWriter(time: time, generator: &generator)
          var writer = ServerWriter(
            connection: connection, checkpoints: checkpoints, rules: rules, line: line,
            notes: notes, settings: settings)
          try writer.bringIndex()
          continuation.resume(returning: Result<Void, ServerStoreError>.success(()))
          writer.run()
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    try opened.get()
  }

  private func startReader(
    _ file: ServerFile, rules: ServerRules
  ) async throws(ServerStoreError) {
    let (line, threads) = (reading, threads)
    let opened = await withCheckedContinuation { continuation in
      DatabaseThread.start("commute-reader") {
        defer { threads.countDown() }
        do throws(ServerStoreError) {
          let reader = ServerReader(
            connection: try file.openReader(), rules: rules, line: line)
          continuation.resume(returning: Result<Void, ServerStoreError>.success(()))
          reader.run()
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    try opened.get()
  }

  /// How many requests wait to be settled.
  package var waitingCount: Int { settling.count }

  /// Reads who the store is, from the database.
  public func identity() async throws(ServerStoreError) -> ServerIdentity {
    let result = await withCheckedContinuation { continuation in
      add(.identity(continuation)) { continuation.resume(returning: .failure($0)) }
    }
    return try result.get()
  }

  /// Settles what the request carries, then reads its pages.
  public func answer(
    _ request: SyncRequest, of account: Account, time: Int64
  ) async throws(ServerStoreError) -> SyncAnswer {
    var settled = SettledRequest()
    if request.operations.isEmpty, request.offers.isEmpty {
      let note = DeviceNote(
        request, tenant: account.tenant, user: account.user, time: time)
      if notes.add(note) { settling.nudge() }
    } else {
      settled = try await settle(request, of: account, time: time)
    }
    let reading = ReadingJob.Reading(
      request: request, account: account, time: time, settled: settled)
    let result = await withCheckedContinuation { continuation in
      add(.answer(reading, continuation)) { continuation.resume(returning: .failure($0)) }
    }
    return try result.get()
  }

  /// Gives a user a right to a feed by name, or takes it away.
  ///
  /// What is under way is settled under the right before.
  public func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key
  ) async throws(ServerStoreError) {
    do throws(ServerDatabaseError) {
      try await ServerDatabase(path).setAccess(access, of: account, to: feed, rules: rules)
    } catch {
      throw .unavailable(reason: error.description)
    }
  }

  private func settle(
    _ request: SyncRequest, of account: Account, time: Int64
  ) async throws(ServerStoreError) -> SettledRequest {
    let result = await withCheckedContinuation { continuation in
      let job = SettlingJob(request: request, account: account, time: time, done: continuation)
      switch settling.add(job) {
      case .added: break
      case .full: continuation.resume(returning: .failure(.overloaded))
      case .closed: continuation.resume(returning: .failure(.closed))
      }
    }
    return try result.get()
  }

  private func add(_ job: ReadingJob, orElse refuse: (ServerStoreError) -> Void) {
    switch reading.add(job) {
    case .added: break
    case .full: refuse(.overloaded)
    case .closed: refuse(.closed)
    }
  }

  /// Settles what waits, copies the log into the database, and closes it.
  public func close() async {
    endLines()
    await threads.wait()
    lock.release()
  }

  private func endLines() {
    settling.close(threads: 1)
    reading.close(threads: readerCount)
  }
}
