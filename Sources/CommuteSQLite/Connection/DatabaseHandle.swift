import CSQLite

/// The open database behind a connection, shared with the connection's statements.
///
/// Statements hold it, so that it outlives them; it knows them without holding them, so that
/// closing can finalize them.
@safe @usableFromInline final class DatabaseHandle {
  /// Whether a transaction is open, as the connection's own calls see it.
  enum TransactionState {
    case none
    case open
    /// SQLite gave up the transaction in the middle because of this error; an empty one stands in
    /// its place until it is ended, so that later statements of the body write nothing.
    case lost(SQLiteError)
  }

  /// The open database, or nothing once it is closed.
  private(set) var pointer: OpaquePointer?
  let path: String
  let interrupter: Interrupter
  var transactionState = TransactionState.none
  var authorization = Authorization()
  var progress: (() -> Bool)?
  /// How many pages the log held after the last commit here; counted only where the log is not
  /// copied back automatically.
  var pagesInLog = 0
  private var statements: [ObjectIdentifier: OpenStatement] = [:]

  private struct OpenStatement {
    unowned let statement: Statement
  }

  init(location: Location, mode: Configuration.Mode) throws(SQLiteError) {
    path = location.name
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    if case .sharedMemory = location { flags |= SQLITE_OPEN_URI }
    let name = try location.fileName()
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let database = unsafe opened else {
      let systemCode = unsafe opened.map { unsafe sqlite3_system_errno($0) } ?? 0
      let message = unsafe String(cString: sqlite3_errstr(code))
      unsafe sqlite3_close_v2(opened)
      throw SQLiteError(
        extendedCode: code, systemCode: systemCode, message: message, path: path)
    }
    unsafe pointer = database
    interrupter = unsafe Interrupter(database)
    unsafe sqlite3_set_authorizer(
      database, authorizeCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    close()
  }

  func add(_ statement: Statement) {
    statements[ObjectIdentifier(statement)] = OpenStatement(statement: statement)
  }

  func remove(_ statement: Statement) {
    statements[ObjectIdentifier(statement)] = nil
  }

  /// Finalizes every statement and closes the database; the second call does nothing.
  func close() {
    guard let database = unsafe pointer else { return }
    interrupter.forget()
    for entry in statements.values { entry.statement.finalize() }
    statements = [:]
    transactionState = .none
    unsafe sqlite3_set_authorizer(database, nil, nil)
    unsafe sqlite3_progress_handler(database, 0, nil, nil)
    unsafe sqlite3_wal_hook(database, nil, nil)
    unsafe sqlite3_close_v2(database)
    unsafe pointer = nil
  }

  /// Ends every statement that is in the middle of its rows.
  func resetStatements() {
    for entry in statements.values where entry.statement.isRunning { entry.statement.reset() }
  }

  /// The open database.
  func opened() throws(SQLiteError) -> OpaquePointer {
    guard let database = unsafe pointer else { throw .closed }
    return unsafe database
  }

  /// Makes an error of a result code, and takes care of a transaction that SQLite gave up.
  ///
  /// While a statement runs, SQLite's message may quote a bound value (as the full-text query
  /// parser does), so what is quoted is left out then.
  func failure(_ code: Int32, whileRunning: Bool) -> SQLiteError {
    guard let database = unsafe pointer else { return .closed }
    if code & 0xff == SQLITE_AUTH, let access = authorization.refused { return .denied(access) }
    let matches = unsafe sqlite3_extended_errcode(database) & 0xff == code & 0xff
    let words = unsafe matches ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    var message = unsafe words.map { unsafe String(cString: $0) } ?? ""
    if whileRunning, code & 0xff == SQLITE_ERROR { message = message.withoutQuotes }
    let error = unsafe SQLiteError(
      extendedCode: code, systemCode: sqlite3_system_errno(database), message: message, path: path)
    if case .open = transactionState, unsafe sqlite3_get_autocommit(database) != 0 {
      transactionState = .lost(error)
      unsafe sqlite3_exec(database, "BEGIN", nil, nil, nil)
    }
    return error
  }
}

extension Location {
  /// What is handed to SQLite, which would read some paths as something else.
  func fileName() throws(SQLiteError) -> String {
    switch self {
    case .memory:
      return ":memory:"
    case .sharedMemory(let name):
      let safe = name.utf8.map { String($0, radix: 16) }.joined(separator: "-")
      return "file:/commute-\(safe)?vfs=memdb"
    case .file(let path):
      guard !path.isEmpty else { throw .cannotOpen(path: path, reason: "the path is empty") }
      guard !path.utf8.contains(0) else {
        throw .cannotOpen(path: path, reason: "the path holds a NUL")
      }
      return path.hasPrefix("/") ? path : "./\(path)"
    }
  }
}

extension String {
  /// The message without what stands between double quotes or after a colon.
  fileprivate var withoutQuotes: String {
    var kept = ""
    var quoted = false
    for character in self {
      if character == "\"" {
        quoted.toggle()
        if quoted { kept += "\"…\"" }
      } else if !quoted {
        kept.append(character)
      }
    }
    for opening in ["no such column: ", "unknown special query: "] where kept.hasPrefix(opening) {
      return opening + "…"
    }
    return kept
  }
}
