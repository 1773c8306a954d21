import CSQLite

/// How far a checkpoint goes to copy the log back into the database.
public enum CheckpointMode: Hashable, Sendable {
  /// Copies what it can without waiting for anyone.
  case passive
  /// Waits for writers and copies all.
  case full
  /// Copies all and lets the next writer begin the log anew.
  case restart
  /// Copies all and cuts the log to no bytes.
  case truncate

  var code: Int32 {
    switch self {
    case .passive: SQLITE_CHECKPOINT_PASSIVE
    case .full: SQLITE_CHECKPOINT_FULL
    case .restart: SQLITE_CHECKPOINT_RESTART
    case .truncate: SQLITE_CHECKPOINT_TRUNCATE
    }
  }
}

/// What a checkpoint did.
public struct CheckpointOutcome: Hashable, Sendable {
  /// Whether a reader or writer stood in the way, so that less was done than was asked.
  public let isBlocked: Bool
  /// How many pages the log holds.
  public let pagesInLog: Int
  /// How many of them are in the database file too.
  public let pagesCopied: Int
}

extension Connection {
  /// Copies the write-ahead log back into the database file.
  ///
  /// Let one connection do all writing and all checkpoints: SQLite before 3.51.3 can damage the
  /// log where two connections do both at once.
  @discardableResult
  public func checkpoint(
    _ mode: CheckpointMode = .passive
  ) throws(SQLiteError) -> CheckpointOutcome {
    let pointer = try unsafe database.opened()
    var inLog: Int32 = 0
    var copied: Int32 = 0
    let code = unsafe sqlite3_wal_checkpoint_v2(pointer, nil, mode.code, &inLog, &copied)
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else {
      throw database.failure(code, whileRunning: false)
    }
    return CheckpointOutcome(
      isBlocked: code != SQLITE_OK, pagesInLog: Int(max(inLog, 0)),
      pagesCopied: Int(max(copied, 0)))
  }

  /// How many pages the log held after this connection's last commit.
  ///
  /// Tells a caller who took checkpoints upon itself (``Configuration/checkpointPages`` is 0) when
  /// one is due; otherwise always 0.
  public var pagesInLog: Int { database.pagesInLog }

  func countPagesInLog() {
    guard let pointer = unsafe database.pointer else { return }
    let context = unsafe Unmanaged.passUnretained(database).toOpaque()
    unsafe sqlite3_wal_hook(pointer, logCallback, context)
  }

  /// Looks through the whole file for damage.
  ///
  /// - Returns: What is wrong, one line each; nothing where all is well.
  public func integrityCheck() throws(SQLiteError) -> [String] {
    var lines: [String] = []
    do throws(SQLiteError) {
      try prepare("PRAGMA integrity_check").forEach { (row) throws(SQLiteError) in
        lines.append(row.text(0))
      }
    } catch {
      // Some damage is such that the check itself stumbles over it.
      guard case .corrupt(let reason) = error else { throw error }
      return lines + [reason]
    }
    return lines == ["ok"] ? [] : lines
  }

  /// A number that changes when another connection has committed something.
  public func dataVersion() throws(SQLiteError) -> Int64 {
    try statement("PRAGMA data_version").firstInt64() ?? 0
  }

  /// The number that the program keeps in the header of the database file.
  public func userVersion() throws(SQLiteError) -> Int32 {
    Int32(truncatingIfNeeded: try statement("PRAGMA user_version").firstInt64() ?? 0)
  }

  /// Sets the number that the program keeps in the header of the database file.
  public func setUserVersion(_ version: Int32) throws(SQLiteError) {
    try execute("PRAGMA user_version = \(version)")
  }

  /// Asks now and then, while a statement runs, whether it is to go on.
  ///
  /// The closure must not use the connection. Where it answers no, the statement ends with
  /// ``SQLiteError/interrupted``. It is asked after about as many steps of SQLite's machine as
  /// `instructions` says.
  public func setProgressHandler(
    every instructions: Int32 = 1_000, _ goesOn: (() -> Bool)?
  ) {
    guard let pointer = unsafe database.pointer else { return }
    database.progress = goesOn
    let context = unsafe Unmanaged.passUnretained(database).toOpaque()
    unsafe sqlite3_progress_handler(
      pointer, goesOn == nil ? 0 : instructions, progressCallback, context)
  }
}

/// Called by SQLite while a statement runs.
private let progressCallback: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
  guard let context = unsafe context else { return 0 }
  let handle = unsafe Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
  return handle.progress?() ?? true ? 0 : 1
}

/// Called by SQLite after a commit into the log.
private let logCallback:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
  ) -> Int32 = { context, _, _, pages in
    guard let context = unsafe context else { return SQLITE_OK }
    let handle = unsafe Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
    handle.pagesInLog = Int(pages)
    return SQLITE_OK
  }
