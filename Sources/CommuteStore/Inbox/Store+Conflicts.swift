import CommuteCore

/// Values that lost to others', and what a person decides about them.
///
/// ```swift
/// for try await conflicts in store.conflictEntries() { show(conflicts) }
/// try await store.restore(conflict)
/// try await store.dismiss(conflict)
/// ```
extension Store {
  /// The values of this device that lost, the oldest first.
  public func conflicts() async throws(StoreError) -> [InboxConflict] {
    try await look { session throws(StoreError) in
      try InboxConflict.all(on: session.connection)
    }
  }

  /// The values of this device that lost, now and whenever they change.
  public func conflictEntries() -> StoreValues<[InboxConflict]> {
    values { tx in
      for table in ["c_conflict", "c_replica"] { tx.session.noteRead(of: table) }
      return try InboxConflict.all(on: tx.session.connection)
    }
  }

  /// Writes the value that lost once more, as a new change, and takes the conflict away.
  ///
  /// - Returns: Whether the conflict was still there.
  /// - Throws: ``StoreError/refused(_:)`` where the record is gone by now; the conflict stays then.
  @discardableResult
  public func restore(_ entry: InboxConflict) async throws(StoreError) -> Bool {
    try await perform { core throws(StoreError) in try core.restore(entry.conflict) }
  }

  /// Lets the value go: the conflict is taken away on all devices.
  ///
  /// - Returns: Whether the conflict was still there.
  @discardableResult
  public func dismiss(_ entry: InboxConflict) async throws(StoreError) -> Bool {
    try await perform { core throws(StoreError) in try core.dismiss(entry.conflict) }
  }
}
