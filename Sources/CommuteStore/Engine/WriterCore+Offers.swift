import CommuteCore
import CommuteSQLite

/// The rows of `c_offer`: records that are offered to the server again, in line order.
extension WriterCore {
  /// What the server is offered of a record; nil for nothing.
  func offer(of key: RecordKey) throws(StoreError) -> (feed: Key, offer: RecordOffer)? {
    guard hasOffers, pending.contains(key.id) else { return nil }
    return try connection.first(
      """
      SELECT feed, operation, state, attempts, not_before FROM c_offer
      WHERE id = \(key.id) AND tbl = \(key.table.text)
      """
    ) { (row) throws(StoreError) in
      (feed: Key(row.text(0)), offer: try recordOffer(row, from: 1))
    }
  }

  private func recordOffer(
    _ row: borrowing Row, from first: Int
  ) throws(StoreError) -> RecordOffer {
    RecordOffer(
      id: try row.operationID(first),
      state: try row.unpacked(first + 1) { (bytes) throws(StoreError) in
        try PackedState.unpack(bytes, names: names)
      }, attempts: UInt32(clamping: row.int64(first + 2)), notBefore: row.int64(first + 3))
  }

  /// Writes what is offered of a record, where it is not what it was.
  func save(
    _ offer: RecordOffer?, was before: RecordOffer?, of record: DeviceRecord
  ) throws(StoreError) {
    guard offer != before else { return }
    let key = record.key
    guard let offer else {
      try speaking { () throws(SQLiteError) in
        _ = try connection.run(
          "DELETE FROM c_offer WHERE id = \(key.id) AND tbl = \(key.table.text)")
      }
      state.goneOffers.append(key.id)
      return note(engine: "c_offer")
    }
    let packed = PackedState.pack(offer.state, names: &names)
    try speaking { () throws(SQLiteError) in
      _ = try connection.run(
        """
        INSERT INTO c_offer(operation, tbl, id, feed, state, attempts, not_before)
        VALUES (\(offer.id.bytes), \(key.table.text), \(key.id), \(record.feed.text), \(packed),
          \(Int(offer.attempts)), \(offer.notBefore))
        ON CONFLICT (id, tbl) DO UPDATE SET operation = excluded.operation,
          state = excluded.state, attempts = excluded.attempts, not_before = excluded.not_before,
          failures = CASE WHEN operation = excluded.operation THEN failures ELSE 0 END
        """)
    }
    hasOffers = true
    pending.insert(key.id, at: RecordPlaces.offer)
    note(engine: "c_offer")
  }

  /// The record that an offer is about.
  func key(ofOffer id: OperationID) throws(StoreError) -> RecordKey? {
    guard hasOffers else { return nil }
    return try connection.first("SELECT tbl, id FROM c_offer WHERE operation = \(id.bytes)") {
      (row) throws(StoreError) in RecordKey(table: Key(row.text(0)), id: try row.recordID(1))
    }
  }

  /// The records of all offers.
  func offeredKeys() throws(StoreError) -> Set<RecordKey> {
    guard hasOffers else { return [] }
    return Set(
      try connection.all("SELECT tbl, id FROM c_offer") { (row) throws(StoreError) in
        RecordKey(table: Key(row.text(0)), id: try row.recordID(1))
      })
  }

  /// Marks the offers that may go now as sent, in the order in which they came into line.
  ///
  /// At most `batch` go, and what has room in the request; one always goes.
  func markOffers(batch: Int, room: inout Int) throws(StoreError) -> [SyncRequest.Offer] {
    guard hasOffers, batch > 0 else { return [] }
    var offers: [SyncRequest.Offer] = []
    for due in try dueOffers(atMost: batch) {
      var loaded = try load(due.key)
      guard let sent = loaded.record.markOffered() else { continue }
      room -= sent.record.encodedJSON().count + 64
      guard room >= 0 || offers.isEmpty else { break }
      try save(loaded.record.offer, was: loaded.before.offer, of: loaded.record)
      offers.append(sent)
    }
    return offers
  }

  /// The offers that are due, the first in line first.
  private func dueOffers(
    atMost limit: Int
  ) throws(StoreError) -> [(id: OperationID, key: RecordKey)] {
    let wall = options.clock.wall()
    let longest = wall &+ OutboxRow.longestDelay
    let inside = state.device.feeds.entries.filter { $0.value.reset != nil }.map(\.name.text)
    return try connection.all(
      """
      SELECT operation, tbl, id FROM c_offer
      WHERE (not_before <= \(wall) OR not_before > \(longest))
        AND feed NOT IN (SELECT value FROM json_each(\(TextList.json(of: inside))))
      ORDER BY position LIMIT \(limit)
      """
    ) { (row) throws(StoreError) in
      let key = RecordKey(table: Key(row.text(1)), id: try row.recordID(2))
      return (id: try row.operationID(0), key: key)
    }
  }

  /// Whether offers could go at once that did not go in this round.
  func areOffersWaiting() throws(StoreError) -> Bool {
    guard hasOffers else { return false }
    return try dueOffers(atMost: round.count + 1).contains { !round.contains($0.id) }
  }
}

extension DeviceRecord {
  /// Whether anything of the device's own lies over base.
  var isLaidOver: Bool { !rows.isEmpty || offer != nil }
}
