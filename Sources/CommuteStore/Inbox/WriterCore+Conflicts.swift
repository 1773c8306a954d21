import CommuteCore
import CommuteSQLite

/// Conflicts are records of a table that no app declares; those addressed to this device are listed
/// beside them.
extension WriterCore {
  /// Lists a conflict where it is addressed to this device, or takes it off the list.
  func noteConflict(_ key: RecordKey, _ view: RecordState?) throws(StoreError) {
    guard key.table == ConflictEntry.table else { return }
    let conflict = view.flatMap { ConflictEntry(key: key, state: $0) }
    try speaking { () throws(SQLiteError) in
      guard let conflict, conflict.isAddressed(to: state.device) else {
        try connection.run("DELETE FROM c_conflict WHERE conflict = \(key.id)")
        return
      }
      let record = conflict.record
      try connection.run(
        """
        INSERT INTO c_conflict(conflict, tbl, id, field, rule, noted_at)
        VALUES (\(key.id), \(record.table.text), \(record.id), \(conflict.field.text),
          \(conflict.rule.text), \(conflict.time))
        ON CONFLICT (conflict) DO NOTHING
        """)
    }
    note(engine: "c_conflict")
  }

  /// Writes the value that lost once more, and takes the conflict off all devices.
  ///
  /// - Returns: Whether the conflict was still there.
  /// - Throws: ``StoreError/refused(_:)`` where the record is gone; the conflict stays then.
  func restore(_ conflict: ConflictEntry) throws(StoreError) -> Bool {
    guard try isListed(conflict) else { return false }
    let key = conflict.record
    var loaded =
      if let shape = shapes.shape(named: key.table) {
        try load(key.id, in: shape)
      } else {
        try loadUnknown(key, feed: Key(""))
      }
    var context = context
    do throws(WriteRefusal) {
      try loaded.record.change(
        [conflict.field: conflict.restoring], operation: newOperation(), context: &context)
    } catch {
      throw .refused(error)
    }
    try write(loaded, context)
    return try dismiss(conflict)
  }

  /// Takes a conflict off all devices: its record is deleted.
  ///
  /// - Returns: Whether the conflict was still there.
  func dismiss(_ conflict: ConflictEntry) throws(StoreError) -> Bool {
    guard try isListed(conflict) else { return false }
    let key = RecordKey(table: ConflictEntry.table, id: conflict.id)
    var loaded = try loadUnknown(key, feed: Key(""))
    var context = context
    guard loaded.record.delete(operation: newOperation(), context: &context) else { return false }
    try write(loaded, context)
    return true
  }

  private func isListed(_ conflict: ConflictEntry) throws(StoreError) -> Bool {
    try hasRows("SELECT 1 FROM c_conflict WHERE conflict = \(conflict.id)")
  }
}
