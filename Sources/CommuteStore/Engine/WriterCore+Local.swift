import CommuteCore
import CommuteSQLite

/// Records of tables that are this device's alone: they are written and nothing else.
extension WriterCore {
  /// Adds a record.
  func insertLocal(
    _ record: UnsafeRawPointer, id: RecordID, in shape: TableShape
  ) throws(StoreError) {
    let names = (["id"] + shape.layout.fields.map { SQL.quoted($0.name.text) })
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let statement = try local(
      """
      INSERT INTO \(SQL.quoted(shape.name))(\(names.joined(separator: ", "))) VALUES (\(marks))
      """)
    guard shape.layout.bind(record, to: statement, from: 2) != nil else {
      statement.reset()
      // Names the value that cannot be stored.
      _ = try shape.layout.values(of: record, mask: shape.layout.all)
      throw .query(reason: "a value of \(shape.name) cannot be stored")
    }
    statement.bind(high: id.high, low: id.low, at: 1)
    do { try statement.run() } catch {
      guard case .constraint(let failure) = error, failure.isAboutKey else {
        throw StoreError(error)
      }
      throw .refused(.exists(RecordKey(table: shape.key, id: id)))
    }
    note(shape.slot, id, CommittedChange.everything)
  }

  /// Writes some columns of a record.
  func updateLocal(
    _ record: UnsafeRawPointer, id: RecordID, changed: UInt64, in shape: TableShape
  ) throws(StoreError) {
    let values = try shape.layout.values(of: record, mask: changed)
    let sets = values.entries.map { "\(SQL.quoted($0.name.text)) = ?" }
    let statement = try local(
      """
      UPDATE \(SQL.quoted(shape.name)) SET \(sets.joined(separator: ", ")) WHERE id = ?
      """)
    for (index, entry) in values.entries.enumerated() {
      statement.bind(entry.value, at: index + 1)
    }
    statement.bind(high: id.high, low: id.low, at: values.entries.count + 1)
    try run(statement)
    note(shape.slot, id, changed)
  }

  /// Removes a record.
  ///
  /// - Returns: Whether there was one.
  func deleteLocal(_ id: RecordID, in shape: TableShape) throws(StoreError) -> Bool {
    let statement = try local("DELETE FROM \(SQL.quoted(shape.name)) WHERE id = ?")
    statement.bind(high: id.high, low: id.low, at: 1)
    try run(statement)
    guard connection.changes > 0 else { return false }
    note(shape.slot, id, CommittedChange.everything)
    return true
  }

  private func local(_ text: String) throws(StoreError) -> Statement {
    try speaking { () throws(SQLiteError) in try connection.statement(text: text) }
  }
}
