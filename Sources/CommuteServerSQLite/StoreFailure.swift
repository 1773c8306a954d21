import CommuteCore
import CommuteServer
import CommuteSQLite

/// Why one request was not settled or answered.
enum StoreFailure: CarriesSQLiteError {
  /// SQLite said so.
  case sqlite(SQLiteError)
  /// A record that is stored cannot be read.
  case unreadable(RecordKey, WireError)
  /// The database has no row that says who the server is.
  case nameless

  init(_ error: SQLiteError) { self = .sqlite(error) }

  /// Runs what only SQLite can fail.
  static func wrap<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(StoreFailure) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw .sqlite(error) }
  }

  /// What the server is told.
  var storeError: ServerStoreError {
    switch self {
    case .sqlite(let error): ServerStoreError(error)
    case .unreadable(let key, let error):
      .failed(reason: "\(key.table.text) \(key.id.text) is stored wrongly: \(error.message)")
    case .nameless:
      .unavailable(reason: "the database does not say who the server is; restore a backup")
    }
  }
}

extension ServerStoreError {
  /// Splits SQLite's errors by whether asking again may help.
  init(_ error: SQLiteError) {
    switch error {
    case .busy, .full, .readOnly, .inputOutput, .undecided, .corrupt, .cannotOpen, .notADatabase,
      .interrupted:
      self = .unavailable(reason: error.description)
    case .closed: self = .closed
    default: self = .failed(reason: error.description)
    }
  }
}
