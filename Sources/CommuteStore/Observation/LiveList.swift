import CommuteCore

/// An observed query that is brought up to date by what was committed, record by record, and read
/// again only where that cannot tell.
final class LiveList<Model: Record>: Sendable {
  /// What became of a list.
  enum Step: Sendable {
    case same
    case changed([Model])
    /// Only the database can tell.
    case stale
  }

  private let query: Query<Model>
  private let canKeep: Bool
  /// Which changes can make a difference; nil where the list cannot be kept.
  let scope: ListScope?
  private let rows: Locked<LiveRows<Model>?> = Locked(nil)

  init(_ query: Query<Model>) {
    self.query = query
    canKeep = LiveRows.canKeep(query)
    scope = canKeep ? query.scope : nil
  }

  /// Reads the list in the state that the session sees; nil where it is the same as before.
  func read(on session: StoreConnection) throws(StoreError) -> [Model]? {
    let records = try session.inState { tx throws(StoreError) in try tx.fetch(query) }
    scope?.setTable(try session.shapes.shape(of: ObjectIdentifier(Model.self)).slot)
    return rows.withLock { rows in
      let before = rows?.records
      rows = LiveRows(query, records, scope: scope)
      if let before, Self.areSame(before, records) { return nil }
      return records
    }
  }

  /// Brings the list up to date, record by record.
  func step(
    on session: StoreConnection, by changes: Observers.Changes
  ) throws(StoreError) -> Step {
    guard let scope, case .rows(let changes) = changes else { return .stale }
    guard scope.isConcerned(by: changes) else { return .same }
    let slot = try session.shapes.shape(of: ObjectIdentifier(Model.self)).slot
    return try rows.withLock { (rows) throws(StoreError) in
      try take(changes, of: slot, into: &rows, on: session)
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
      guard list.scope.isConcerned(by: change) else { continue }
      taken += 1
      guard taken <= ChangeLog.few else { return .stale }
      var record = change.row?.record(Model.self)
      if record == nil { record = try session.fetchOnce(id) }
      switch list.take(id, record) {
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
