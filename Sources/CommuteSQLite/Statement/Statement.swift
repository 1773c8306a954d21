public import CSQLite

/// A compiled statement: bind its parameters, step through its rows.
///
/// Parameters are numbered from 1 and columns from 0, as in SQLite. When a run has ended — the
/// last row was passed, an error was thrown, or ``reset()`` was called — all parameters are null
/// again. A value that cannot be bound is reported by the next ``step()``.
@safe public final class Statement {
  /// The compiled statement, or nothing once the connection is closed; to SQLite's functions for
  /// binding, stepping and reading, nothing is a statement that has no rows and only nulls.
  @exclusivity(unchecked) @usableFromInline var handle: OpaquePointer?
  @usableFromInline let arena = BindingArena()
  /// Why a value could not be bound.
  private var refusal: SQLiteError?
  @exclusivity(unchecked) @usableFromInline var isRefused = false
  private let database: DatabaseHandle
  /// The text it was compiled from.
  public let sql: String
  /// What it touches, for a statement that was checked.
  public let accesses: [Access]

  init(_ database: DatabaseHandle, sql: String, isChecked: Bool) throws(SQLiteError) {
    self.database = database
    self.sql = sql
    database.authorization.accesses = []
    database.authorization.refused = nil
    database.authorization.isChecking = isChecked
    defer { database.authorization.isChecking = false }
    unsafe handle = try Self.compile(sql, database)
    accesses = database.authorization.accesses
    database.add(self)
  }

  deinit {
    guard let handle = unsafe handle else { return }
    database.remove(self)
    unsafe sqlite3_finalize(handle)
  }

  /// Called when the connection closes; deinit has nothing left to do then.
  func finalize() {
    unsafe sqlite3_finalize(handle)
    unsafe handle = nil
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one; if not, the statement is ready for its next run.
  @inlinable public func step() throws(SQLiteError) -> Bool {
    if unsafe isRefused { throw endWithRefusal() }
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      reset()
      return false
    }
    throw end(code)
  }

  /// Runs the statement to its end, for its effect.
  @inlinable public func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Ends the run, lets go of the snapshot it reads, and forgets the parameters.
  public func reset() {
    if let handle = unsafe handle {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
    }
    arena.removeAll()
    guard unsafe isRefused else { return }
    unsafe isRefused = false
    refusal = nil
  }

  /// Whether it is in the middle of its rows.
  public var isRunning: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

  /// Whether it changes nothing in the database file.
  public var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

  /// How many parameters it has.
  public var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(handle)) }

  /// How many columns its rows have; 0 where it has no rows.
  public var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

  /// The name of a column, as the statement says it.
  public func columnName(_ column: Int) -> String {
    guard let handle = unsafe handle,
      let name = unsafe sqlite3_column_name(handle, Int32(truncatingIfNeeded: column))
    else { return "" }
    return unsafe String(cString: name)
  }

  /// Makes the error of a run that failed, and ends the run.
  @usableFromInline func end(_ code: Int32) -> SQLiteError {
    let error = database.failure(code, whileRunning: true)
    reset()
    return error
  }

  @usableFromInline func endWithRefusal() -> SQLiteError {
    let error = unsafe handle == nil ? .closed : refusal
    reset()
    return error ?? .misuse(reason: "a value could not be bound")
  }

  /// Notes why a value could not be bound; the first reason counts.
  @usableFromInline func refuse(parameter: Int, code: Int32) {
    guard unsafe !isRefused else { return }
    unsafe isRefused = true
    switch code {
    case SQLITE_RANGE:
      refusal = .misuse(reason: "the statement has no parameter \(parameter)")
    case SQLITE_TOOBIG:
      refusal = .refusedValue(parameter: parameter, reason: "it is too long")
    case SQLITE_MISUSE:
      refusal = .misuse(reason: "parameter \(parameter) was bound in the middle of a run")
    default:
      refusal = .sql(code: code, message: "parameter \(parameter) could not be bound")
    }
  }

  /// Notes a double that SQLite would store as null.
  @usableFromInline func refuseNaN(parameter: Int) {
    guard unsafe !isRefused else { return }
    unsafe isRefused = true
    refusal = .refusedValue(parameter: parameter, reason: "it is not a number")
  }
}
