import CommuteCore
import CommuteSQLite

/// What a change needs: the records that it refers to and that are still to be made by this device.
extension WriterCore {
  /// Notes what the change that was just made needs, in the row that holds it.
  ///
  /// A record that the server has made once needs no waiting for, whatever became of it.
  func noteNeeds(of record: inout DeviceRecord, in shape: TableShape) throws(StoreError) {
    let layout = shape.layout
    guard !layout.references.isEmpty, let last = record.rows.indices.last,
      !record.rows[last].isInFlight
    else { return }
    var needs: Set<RecordKey> = []
    for index in layout.references {
      let field = layout.fields[index]
      guard let change = record.rows[last].operation.fields[field.name],
        let parent = field.references?.parent(named: change.value), parent != record.key,
        try isToBeMade(parent)
      else { continue }
      needs.insert(parent)
    }
    record.rows[last].operation.needs = needs.sorted()
  }

  /// Whether a record in memory refers to one that is still to be made.
  func refersToMissing(
    _ record: UnsafeRawPointer, in layout: RecordLayout
  ) throws(StoreError) -> Bool {
    for index in layout.references {
      let value = layout.access[index].get(record)
      guard let parent = layout.fields[index].references?.parent(named: value) else { continue }
      if try isToBeMade(parent) { return true }
    }
    return false
  }

  /// Whether the record's creation is in line, or was refused and nobody has decided about it.
  private func isToBeMade(_ key: RecordKey) throws(StoreError) -> Bool {
    let table = key.table.text
    for place in try places(of: key) {
      if try hasRows("SELECT 1 FROM c_outbox WHERE position = \(place) AND creates = 1") {
        return true
      }
    }
    return try hasRows(
      "SELECT 1 FROM c_inbox WHERE id = \(key.id) AND tbl = \(table) AND creates = 1")
  }

  /// A refused creation was given up: what waits for the record would wait for ever, and goes to
  /// the inbox.
  func giveUpDependants(of key: RecordKey) throws(StoreError) {
    if try isToBeMade(key) { return }
    let waiting = try connection.all(
      "SELECT tbl, id, needs FROM c_outbox WHERE needs IS NOT NULL ORDER BY position"
    ) { (row) throws(StoreError) in
      (
        key: RecordKey(table: Key(row.text(0)), id: try row.recordID(1)),
        needs: try row.unpacked(2, OutboxNeeds.unpack)
      )
    }
    let words = "it needs \(key.table.text) \(key.id.text), whose creation was given up"
    for row in waiting where row.needs.contains(key) {
      var loaded = try load(row.key)
      let rejections = loaded.record.giveUp(code: .gone, message: words)
      if let shape = shapes.shape(named: row.key.table) {
        try save(loaded, in: shape)
      } else {
        try saveUnknown(loaded)
      }
      try putInbox(rejections, wall: options.clock.wall())
    }
  }
}
