import CSQLite

/// One connection to a database, with the statements it keeps.
///
/// A connection is confined to one thread at a time: it is not `Sendable`, and SQLite's own
/// locking of connections is off. It is made for code that writes its own SQL; names and values
/// never meet in one text except through ``SQL``.
@safe public final class Connection {
  @usableFromInline let database: DatabaseHandle
  let kept = KeptStatements()
  /// What the connection is set to; nothing until it was set once.
  var synchronousNow: Synchronous?
  let synchronousOtherwise: Synchronous

  /// Opens a database.
  ///
  /// A new file can be read and written by its owner only, and so can the files that SQLite puts
  /// beside it.
  ///
  /// - Throws: ``SQLiteError/cannotOpen(path:reason:)`` where there is no file or no way to it,
  ///   ``SQLiteError/notADatabase(path:)`` where the file is something else.
  public init(
    _ location: Location, _ configuration: Configuration = Configuration()
  ) throws(SQLiteError) {
    try SQLiteLibrary.require()
    if case .file = location, configuration.mode == .create {
      try PrivateFile.createIfMissing(try location.fileName())
    }
    database = try DatabaseHandle(location: location, mode: configuration.mode)
    busyMilliseconds = configuration.busyMilliseconds
    synchronousOtherwise = configuration.synchronous
    waitWhenBusy()
    try configuration.whenOpened?(self)
    try setUp(configuration, isFile: location != .memory)
  }

  /// The path of the database, for messages.
  public var path: String { database.path }

  /// Stops this connection's statements from other threads.
  public var interrupter: Interrupter { database.interrupter }

  /// How long a call waits for a lock held by another connection; 0 does not wait.
  public var busyMilliseconds: Int32 {
    didSet { if busyMilliseconds != oldValue { waitWhenBusy() } }
  }

  /// Whether the connection was closed.
  public var isClosed: Bool { unsafe database.pointer == nil }

  /// Closes the database; statements and calls that come later get ``SQLiteError/closed``.
  ///
  /// A transaction that is open is rolled back. Calling it again does nothing.
  ///
  /// - Parameter copyingLog: Whether the last connection of all copies the write-ahead log into
  ///   the database, as SQLite does by itself; else the log stays, and whoever opens next reads it.
  public func close(copyingLog: Bool = true) {
    if !copyingLog, let pointer = unsafe database.pointer {
      unsafe commute_sqlite3_db_flag(pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    kept.removeAll()
    database.close()
  }

  /// Runs one or more statements that take no parameters and whose rows are not wanted.
  public func execute(_ sql: String) throws(SQLiteError) {
    try Statement.refuseNUL(in: sql)
    let pointer = try unsafe database.opened()
    let code = unsafe sqlite3_exec(pointer, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw database.failure(code, whileRunning: false) }
  }

  /// How many rows the last insert, update or delete changed.
  public var changes: Int {
    guard let pointer = unsafe database.pointer else { return 0 }
    return unsafe Int(sqlite3_changes64(pointer))
  }

  /// How many rows were changed since the database was opened.
  public var totalChanges: Int {
    guard let pointer = unsafe database.pointer else { return 0 }
    return unsafe Int(sqlite3_total_changes64(pointer))
  }

  /// The row number of the last insert into a table that has row numbers.
  public var lastInsertRowID: Int64 {
    guard let pointer = unsafe database.pointer else { return 0 }
    return unsafe sqlite3_last_insert_rowid(pointer)
  }

  private func waitWhenBusy() {
    guard let pointer = unsafe database.pointer else { return }
    unsafe sqlite3_busy_timeout(pointer, busyMilliseconds)
  }

  private func setUp(_ configuration: Configuration, isFile: Bool) throws(SQLiteError) {
    let pointer = try unsafe database.opened()
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_ENABLE_FKEY, 0),
    ] as [(Int32, Int32)] {
      unsafe commute_sqlite3_db_flag(pointer, option, value)
    }
    try execute(
      """
      PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -\(configuration.cacheKibibytes);
      """)
    unsafe sqlite3_wal_autocheckpoint(pointer, Int32(clamping: configuration.checkpointPages))
    if configuration.checkpointPages == 0 { countPagesInLog() }
    // The first look at the file: here a file that is no database is found out.
    _ = try prepare("PRAGMA schema_version").firstInt64()
    try setJournal(configuration, isFile: isFile)
    try setSynchronous(configuration.synchronous)
  }

  private func setJournal(_ configuration: Configuration, isFile: Bool) throws(SQLiteError) {
    guard isFile, configuration.mode != .readOnly, configuration.journal != .unchanged else {
      return
    }
    let wanted = configuration.journal == .writeAheadLog ? "wal" : "delete"
    let statement = try prepare("PRAGMA journal_mode = \(wanted)")
    let got = try statement.step() ? statement.text(0) : ""
    statement.reset()
    // A database in memory knows neither.
    guard got == wanted || got == "memory" else {
      throw .sql(code: SQLITE_ERROR, message: "the journal mode stayed \(got)")
    }
  }

  /// Sets what later commits do; has an effect only outside a transaction.
  func setSynchronous(_ synchronous: Synchronous) throws(SQLiteError) {
    guard synchronous != synchronousNow else { return }
    try execute("PRAGMA synchronous = \(synchronous.rawValue)")
    synchronousNow = synchronous
  }
}
