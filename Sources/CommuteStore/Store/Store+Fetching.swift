public import CommuteCore
import CommuteSQLite

extension Store {
  /// Reads one record as it is now, most often without leaving the calling thread.
  ///
  /// It never waits for a write. Several records that must be of one state are read in one
  /// ``read(_:)``.
  ///
  /// - Throws: ``StoreError``.
  /// - Returns: Nil where there is none with this id.
  @inlinable
  public func fetch<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID
  ) async throws -> Model? {
    var found: Model?
    let isDone = try readInPlace { (session) throws(StoreError) in
      // One statement sees one state without a transaction around it.
      let statement = try session.statement(reading: ObjectIdentifier(Model.self), id)
      let table = Model.table
      found = try statement.first { (row) throws(StoreError) in try table.read(row) }
    }
    if isDone { return found }
    return try await read { tx in try tx.fetch(Model.self, id) }
  }

  @usableFromInline
  func readInPlace(
    _ body: (StoreConnection) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    try readers.readInPlace(body)
  }
}
