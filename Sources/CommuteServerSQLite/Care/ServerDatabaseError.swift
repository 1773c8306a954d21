import CommuteSQLite

/// Why a backup, restore or purge was not made; the database is as it was.
@nonexhaustive
public enum ServerDatabaseError: Error, Hashable, Sendable {
  /// A process serves the database: it has to end first.
  case served(path: String)
  /// There is a file of this name already.
  case exists(path: String)
  /// There is no such file, or it is none of a Commute server.
  case notADatabase(path: String, reason: String)
  /// The file is damaged; another backup may be whole.
  case damaged(path: String, reason: String)
  /// The backup is older than deletions are remembered: restoring it brings deleted records back.
  case tooOld(days: Int64, retentionDays: Int64)
  /// The backup is of another server than the database it would replace.
  case otherServer(path: String)
  /// Somebody holds the database; the same call may work later.
  case busy(path: String)
  /// The disk or the rights do not allow it.
  case failed(reason: String)

  init(_ error: SQLiteError) {
    switch error {
    case .notADatabase(let path): self = .notADatabase(path: path, reason: "it is no database")
    case .cannotOpen(let path, let reason): self = .notADatabase(path: path, reason: reason)
    default: self = .failed(reason: error.description)
    }
  }

  /// Reads a failure with a file as what it says about this file.
  init(_ error: SQLiteError, of path: String) {
    switch error {
    case .corrupt(let reason): self = .damaged(path: path, reason: reason)
    case .busy: self = .busy(path: path)
    default: self.init(error)
    }
  }
}

extension ServerDatabaseError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .served(let path): "\(path) is served by another process; end that one first"
    case .exists(let path): "there is a file \(path) already; name another, or move it away"
    case .notADatabase(let path, let reason):
      "\(path) is no database of a Commute server that can be read: \(reason); name another"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)); take another backup"
    case .tooOld(let days, let retention):
      "the backup is \(days) days old, deletions are remembered for \(retention): deleted records"
        + " would come back; take a newer one, or say that they may"
    case .otherServer(let path):
      "the backup is of another server than \(path); move that file away, or name another"
    case .busy(let path): "\(path) is held by another program; try again when it has ended"
    case .failed(let reason): reason
    }
  }
}
