extension SQLiteError: CustomStringConvertible {
  /// What happened, then what to do.
  public var description: String {
    switch self {
    case .busy:
      "the database is in use by another process; try again"
    case .full:
      "the disk is full; nothing was written; free some space and try again"
    case .readOnly(let path):
      "\(path) may only be read; make the file and its folder writable"
    case .inputOutput(let code, let message):
      "the disk could not be read or written: \(message) (SQLite \(code)); check the disk"
    case .undecided(let reason):
      "it is not known whether this was written, because the disk failed: \(reason); check the disk"
        + " and write it again"
    case .corrupt(let reason):
      "the database is damaged: \(reason); restore a backup or recover it"
    case .notADatabase(let path):
      "\(path) is not a database; name another file"
    case .cannotOpen(let path, let reason):
      "\(path) cannot be opened: \(reason)"
    case .constraint(let failure):
      failure.message
    case .interrupted:
      "the query was stopped"
    case .denied(let access):
      "the statement must not \(access)"
    case .refusedValue(let parameter, let reason):
      "parameter \(parameter) cannot be stored: \(reason)"
    case .closed:
      "the database was closed; open it again"
    case .misuse(let reason):
      "SQLite was called wrongly: \(reason)"
    case .newerSchema(let found, let newestKnown):
      "a newer program wrote this database (\(found); this one knows \(newestKnown)); update it"
    case .migration(let name, let problem):
      "migration \(name) \(problem)"
    case .unsupportedLibrary(let version, let lacks):
      "SQLite \(version) lacks \(lacks); install a newer one"
    case .sql(let code, let message):
      "\(message) (SQLite \(code))"
    }
  }
}

extension MigrationProblem: CustomStringConvertible {
  /// The rest of a sentence that begins with the migration's name.
  public var description: String {
    switch self {
    case .edited: "was edited after it ran; undo the edit and add a new one"
    case .outOfOrder: "stands before one that already ran; move it to the end"
    case .endedTransaction: "ended its own transaction; leave BEGIN and COMMIT out of it"
    case .nameTwice: "is there twice; give each a name of its own"
    }
  }
}
