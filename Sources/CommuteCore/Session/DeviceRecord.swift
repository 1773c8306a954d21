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
  /// The table's fields and rules as this build knows them; nil for a table it does not know, whose
  /// fields are all of the rule `latest`.
  public var table: TableSchema?

  /// Makes a record of what is stored about it, by default nothing.
  public init(
    key: RecordKey, feed: Key, base: RecordState? = nil, rows: [OutboxRow] = [],
    offer: RecordOffer? = nil, table: TableSchema? = nil
  ) {
    self.key = key
    self.feed = feed
    self.base = base
    self.rows = rows
    self.offer = offer
    self.table = table
  }

  /// What lies beneath the device's own rows: base, and over it what is offered again.
  var ground: RecordState? {
    guard let offer else { return base }
    guard let base else { return offer.state }
    return base.merged(with: offer.state, schema: table)
  }

  /// What queries and screens see; nil where there is no such record.
  ///
  /// A deleted record has a view, too: one whose `deleted` is set.
  public var view: RecordState? {
    if rows.isEmpty { return ground }
    var view = ground ?? RecordState()
    let rule = table?.rule ?? .deleteWins
    for index in rows.indices { view.lay(rows[index].operation, rule: rule) }
    return view
  }
}
