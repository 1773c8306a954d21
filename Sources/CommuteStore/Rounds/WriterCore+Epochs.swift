import CommuteCore
import CommuteSQLite

/// Another history of the server: what it may not have is offered to it again.
extension WriterCore {
  /// Puts in line what the server may not hold: of each record that was told after the number up to
  /// which it holds the earlier history.
  ///
  /// The device itself has taken over the epoch and set its cursors to the start. Base, pending
  /// changes and the view stay as they are.
  func take(_ change: EpochChange) throws(StoreError) {
    try noteUnsettled()
    try speaking { () throws(SQLiteError) in _ = try connection.run("DELETE FROM c_seen") }
    for key in try candidates(for: change) {
      var loaded = try load(key)
      if let told = try toldAside(key, later: loaded.record, under: change.known) {
        // Its row stays as it is; what is offered is the latest that the server told.
        var latest = loaded.record
        latest.base = told.state
        if latest.base?.revision != loaded.record.base?.revision { latest.feed = told.feed }
        if latest.offerAgain(after: change, id: newOperation()) {
          loaded.record = latest
          try saveOutbox(of: loaded)
          continue
        }
      }
      loaded.record.offerAgain(after: change, id: newOperation())
      try saveOutbox(of: loaded)
    }
  }

  /// What the server told of a record that could not be applied, where it is later than base.
  private func toldAside(
    _ key: RecordKey, later record: DeviceRecord, under epoch: Epoch
  ) throws(StoreError) -> (state: RecordState, feed: Key)? {
    guard let (message, feed) = try quarantined(key), let told = message.state.revision else {
      return nil
    }
    if let held = record.base?.revision {
      let isLater =
        held.epoch == told.epoch ? held.number < told.number : told.epoch == epoch
      guard isLater else { return nil }
    }
    return (message.state, feed)
  }

  /// The records that may have to be offered; of which ones exactly, each decides by itself.
  private func candidates(for change: EpochChange) throws(StoreError) -> [RecordKey] {
    var keys: [RecordKey] = []
    let based: SQL = """
      SELECT tbl, id FROM c_outbox WHERE told IS NOT NULL UNION SELECT tbl, id FROM c_base
      """
    for laid: SQL in ["SELECT tbl, id FROM c_offer", based] {
      keys += try connection.all("\(laid) ORDER BY tbl, id") {
        (row) throws(StoreError) in RecordKey(table: Key(row.text(0)), id: try row.recordID(1))
      }
    }
    for shape in shapes.synced {
      let hidden: SQL =
        "SELECT \(shape.key.text), id, feed, _commute FROM \(name: shape.name) ORDER BY id"
      try gather(hidden, into: &keys, after: change) { (bytes, names) throws(StoreError) in
        try HiddenState.revision(bytes, names: names)
      }
    }
    for table in ["c_tombstone", "c_unknown", "c_quarantine"] {
      let packed: SQL = "SELECT tbl, id, feed, state FROM \(name: table) ORDER BY tbl, id"
      try gather(packed, into: &keys, after: change) { (bytes, names) throws(StoreError) in
        try PackedState.revision(bytes, names: names)
      }
    }
    var seen: Set<RecordKey> = []
    return keys.filter { seen.insert($0).inserted }
  }

  /// Adds the records whose revision the server does not hold; only the revision is read.
  private func gather(
    _ rows: SQL, into keys: inout [RecordKey], after change: EpochChange,
    revision: (UnsafeRawBufferPointer, NumberedNames) throws(StoreError) -> Revision?
  ) throws(StoreError) {
    let statement = try speaking { () throws(SQLiteError) in try connection.statement(rows) }
    try statement.forEach { (row) throws(StoreError) in
      let known = try row.unpacked(3) { (bytes) throws(StoreError) in
        try revision(bytes, names)
      }
      guard let known, !change.holds(known, in: Key(row.text(2))) else { return }
      keys.append(RecordKey(table: Key(row.text(0)), id: try row.recordID(1)))
    }
  }
}
