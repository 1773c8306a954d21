import CommuteCore
import Synchronization

/// What a read looked at: a later change elsewhere cannot alter its result.
struct Region: Sendable {
  /// The columns looked at, by table.
  private(set) var columns: [Int: UInt64] = [:]
  /// The single records looked at, by table.
  private(set) var records: [Int: Set<RecordID>] = [:]

  /// Notes that columns of any record of a table were looked at.
  mutating func add(table: Int, columns mask: UInt64) {
    columns[table, default: 0] |= mask
  }

  /// Notes that one record was looked at.
  mutating func add(table: Int, record: RecordID) {
    records[table, default: []].insert(record)
  }

  /// Whether a change may alter what was read.
  func isTouched(by change: CommittedChange) -> Bool {
    if let mask = columns[change.table], mask & change.columns != 0 { return true }
    guard let records = records[change.table] else { return false }
    return change.record.map(records.contains) ?? true
  }
}

/// What a commit changed: one record of a table, or rows that are not named.
struct CommittedChange: Hashable, Sendable {
  /// The bit of a row that came or went, beside those of its columns.
  static let presence: UInt64 = 1 << 63
  /// All columns, and the row itself.
  static let everything: UInt64 = ~0

  var table: Int
  var record: RecordID?
  var columns: UInt64
  /// What the record is now; nil where it has to be read.
  var row: CommittedRow?
}

/// A record as it would be read.
final class CommittedRow: Hashable, Sendable {
  private let record: any Record

  /// Takes what the columns of a record hold; nil where they do not say what would be read.
  init?<Model: Record>(_ record: Model, _ id: RecordID) {
    guard let shown = Model.table.shown(record, id) else { return nil }
    self.record = shown
  }

  /// The record, where it is of this type.
  func record<Model: Record>(_ type: Model.Type) -> Model? { record as? Model }

  static func == (one: CommittedRow, other: CommittedRow) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Which changes can make a difference to a kept list, without its type.
final class ListScope: Sendable {
  private struct State {
    var members = RecordPlaces()
    var isFull = false
  }

  /// The columns that decide whether a record comes.
  private let filtering: UInt64
  /// The columns that decide whether and where it comes.
  private let deciding: UInt64
  private let state = Locked(State())
  /// The table, known when the list is first read.
  private let table = Atomic(-1)

  init(filtering: UInt64, deciding: UInt64) {
    self.filtering = filtering
    self.deciding = deciding
  }

  /// Whether the list has as many records as it may have, and others may stand behind them.
  var isFull: Bool { state.withLock { $0.isFull } }

  /// Begins anew with these records of a table.
  func set(_ ids: [RecordID], isFull: Bool) {
    state.withLock { state in
      state = State(isFull: isFull)
      for id in ids { state.members.insert(id, at: 1) }
    }
  }

  func insert(_ id: RecordID) { state.withLock { $0.members.insert(id, at: 1) } }

  func remove(_ id: RecordID) { state.withLock { $0.members.remove(id, at: 1) } }

  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  func setTable(_ slot: Int) { table.store(slot, ordering: .relaxed) }

  func isOf(_ slot: Int) -> Bool { table.load(ordering: .relaxed) == slot }

  /// Whether one of the changes can make a difference.
  func isConcerned(by changes: [CommittedChange]) -> Bool {
    let slot = table.load(ordering: .relaxed)
    return state.withLock { state in
      changes.contains { $0.table == slot && isConcerned(by: $0, state) }
    }
  }

  /// Whether a change of the table can make a difference.
  func isConcerned(by change: CommittedChange) -> Bool {
    state.withLock { isConcerned(by: change, $0) }
  }

  private func isConcerned(by change: CommittedChange, _ state: borrowing State) -> Bool {
    guard let id = change.record else { return true }
    // With a limit, a record can come in by its order alone.
    return change.columns & (state.isFull ? deciding : filtering) != 0
      || state.members.contains(id)
  }
}
