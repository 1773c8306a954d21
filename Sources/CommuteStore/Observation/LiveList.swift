import CommuteCore

/// An observed query that is brought up to date by what was committed, record by record, and read
/// again only where that cannot tell.
final class LiveList<Model: Record>: Sendable {
  /// So many changed records are cheaper to read all at once.
  private static var fewRecords: Int { 256 }

  /// What became of a list.
  enum Step: Sendable {
    case same
    case changed([Model])
    /// Only the database can tell.
    case stale
  }

  private let query: Query<Model>
  private let canKeep: Bool
  private let rows: Locked<LiveRows<Model>?> = Locked(nil)

  init(_ query: Query<Model>) {
    self.query = query
    canKeep = LiveRows.canKeep(query)
  }

  /// Reads the list in the state that the session sees; nil where it is the same as before.
  func read(on session: StoreConnection) throws(StoreError) -> [Model]? {
    let records = try session.inState { tx throws(StoreError) in try tx.fetch(query) }
    return rows.withLock { rows in
      let before = rows?.records
      rows = LiveRows(query, records)
      if let before, Self.areSame(before, records) { return nil }
      return records
    }
  }

  /// Brings the list up to date, record by record.
  func step(
    on session: StoreConnection, by changes: Observers.Changes
  ) throws(StoreError) -> Step {
    guard canKeep, case .rows(let changes) = changes else { return .stale }
    let slot = try session.shapes.shape(of: ObjectIdentifier(Model.self)).slot
    return try rows.withLock { (rows) throws(StoreError) in
      var isConcerned = false
      for change in changes where change.table == slot {
        guard let id = change.record,
          let isNow = rows?.isConcerned(by: id, columns: change.columns)
        else { return .stale }
        isConcerned = isConcerned || isNow
      }
      return isConcerned ? try take(changes, of: slot, into: &rows, on: session) : .same
    }
  }

  /// Takes the changed records one by one.
  private func take(
    _ changes: [CommittedChange], of slot: Int, into rows: inout LiveRows<Model>?,
    on session: StoreConnection
  ) throws(StoreError) -> Step {
    guard var list = rows else { return .stale }
    // Whoever has the list keeps it; this one is about to change.
    rows = nil
    var isNew = false
    var taken = 0
    for change in changes where change.table == slot {
      guard let id = change.record else { return .stale }
      guard list.isConcerned(by: id, columns: change.columns) else { continue }
      taken += 1
      guard taken <= Self.fewRecords else { return .stale }
      switch list.take(id, try session.fetchOnce(id)) {
      case .same: continue
      case .changed: isNew = true
      case .stale: return .stale
      }
    }
    defer { rows = list }
    return isNew ? .changed(list.show()) : .same
  }

  private static func areSame(_ one: [Model], _ other: [Model]) -> Bool {
    one.count == other.count
      && zip(one, other).allSatisfy { $0.id == $1.id && Model.table.difference($0, $1) == 0 }
  }
}
