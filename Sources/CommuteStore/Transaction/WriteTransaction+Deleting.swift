public import CommuteCore

/// Deleting records, and what can still be done about it.
extension WriteTransaction {
  /// Deletes a record; one that is not there or deleted already stays as it is.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public borrowing func delete<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID
  ) throws(StoreError) -> Bool {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    if shape.isLocal { return try core.deleteLocal(id, in: shape) }
    var loaded = try core.load(id, in: shape)
    var context = core.context
    guard loaded.record.delete(operation: core.newOperation(), context: &context) else {
      return false
    }
    core.state.device.clock = context.clock
    try core.save(loaded, in: shape)
    return true
  }

  /// Takes back a deletion that was never sent, so that the record is there again.
  ///
  /// - Returns: False where the deletion has left the device or may have; insert what
  ///   ``deleted(_:_:)`` gives as a new record then.
  @discardableResult
  public borrowing func withdrawDeletion<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID
  ) throws(StoreError) -> Bool {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    if shape.isLocal { return false }
    var loaded = try core.load(id, in: shape)
    let replica = core.state.device.replica
    guard loaded.record.withdrawDeletion(operation: core.newOperation(), by: replica) else {
      return false
    }
    try core.save(loaded, in: shape)
    return true
  }

  /// Reads what a deleted record held.
  ///
  /// - Returns: Nil where no such record was deleted.
  public borrowing func deleted<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID
  ) throws(StoreError) -> Model? {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    guard !shape.isLocal, let view = try core.load(id, in: shape).record.view, view.deleted != nil
    else {
      return nil
    }
    return try Model.table.record(id, view.fields)
  }
}
