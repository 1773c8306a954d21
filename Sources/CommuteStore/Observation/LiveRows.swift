import CommuteCore

/// The records of a query, kept in step with the table one record at a time.
///
/// A record finds its old place by what it was, its new one by what it is: both by halving.
struct LiveRows<Model: Record>: Sendable {
  /// What a change of one record did to the list.
  enum Step: Hashable {
    /// Nothing that shows.
    case same
    /// The list is another one.
    case changed
    /// Only the database can tell what the list is now.
    case stale
  }

  /// One change of the list, which is made in both copies of it.
  private enum Edit: Sendable {
    case insert(Model, at: Int)
    case remove(at: Int)
    case replace(Model, at: Int)
  }

  /// From so many records on it is worth keeping the list twice.
  private static var long: Int { 512 }

  let query: Query<Model>
  /// The records in the query's order.
  private(set) var records: [Model]
  /// A long list as it was shown the time before.
  ///
  /// Whoever had it has let go of it by now, most likely, so that it can be changed where the
  /// latest one would have to be copied.
  private var twin: [Model]?
  /// What the twin lacks.
  private var lag: [Edit] = []
  /// Whether somebody has the records as they are.
  private var isShown = true
  private var known: [RecordID: Model]
  /// Whether there may be records behind the last one that the limit keeps out.
  private var isFull: Bool

  /// Takes the records as they were read.
  init(_ query: Query<Model>, _ records: [Model]) {
    self.query = query
    self.records = records
    known = Dictionary(records.map { ($0.id, $0) }) { $1 }
    isFull = query.count.map { records.count >= $0 } ?? false
  }

  /// Whether lists of a query can be kept at all: memory must be able to tell what comes and in
  /// which order, and nothing may be skipped.
  static func canKeep(_ query: Query<Model>) -> Bool {
    query.isTestable && query.skipped == 0
  }

  /// Whether a change of a record can make a difference here, by the columns that changed.
  func isConcerned(by id: RecordID, columns: UInt64) -> Bool {
    if known[id] != nil { return true }
    // With a limit, a record can come in by its order alone.
    let deciding = isFull ? query.decidingColumns : query.filteringColumns
    return columns & deciding != 0
  }

  /// Takes a record as it is now; nil where it is gone.
  mutating func take(_ id: RecordID, _ now: Model?) -> Step {
    let coming = now.flatMap { matches($0) ? $0 : nil }
    switch (known[id], coming) {
    case (nil, nil): return .same
    case (nil, let record?): return insert(record)
    case (let old?, nil): return remove(old)
    case (let old?, let record?): return replace(old, record)
    }
  }

  private func matches(_ record: Model) -> Bool {
    withUnsafePointer(to: record) { query.matches(UnsafeRawPointer($0)) }
  }

  private mutating func insert(_ record: Model) -> Step {
    let place = place(of: record)
    if isFull, place == records.count { return .same }
    edit(.insert(record, at: place))
    known[record.id] = record
    guard let limit = query.count else { return .changed }
    if records.count > limit, let last = records.last {
      known[last.id] = nil
      edit(.remove(at: records.count - 1))
    }
    isFull = records.count >= limit
    return .changed
  }

  private mutating func remove(_ old: Model) -> Step {
    // What comes up from behind the limit is not known.
    guard !isFull else { return .stale }
    guard let place = standing(old) else { return .stale }
    edit(.remove(at: place))
    known[old.id] = nil
    return .changed
  }

  private mutating func replace(_ old: Model, _ record: Model) -> Step {
    let difference = Model.table.difference(old, record)
    if difference == 0 { return .same }
    guard let place = standing(old) else { return .stale }
    known[record.id] = record
    if difference & query.orderingColumns == 0 {
      edit(.replace(record, at: place))
      return .changed
    }
    edit(.remove(at: place))
    let next = self.place(of: record)
    if isFull, next == records.count { return .stale }
    edit(.insert(record, at: next))
    return .changed
  }

  /// The records for whoever observes: they are not touched while somebody has them.
  mutating func show() -> [Model] {
    isShown = true
    return records
  }

  private mutating func edit(_ edit: Edit) {
    if isShown { turn() }
    Self.make(edit, in: &records)
    if twin != nil { lag.append(edit) }
  }

  /// Goes on with the twin in place of the records that somebody has.
  private mutating func turn() {
    isShown = false
    let last = twin
    twin = nil
    let edits = lag
    lag = []
    guard records.count >= Self.long else { return }
    twin = records
    guard var next = last else { return }
    for edit in edits { Self.make(edit, in: &next) }
    records = next
  }

  private static func make(_ edit: Edit, in records: inout [Model]) {
    switch edit {
    case .insert(let record, at: let place): records.insert(record, at: place)
    case .remove(at: let place): records.remove(at: place)
    case .replace(let record, at: let place): records[place] = record
    }
  }

  /// Where a record stands or would stand: behind all that come before it.
  private func place(of record: Model) -> Int {
    withUnsafePointer(to: record) { record in
      records.withUnsafeBufferPointer { records in
        guard let base = records.baseAddress else { return 0 }
        var low = 0
        var high = records.count
        while low < high {
          let middle = (low + high) / 2
          if query.precedes(UnsafeRawPointer(base + middle), UnsafeRawPointer(record)) {
            low = middle + 1
          } else {
            high = middle
          }
        }
        return low
      }
    }
  }

  private func standing(_ record: Model) -> Int? {
    let place = place(of: record)
    guard place < records.count, records[place].id == record.id else { return nil }
    return place
  }
}
