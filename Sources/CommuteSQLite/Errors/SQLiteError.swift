/// Why SQLite did not do what it was asked, split by what the caller does next.
///
/// Carries codes, names of tables and columns, and SQLite's own words, never a value that was
/// bound: descriptions land in logs.
@nonexhaustive
public enum SQLiteError: Error, Hashable, Sendable {
  /// Another connection holds a lock; the whole transaction may succeed when it is tried again.
  case busy(code: Int32)
  /// The disk, or the page limit set for the database, is full; nothing of the transaction is kept.
  case full
  /// The database or its folder may only be read.
  case readOnly(path: String)
  /// Reading or writing the file went wrong below SQLite; nothing of the transaction is kept.
  case inputOutput(code: Int32, message: String)
  /// The commit failed, and what it left behind could not be taken back: the transaction is not
  /// shown now, and is there or not when the file is opened anew. The next commit that succeeds
  /// makes sure that it is not.
  case undecided(reason: String)
  /// The file contradicts itself; trying again does not help, a backup or a recovery does.
  case corrupt(reason: String)
  /// The file is something else than a database, or is encrypted with another key.
  case notADatabase(path: String)
  /// There is no such file, or the folder or the rights do not allow opening it.
  case cannotOpen(path: String, reason: String)
  /// A row breaks a rule of its table; the statement changed nothing.
  case constraint(ConstraintFailure)
  /// The call was stopped by an ``Interrupter`` or a progress handler.
  case interrupted
  /// The authorizer does not allow the statement to touch this.
  case denied(Access)
  /// A parameter cannot be stored as it is, such as a double that is not a number.
  case refusedValue(parameter: Int, reason: String)
  /// The connection was closed before the call.
  case closed
  /// The calls came in an order that makes no sense; a fault in the calling code.
  case misuse(reason: String)
  /// A newer program has written this database; reading it with this one could lose data.
  case newerSchema(found: String, newestKnown: String)
  /// A migration was changed after it had run here, or does not follow the ones that ran.
  case migration(name: String, problem: MigrationProblem)
  /// The SQLite library that was found is too old or lacks a part that is needed.
  case unsupportedLibrary(version: String, lacks: String)
  /// Anything else: most often a statement that does not compile.
  case sql(code: Int32, message: String)

  /// Whether the same transaction may succeed when it is tried again, unchanged, from the start.
  public var isRetryable: Bool {
    if case .busy = self { return true }
    return false
  }
}

/// What is wrong with a migration that a database has already seen.
public enum MigrationProblem: Hashable, Sendable {
  /// Its text differs from the text that ran.
  case edited
  /// It stands before one that already ran; new migrations go to the end.
  case outOfOrder
  /// It ended the transaction it runs in.
  case endedTransaction
  /// Two migrations have this name.
  case nameTwice
}

/// An error that can stand for a ``SQLiteError``, so that closures may throw a type of their own.
public protocol CarriesSQLiteError: Error {
  /// Wraps what SQLite said.
  init(_ error: SQLiteError)
}

extension SQLiteError: CarriesSQLiteError {
  /// The error itself.
  public init(_ error: SQLiteError) { self = error }
}
