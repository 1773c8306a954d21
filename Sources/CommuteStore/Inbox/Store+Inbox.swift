public import CommuteCore
import CommuteSQLite

/// What the server refused, and what a person decides about it.
///
/// ```swift
/// for try await entries in store.inboxEntries() { show(entries) }
/// try await store.retry(entry)
/// try await store.edit(entry, as: Book.self) { $0.rating = 5 }
/// try await store.discard(entry)
/// ```
/// Each decision is one transaction and takes the entry away. Where the entry is not there any
/// more nothing happens and the call says so.
extension Store {
  /// The operations that the server refused, the oldest first.
  public func inbox() async throws(StoreError) -> [InboxEntry] {
    try await look { session throws(StoreError) in
      try InboxEntry.all(on: session.connection)
    }
  }

  /// The operations that the server refused, now and whenever they change.
  public func inboxEntries() -> StoreValues<[InboxEntry]> {
    values { tx in
      for table in ["c_inbox", "c_outbox"] { tx.session.noteRead(of: table) }
      return try InboxEntry.all(on: tx.session.connection)
    }
  }

  /// Makes a refused change once more, as a new one at the end of the line.
  ///
  /// It is written over what the record shows now. With a creation everything is made once more
  /// that was refused only because of it.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Throws: ``StoreError/refused(_:)`` where the record is gone by now,
  ///   ``StoreError/creationRefused(_:)`` where its creation must be decided about first; the entry
  ///   stays then.
  @discardableResult
  public func retry(_ entry: InboxEntry) async throws(StoreError) -> Bool {
    try await perform { core throws(StoreError) in try core.retry(entry) }
  }

  /// Makes another change in the place of a refused one.
  ///
  /// The closure gets the record as it would be, had the change been taken, and says what it is to
  /// be instead; what then differs from the record as it is goes to the end of the line.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Throws: What ``retry(_:)`` throws, ``StoreError/value(table:column:problem:)`` for a value
  ///   that cannot be kept, and what the closure throws; the entry stays then.
  @discardableResult
  public func edit<Model: Record>(
    _ entry: InboxEntry, as model: Model.Type = Model.self,
    _ change: @escaping @Sendable (inout Model) throws -> Void
  ) async throws -> Bool {
    try await writer.write(.normal) { core in
      guard Model.table.declared.name == entry.key.table.text else {
        throw StoreError.query(
          reason: "the entry is about \(entry.key.table.text), not \(Model.table.name)")
      }
      return try core.edit(entry) { record, proposed in
        let id = record.key.id
        var wanted = try Model.table.record(id, proposed?.fields ?? FieldMap())
        try change(&wanted)
        guard let shown = record.view else { return try Model.table.values(of: wanted) }
        let mask = Model.table.difference(try Model.table.record(id, shown.fields), wanted)
        return try Model.table.values(of: wanted, mask: mask)
      }
    }
  }

  /// Makes another change in the place of a refused one, of values by field.
  ///
  /// Fields that are not named keep what the refused change wanted.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Throws: What ``retry(_:)`` throws; the entry stays then.
  @discardableResult
  public func edit(
    _ entry: InboxEntry, values: FieldMap<FieldValue>
  ) async throws -> Bool {
    try await writer.write(.normal) { core in
      try core.edit(entry) { record, proposed in
        let proposed = proposed?.fields ?? FieldMap()
        var wanted = FieldMap<FieldValue>()
        for name in record.view == nil ? proposed.names : entry.refused.fields.names {
          wanted[name] = proposed[name]?.value
        }
        for value in values.entries { wanted[value.name] = value.value }
        return wanted
      }
    }
  }

  /// Gives a refused change up, and what was refused only because of it.
  ///
  /// The record shows what the server told, and what waits in line, since it was refused.
  ///
  /// - Returns: Whether there was such an entry.
  @discardableResult
  public func discard(_ entry: InboxEntry) async throws(StoreError) -> Bool {
    try await perform { core throws(StoreError) in try core.discard(entry) }
  }
}
