import CSQLite

extension ConstraintFailure.Kind {
  init(extendedCode: Int32) {
    switch extendedCode >> 8 {
    case 1: self = .check
    case 3: self = .foreignKey
    case 5: self = .notNull
    case 6: self = .primaryKey
    case 7: self = .trigger
    case 8, 10: self = .unique
    case 12: self = .datatype
    default: self = .other
    }
  }
}

extension SQLiteError {
  /// Translates a result code, the operating system's error number behind it, and the message.
  init(extendedCode: Int32, systemCode: Int32, message: String, path: String) {
    let primary = extendedCode & 0xff
    let isFromSystem = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
    if isFromSystem, PrivateFile.isForLackOfSpace(systemCode) {
      self = .full
      return
    }
    switch primary {
    case SQLITE_BUSY where message.hasSuffix("statements in progress"):
      self = .misuse(reason: message)
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy(code: extendedCode)
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY where extendedCode == Self.movedCode:
      self = .cannotOpen(path: path, reason: "it was moved or deleted while it was open")
    case SQLITE_READONLY: self = .readOnly(path: path)
    case SQLITE_IOERR: self = .inputOutput(code: extendedCode, message: message)
    case SQLITE_CORRUPT: self = .corrupt(reason: message)
    case SQLITE_NOTADB: self = .notADatabase(path: path)
    case SQLITE_CANTOPEN:
      let reason = systemCode == 0 ? message : PrivateFile.reason(systemCode)
      self = .cannotOpen(path: path, reason: reason)
    case SQLITE_CONSTRAINT:
      self = .constraint(ConstraintFailure(extendedCode: extendedCode, message: message))
    case SQLITE_INTERRUPT: self = .interrupted
    case SQLITE_MISUSE: self = .misuse(reason: message)
    default: self = .sql(code: extendedCode, message: message)
    }
  }

  /// SQLite's `SQLITE_READONLY_DBMOVED`, a macro that Swift does not see.
  private static let movedCode = SQLITE_READONLY | (4 << 8)
}
