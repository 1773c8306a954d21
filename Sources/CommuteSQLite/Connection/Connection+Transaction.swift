import CSQLite

/// Which locks a transaction takes when it begins.
public enum TransactionKind: Hashable, Sendable {
  /// None yet: the snapshot is taken with the first read. For transactions that only read.
  case deferred
  /// The one lock for writing: a transaction that writes can then not be overtaken.
  case immediate
}

extension Connection {
  /// Whether a transaction is open.
  public var isInTransaction: Bool {
    if case .none = database.transactionState { return false }
    return true
  }

  /// Begins a transaction; every call must be followed by ``commit()`` or ``rollback()``.
  ///
  /// Where `synchronous` is nil, the configuration says when the commit is on the disk. SQLite
  /// takes a change of it only outside a transaction, so it is made before the transaction begins.
  ///
  /// - Throws: ``SQLiteError/busy(code:)`` when another connection writes for too long.
  public func begin(
    _ kind: TransactionKind = .immediate, synchronous: Synchronous? = nil
  ) throws(SQLiteError) {
    guard case .none = database.transactionState else {
      throw .misuse(reason: "a transaction is open; use a savepoint inside it")
    }
    if kind == .immediate { try setSynchronous(synchronous ?? synchronousOtherwise) }
    switch kind {
    case .immediate: try statement("BEGIN IMMEDIATE").run()
    case .deferred: try statement("BEGIN DEFERRED").run()
    }
    database.transactionState = .open
  }

  /// Makes what the transaction wrote permanent.
  ///
  /// - Throws: What went wrong; the transaction is rolled back then and the connection stays
  ///   usable. An earlier error that made SQLite give up the transaction (the disk was full, for
  ///   one) is thrown here again, whatever the caller did about it. Where not even that can be
  ///   said, ``SQLiteError/undecided(reason:)``.
  public func commit() throws(SQLiteError) {
    switch database.transactionState {
    case .none: throw isClosed ? .closed : .misuse(reason: "no transaction is open")
    case .lost(let error):
      rollback()
      throw error
    case .open:
      database.transactionState = .none
      do {
        try statement("COMMIT").run()
      } catch {
        let mayLieInLog = mayLieInLog
        rollBackIfOpen()
        if mayLieInLog { try makeVoid(after: error) }
        throw error
      }
    }
  }

  /// Undoes what the transaction wrote; without a transaction it does nothing.
  public func rollback() {
    database.transactionState = .none
    rollBackIfOpen()
  }

  /// Runs the body in a transaction; rolls back when it throws.
  ///
  /// Write the thrown type into the closure, `{ () throws(SQLiteError) in … }`, or use the
  /// overload that throws any error.
  @discardableResult
  @inlinable
  public func transaction<Result, Failure: CarriesSQLiteError>(
    _ kind: TransactionKind = .immediate, synchronous: Synchronous? = nil,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do { try begin(kind, synchronous: synchronous) } catch { throw Failure(error) }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    do { try commit() } catch { throw Failure(error) }
    return result
  }

  /// Runs the body in a transaction; rolls back when it throws.
  @discardableResult
  @inlinable
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, synchronous: Synchronous? = nil,
    _ body: () throws -> Result
  ) throws -> Result {
    try begin(kind, synchronous: synchronous)
    let result: Result
    do {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    try commit()
    return result
  }

  /// Runs the body in a part of the transaction that is undone alone when it throws.
  @discardableResult
  @inlinable
  public func savepoint<Result, Failure: CarriesSQLiteError>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do { try beginSavepoint() } catch { throw Failure(error) }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      rollbackSavepoint()
      throw error
    }
    do { try endSavepoint() } catch { throw Failure(error) }
    return result
  }

  /// Runs the body in a part of the transaction that is undone alone when it throws.
  @discardableResult
  @inlinable
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try beginSavepoint()
    let result: Result
    do {
      result = try body()
    } catch {
      rollbackSavepoint()
      throw error
    }
    try endSavepoint()
    return result
  }

  @usableFromInline func beginSavepoint() throws(SQLiteError) {
    try requireTransaction()
    try statement("SAVEPOINT part").run()
  }

  @usableFromInline func endSavepoint() throws(SQLiteError) {
    try requireTransaction()
    try statement("RELEASE part").run()
  }

  /// Undoes the part; where SQLite has given up the whole transaction there is nothing to undo.
  @usableFromInline func rollbackSavepoint() {
    guard case .open = database.transactionState, let pointer = unsafe database.pointer else {
      return
    }
    unsafe sqlite3_exec(pointer, "ROLLBACK TO part; RELEASE part", nil, nil, nil)
  }

  private func requireTransaction() throws(SQLiteError) {
    switch database.transactionState {
    case .open: return
    case .lost(let error): throw error
    case .none: throw isClosed ? .closed : .misuse(reason: "a savepoint needs a transaction")
    }
  }

  private func rollBackIfOpen() {
    guard isReallyInTransaction, let pointer = unsafe database.pointer else { return }
    unsafe sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil)
  }

  /// Whether SQLite has a transaction open, however it came to that.
  var isReallyInTransaction: Bool {
    guard let pointer = unsafe database.pointer else { return false }
    return unsafe sqlite3_get_autocommit(pointer) == 0
  }
}
