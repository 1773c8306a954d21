import CommuteCore
import CommuteSQLite

/// One state of the store, for as many reads as are made in it.
extension StoreConnection {
  /// Begins to see one state, that of this moment.
  func beginSnapshot() throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      try connection.begin(.deferred)
      do throws(SQLiteError) {
        // The state is that of the first read, not of BEGIN.
        _ = try connection.statement(text: "SELECT one FROM c_meta", isChecked: false).firstInt64()
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  /// Ends it.
  func endSnapshot() {
    fetched = [:]
    connection.rollback()
  }

  /// A record of the state, read once however many want it.
  func fetchOnce<Model: Record>(_ id: RecordID) throws(StoreError) -> Model? {
    let key = ObjectIdentifier(Model.self)
    let known = fetched[key] as? FetchedRecords<Model> ?? FetchedRecords<Model>()
    fetched[key] = known
    if let record = known.records[id] { return record }
    let record: Model? = try inState { tx throws(StoreError) in try tx.fetch(Model.self, id) }
    known.records[id] = .some(record)
    return record
  }
}

/// The records of one type that were read in a state; nil stands for one that is not there.
private final class FetchedRecords<Model: Record> {
  var records: [RecordID: Model?] = [:]
}
