import CommuteCore

/// All tables of a store: the declared ones, then the engine's own.
struct Shapes: Sendable {
  /// The engine's tables that an app may look at and observe.
  static let engineTables = [
    "c_meta", "c_replica", "c_feed", "c_outbox", "c_inbox", "c_conflict", "c_offer",
    "c_tombstone", "c_unknown", "c_base", "c_seen", "c_quarantine", "c_migration", "c_step",
    "c_preference",
  ]

  let all: [TableShape]
  /// The tables that are synced.
  let synced: [TableShape]
  /// The searches of the tables.
  let searches: [SearchTables]
  private let models: [ObjectIdentifier]
  private let slots: [String: Int]

  init(_ tables: [DeclaredTable], columns: [String: [String]]) {
    all = tables.enumerated().map { slot, table in
      TableShape(table, slot: slot, columns: columns[table.name] ?? [])
    }
    synced = all.filter { !$0.isLocal }
    searches = all.compactMap(\.search)
    models = tables.map(\.model)
    let names = tables.map(\.name) + Self.engineTables
    slots = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The shape of a record type's table.
  func shape(of model: ObjectIdentifier) throws(StoreError) -> TableShape {
    // There are few tables: looking through them is faster than hashing.
    guard let slot = models.firstIndex(of: model) else {
      throw .query(reason: "the store was opened without the table of this type; declare it there")
    }
    return all[slot]
  }

  /// The shape of a synced table; nil for one that this app does not know.
  func shape(named name: Key) -> TableShape? {
    synced.first { $0.key == name }
  }

  /// The number of a table, engine tables included.
  func slot(named name: String) -> Int? { slots[name] }
}
