/// Everything a device holds about one record, and the rules by which it changes.
///
/// The store, the browser and the simulator load it, call one function, and save what is left, all
/// in one transaction. Nothing here reads a clock or a disk.
///
/// ```
///   write ──▶ rows (pending) ──markInFlight──▶ rows.first (in flight) ──settle──▶ base
///                                                                   └─ rejected ─▶ inbox
///   absorb ─▶ base                view = base, offer, rows[0], rows[1], … laid over each other
/// ```
public struct DeviceRecord: Hashable, Sendable {
  /// Which record.
  public let key: RecordKey
  /// The feed it belongs to for life.
  public var feed: Key
  /// The record as the server last told it; nil while it told none.
  public var base: RecordState?
  /// The device's own operations in the order of first change; only the first can be in flight.
  public var rows: [OutboxRow]
  /// What the server is offered again after it began a new history; nil for nothing.
  public var offer: RecordOffer?

  /// Makes a record of what is stored about it, by default nothing.
  public init(
    key: RecordKey, feed: Key, base: RecordState? = nil, rows: [OutboxRow] = [],
    offer: RecordOffer? = nil
  ) {
    self.key = key
    self.feed = feed
    self.base = base
    self.rows = rows
    self.offer = offer
  }

  /// What lies beneath the device's own rows: base, and over it what is offered again.
  var ground: RecordState? {
    guard let offer else { return base }
    guard let base else { return offer.state }
    return base.merged(with: offer.state)
  }

  /// What queries and screens see; nil where there is no such record.
  ///
  /// A deleted record has a view, too: one whose `deleted` is set.
  public var view: RecordState? {
    if rows.isEmpty { return ground }
    var view = ground ?? RecordState()
    for index in rows.indices { view.lay(rows[index].operation) }
    return view
  }
}

extension RecordState {
  /// Lays an operation over the state: each field by the rule `latest`, a deletion if it has one.
  ///
  /// Where the server settled a field under another stamp than the writer's, that one counts.
  mutating func lay(_ operation: Operation, settled: FieldMap<Stamp> = FieldMap()) {
    #if PLANTED
      if Planted.isActive(.rowLevelMerge) {
        layWhole(operation)
        return
      }
    #endif
    for entry in operation.fields.entries {
      let origin = entry.value.stamp
      let stamp = settled.isEmpty ? origin : settled[entry.name] ?? origin
      let (index, isThere) = fields.place(of: entry.name)
      if isThere, stamp < fields[position: index].stamp { continue }
      let state = FieldState(value: entry.value.value, stamp: stamp, origin: origin)
      if !isThere {
        fields[entry.name] = state
      } else if state.wins(over: fields[position: index]) {
        fields[position: index] = state
      }
    }
    if let stamp = operation.deleted { deleted = deleted.map { max($0, stamp) } ?? stamp }
  }

  #if PLANTED
    /// The naive rule: the later writer's whole record wins.
    mutating func layWhole(_ operation: Operation) {
      var latest = Stamp.floor
      for entry in operation.fields.entries where latest < entry.value.stamp {
        latest = entry.value.stamp
      }
      if !(latest < greatestStamp) {
        for entry in operation.fields.entries {
          fields[entry.name] = FieldState(value: entry.value.value, stamp: entry.value.stamp)
        }
      }
      if let stamp = operation.deleted { deleted = deleted.map { max($0, stamp) } ?? stamp }
    }
  #endif
}
