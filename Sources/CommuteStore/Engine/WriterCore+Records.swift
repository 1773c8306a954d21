import CommuteCore
import CommuteSQLite

/// A record as it was loaded, and where it was found.
struct LoadedRecord {
  /// Where a record's view lies.
  enum Place: Hashable {
    case nowhere, row, tombstone, unknown
  }

  var record: DeviceRecord
  let place: Place
  /// The record as it was loaded.
  let before: DeviceRecord
  /// Where base stands while anything of the device's own lies over it.
  let basePlace: BasePlace
}

/// Loading and saving single records.
extension WriterCore {
  /// Loads everything the device holds of a record of a declared table.
  ///
  /// Where the record has a row, `seen` is lent it: `id`, `feed`, and the fields as declared.
  func load(
    _ id: RecordID, in shape: TableShape, feed: Key = Key(""),
    seen: (borrowing Row) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> LoadedRecord {
    let key = RecordKey(table: shape.key, id: id)
    var record = DeviceRecord(key: key, feed: feed, table: shape.layout.schema)
    let line = try rows(of: key)
    record.rows = line.rows
    var place = LoadedRecord.Place.nowhere
    if let found = try row(id, in: shape, seen: seen) {
      place = .row
      record.feed = found.feed
      record.base = found.state
    } else if let found = try tombstone(key) {
      place = .tombstone
      record.feed = found.feed
      record.base = found.state
    }
    if let found = try offer(of: key) {
      record.offer = found.offer
      record.feed = found.feed
    }
    if let first = record.rows.first { record.feed = first.operation.feed }
    let basePlace = try takeBase(of: &record, in: line.base, otherwise: record.base)
    return LoadedRecord(record: record, place: place, before: record, basePlace: basePlace)
  }

  /// Gives a record its base: where anything lies over it, not what is shown.
  private func takeBase(
    of record: inout DeviceRecord, in row: PlacedBase?, otherwise shown: RecordState?
  ) throws(StoreError) -> BasePlace {
    guard record.isLaidOver else {
      record.base = shown
      return .nowhere
    }
    let found = record.rows.isEmpty ? try apartBase(of: record.key) : row
    record.base = found?.state
    return found?.place ?? .nowhere
  }

  /// Loads everything the device holds of a record of any table.
  func load(_ key: RecordKey) throws(StoreError) -> LoadedRecord {
    guard let shape = shapes.shape(named: key.table) else {
      return try loadUnknown(key, feed: Key(""))
    }
    return try load(key.id, in: shape)
  }

  /// Loads a record of a table that this app does not know.
  func loadUnknown(_ key: RecordKey, feed: Key) throws(StoreError) -> LoadedRecord {
    let line = try rows(of: key)
    var record = DeviceRecord(key: key, feed: feed, rows: line.rows)
    let found = try unknown(key)
    record.feed = found?.feed ?? feed
    if let found = try offer(of: key) {
      record.offer = found.offer
      record.feed = found.feed
    }
    let basePlace = try takeBase(of: &record, in: line.base, otherwise: found?.state)
    return LoadedRecord(
      record: record, place: found == nil ? .nowhere : .unknown, before: record,
      basePlace: basePlace)
  }

  /// A row of a table with everything known of it.
  private func row(
    _ id: RecordID, in shape: TableShape, seen: (borrowing Row) throws(StoreError) -> Void
  ) throws(StoreError) -> (feed: Key, state: RecordState)? {
    let statement = try speaking { () throws(SQLiteError) in
      try statements[shape.slot].read(on: connection)
    }
    statement.bind(high: id.high, low: id.low, at: 1)
    let user = state.device.account.user
    return try statement.first { (row) throws(StoreError) in
      try seen(row)
      let feed = Key(row.text(1))
      return (feed, try HiddenState.unpack(row, shape: shape, names: names, user: user))
    }
  }

  /// Writes what changed of a record: rows of the outbox, base, and the view where it is seen.
  ///
  /// `changed` names the fields that differ in the view; nil is for whichever.
  func save(
    _ loaded: LoadedRecord, in shape: TableShape, changed: UInt64? = nil
  ) throws(StoreError) {
    try saveOutbox(of: loaded)
    let record = loaded.record
    guard let view = record.view else {
      try removeRow(of: record.key, in: shape, from: loaded.place)
      return
    }
    if view.deleted != nil {
      if loaded.place == .row { try deleteRow(record.key.id, in: shape) }
      try putTombstone(view, key: record.key, feed: record.feed)
      note(shape.slot, record.key.id, CommittedChange.everything)
    } else if let changed, loaded.place == .row, try !mayShowLess(loaded) {
      try updateRow(view, changed: changed, of: record, in: shape)
    } else {
      if loaded.place == .tombstone { try deleteTombstone(record.key) }
      try replaceRow(view, of: record, in: shape)
    }
  }

  /// Whether the row may show less than what was loaded.
  ///
  /// What the server told could not be applied then, and lies as base below the device's own. All
  /// of such a row is written, or nothing.
  private func mayShowLess(_ loaded: LoadedRecord) throws(StoreError) -> Bool {
    guard loaded.before.isLaidOver else { return false }
    return try isAside(loaded.record.key)
  }

  /// Writes the rows of the outbox, the offer, and the base of a record over which they lie.
  func saveOutbox(of loaded: LoadedRecord) throws(StoreError) {
    let record = loaded.record
    let before = loaded.before
    let first = try save(record.rows, was: before.rows)
    try save(record.offer, was: before.offer, of: record)
    let base = record.isLaidOver ? record.base : nil
    let place = base == nil ? .nowhere : first.map { BasePlace.row($0) } ?? .apart
    if place == loaded.basePlace, place == .nowhere || base == before.base { return }
    if place != loaded.basePlace { try clearBase(of: record, at: loaded.basePlace) }
    if let base { try put(base, of: record.key, at: place) }
  }

  private func removeRow(
    of key: RecordKey, in shape: TableShape, from place: LoadedRecord.Place
  ) throws(StoreError) {
    switch place {
    case .row: try deleteRow(key.id, in: shape)
    case .tombstone: try deleteTombstone(key)
    case .nowhere, .unknown: return
    }
    note(shape.slot, key.id, CommittedChange.everything)
  }

  func deleteRow(_ id: RecordID, in shape: TableShape) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      let statement = try statements[shape.slot].delete(on: connection)
      statement.bind(high: id.high, low: id.low, at: 1)
      try statement.run()
    }
  }

  /// Writes a whole row.
  private func replaceRow(
    _ view: RecordState, of record: DeviceRecord, in shape: TableShape
  ) throws(StoreError) {
    try replaceRow(view, id: record.key.id, feed: record.feed, in: shape)
  }

  /// Writes a whole row: the fields that have a column, and the hidden column for all.
  func replaceRow(
    _ view: RecordState, id: RecordID, feed: Key, in shape: TableShape
  ) throws(StoreError) {
    try statements[shape.slot].put(
      view, id: id, feed: feed.text, names: &names, user: state.device.account.user,
      packer: &packer, on: connection)
    note(shape.slot, id, CommittedChange.everything)
  }

  /// Writes some fields of a row.
  private func updateRow(
    _ view: RecordState, changed: UInt64, of record: DeviceRecord, in shape: TableShape
  ) throws(StoreError) {
    HiddenState.pack(
      view, shape: shape, names: &names, user: state.device.account.user, into: &packer)
    try speaking { () throws(SQLiteError) in
      let statement = try statements[shape.slot].update(changed, on: connection)
      var parameter = 1
      for (index, field) in shape.layout.fields.enumerated() where changed >> UInt64(index) & 1 == 1
      {
        // A value that the column cannot hold is kept in the hidden column, and not shown.
        let value = view.fields[field.name]?.value
        let isShown = value.map(field.admits) ?? false
        statement.bind(isShown ? value ?? .null : shape.layout.defaults[index], at: parameter)
        parameter += 1
      }
      statement.bind(packer.bytes, at: parameter)
      statement.bind(high: record.key.id.high, low: record.key.id.low, at: parameter + 1)
      try statement.run()
    }
    note(shape.slot, record.key.id, changed)
  }

  /// Writes a record of a table that this app does not know.
  func saveUnknown(_ loaded: LoadedRecord) throws(StoreError) {
    try saveOutbox(of: loaded)
    let key = loaded.record.key
    guard let view = loaded.record.view else { return try deleteUnknown(key) }
    try putUnknown(view, key: key, feed: loaded.record.feed)
  }
}
