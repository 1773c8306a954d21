import CommuteSQLite

extension Store {
  /// Looks through the whole file for damage; it reads everything, so it may take seconds.
  ///
  /// - Returns: What is wrong, a line each; nothing where all is well.
  public func integrityProblems() async throws(StoreError) -> [String] {
    try await look { session throws(StoreError) in
      try speaking { () throws(SQLiteError) in try session.connection.integrityCheck() }
    }
  }
}
