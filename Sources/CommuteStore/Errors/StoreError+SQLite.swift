import CommuteCore
public import CommuteSQLite

extension StoreError: CarriesSQLiteError {
  /// Translates what SQLite said.
  public init(_ error: SQLiteError) {
    switch error {
    case .busy: self = .busy(holder: "another process")
    case .full: self = .diskFull
    case .readOnly(let path): self = .readOnly(path: path)
    case .inputOutput(let code, let message):
      self = .unreadable(path: "the disk", reason: "\(message) (SQLite \(code)); check the disk")
    case .undecided(let reason): self = .undecided(reason: reason)
    case .corrupt(let reason): self = .corrupt(reason: reason)
    case .notADatabase(let path): self = .corrupt(reason: "\(path) is not a database")
    case .cannotOpen(let path, let reason): self = .unreadable(path: path, reason: reason)
    case .constraint(let failure): self = .constraint(message: failure.message)
    case .denied(let access): self = StoreError(denied: access)
    case .closed: self = .closed
    case .newerSchema(let found, let known): self = .newerSchema(found: found, known: known)
    case .migration, .unsupportedLibrary: self = .declaration(reason: error.description)
    case .interrupted, .refusedValue, .misuse, .sql: self = .query(reason: error.description)
    @unknown default: self = .query(reason: error.description)
    }
  }

  /// Names the call to use where a statement wanted to change what only the store may change.
  private init(denied access: Access) {
    switch access.action {
    case .insert(let table): self = Self.written(table, call: "tx.insert(…)")
    case .update(let table, _): self = Self.written(table, call: "tx.update(…)")
    case .delete(let table): self = Self.written(table, call: "tx.delete(…)")
    default: self = .query(reason: "a statement of an app must not \(access)")
    }
  }

  private static func written(_ table: String, call: String) -> StoreError {
    .query(
      reason: "\(table) is written by the store alone, or the change would not be synced;"
        + " use \(call)")
  }
}

/// Runs a call into SQLite, with its error in the store's words.
@discardableResult
@inline(__always)
func speaking<Result>(
  _ body: () throws(SQLiteError) -> Result
) throws(StoreError) -> Result {
  do { return try body() } catch { throw StoreError(error) }
}
