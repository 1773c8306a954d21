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
    /// A record is taken out and put in where it comes to stand then.
    case move(Model, from: Int, to: Int)
  }

  /// From so many records on it is worth keeping the list twice.
  private static var long: Int { 512 }

  let query: Query<Model>
  /// What the records of the list are, for whoever looks through changes.
  let scope: ListScope
  private let order: RowOrder
  private let orderingColumns: UInt64
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
  private var isFull: Bool {
    didSet { if isFull != oldValue { scope.setFull(isFull) } }
  }

  /// Takes the records as they were read.
  init(_ query: Query<Model>, _ records: [Model], scope: ListScope? = nil) {
    self.query = query
    self.records = records
    self.scope = scope ?? query.scope
    order = query.rowOrder
    orderingColumns = query.orderingColumns
    known = Dictionary(records.map { ($0.id, $0) }) { $1 }
    isFull = query.count.map { records.count >= $0 } ?? false
    self.scope.set(records.map(\.id), isFull: isFull)
  }

  /// Whether lists of a query can be kept at all: memory must be able to tell what comes and in
  /// which order, and nothing may be skipped.
  static func canKeep(_ query: Query<Model>) -> Bool {
    query.isTestable && query.skipped == 0
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
    scope.insert(record.id)
    guard let limit = query.count else { return .changed }
    if records.count > limit, let last = records.last {
      known[last.id] = nil
      scope.remove(last.id)
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
    scope.remove(old.id)
    return .changed
  }

  private mutating func replace(_ old: Model, _ record: Model) -> Step {
    let difference = Model.table.difference(old, record)
    if difference == 0 { return .same }
    guard let place = standing(old) else { return .stale }
    known[record.id] = record
    if difference & orderingColumns == 0 {
      edit(.replace(record, at: place))
      return .changed
    }
    // Behind all that come before it, of which the old one, which goes, is none.
    let behind = self.place(of: record)
    let next = behind > place ? behind - 1 : behind
    if isFull, next == records.count - 1 { return .stale }
    edit(.move(record, from: place, to: next))
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
    case .move(let record, from: let place, to: let next):
      records[place] = record
      if place != next { records.move(from: place, to: next) }
    }
  }

  /// Where a record stands or would stand: behind all that come before it.
  private func place(of record: Model) -> Int {
    withUnsafePointer(to: record) { record in
      records.withUnsafeBufferPointer { records in
        guard let base = records.baseAddress else { return 0 }
        return order.place(
          of: UnsafeRawPointer(record), id: record.pointee.id, in: UnsafeRawPointer(base),
          count: records.count, stride: MemoryLayout<Model>.stride
        ) { (base + $0).pointee.id }
      }
    }
  }

  private func standing(_ record: Model) -> Int? {
    let place = place(of: record)
    guard place < records.count, records[place].id == record.id else { return nil }
    return place
  }
}

extension Array {
  /// Takes an element out and puts it in where it comes to stand then; only those between move.
  fileprivate mutating func move(from place: Int, to next: Int) {
    withUnsafeMutableBufferPointer { elements in
      guard let base = elements.baseAddress else { return }
      let moved = (base + place).move()
      if place < next {
        (base + place).moveInitialize(from: base + place + 1, count: next - place)
      } else {
        (base + next + 1).moveInitialize(from: base + next, count: place - next)
      }
      (base + next).initialize(to: moved)
    }
  }
}
