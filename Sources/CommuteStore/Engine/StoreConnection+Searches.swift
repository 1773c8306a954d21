import CommuteCore
import CommuteSQLite

extension StoreConnection {
  /// Brings all searches up to date with what this transaction has written so far.
  func updateSearches() throws(StoreError) {
    for search in shapes.searches { try update(search) }
  }

  /// Brings one search up to date; a transaction that only reads finds nothing to do.
  func update(_ search: SearchTables) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      let asking = try connection.statement(text: search.asking)
      guard try asking.step() else { return }
      asking.reset()
      for text in search.updating { try connection.statement(text: text).run() }
    }
  }
}
