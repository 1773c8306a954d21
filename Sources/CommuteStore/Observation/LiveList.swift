import CommuteCore

/// An observed query that is brought up to date by what was committed, record by record, and read
/// again only where that cannot tell.
final class LiveList<Model: Record>: Sendable {
  /// So many changed records are cheaper to read all at once.
  private static var fewRecords: Int { 256 }

  private let query: Query<Model>
  private let rows: Locked<LiveRows<Model>?> = Locked(nil)

  init(_ query: Query<Model>) {
    self.query = query
  }

  /// The list in the state that the session sees; nil where it is the same as before.
  func update(
    on session: StoreConnection, by changes: Observers.Changes
  ) throws(StoreError) -> [Model]? {
    if case .rows(let changed) = changes, let list = try step(on: session, changed) {
      return list.isNew ? list.records : nil
    }
    let records = try session.inState { tx throws(StoreError) in try tx.fetch(query) }
    return rows.withLock { rows in
      let before = rows?.records
      rows = LiveRows(query, records)
      if let before, Self.areSame(before, records) { return nil }
      return records
    }
  }

  /// Takes the changed records one by one; nil where the list must be read again.
  private func step(
    on session: StoreConnection, _ changes: [CommittedChange]
  ) throws(StoreError) -> (records: [Model], isNew: Bool)? {
    let slot = try session.shapes.shape(of: ObjectIdentifier(Model.self)).slot
    return try rows.withLock { (rows) throws(StoreError) in
      guard LiveRows.canKeep(query), var list = rows else { return nil }
      // Whoever has the list keeps it; this one is about to change.
      rows = nil
      var isNew = false
      var taken = 0
      for change in changes where change.table == slot {
        guard let id = change.record else { return nil }
        guard list.isConcerned(by: id, columns: change.columns) else { continue }
        taken += 1
        guard taken <= Self.fewRecords else { return nil }
        switch list.take(id, try session.fetchOnce(id)) {
        case .same: continue
        case .changed: isNew = true
        case .stale: return nil
        }
      }
      rows = list
      return (list.records, isNew)
    }
  }

  private static func areSame(_ one: [Model], _ other: [Model]) -> Bool {
    one.count == other.count
      && zip(one, other).allSatisfy { $0.id == $1.id && Model.table.difference($0, $1) == 0 }
  }
}
