import CommuteCore
import CommuteSQLite

/// The device's side of a round: what is marked and sent.
extension WriterCore {
  /// Marks offers and rows in flight, oldest first and one a record, and makes the request of them.
  func beginRound(
    batch: Int, limit: SyncRequest.Limit
  ) throws(StoreError) -> OutgoingRound {
    var rows: [OutboxRow] = []
    var room = Limits.requestBytes - 65_536
    let offers = try markOffers(batch: batch, room: &room)
    let offered = offers.map(\.record.key)
    for candidate in try sendable(batch: batch, behind: offered) {
      let row = try marked(candidate)
      room -= row.bytes.count
      guard room >= 0 || rows.isEmpty && offers.isEmpty else { break }
      try save([row], was: [candidate])
      rows.append(row)
    }
    // The request number is written anyway.
    if !rows.isEmpty || !offers.isEmpty { state.meta.batch = Int64(batch) }
    let request = state.device.begin(
      with: rows, offers: offers, nonce: Nonce.random(using: &random), build: build,
      wall: options.clock.wall(), limit: limit)
    round = Set(rows.map(\.operation.id) + offers.map(\.id))
    return OutgoingRound(
      request: request, device: state.device, build: build, random: random.forked())
  }

  /// What the app says about itself in every request.
  var build: Device.Build {
    Device.Build(schema: schema.id, build: options.build, device: state.meta.device)
  }

  /// A row as it is sent: its bytes frozen, one attempt more.
  private func marked(_ row: OutboxRow) throws(StoreError) -> OutboxRow {
    let base = row.isInFlight ? nil : try base(of: row.operation.key)
    var record = DeviceRecord(
      key: row.operation.key, feed: row.operation.feed, base: base, rows: [row],
      table: schema.tables[row.operation.key.table])
    record.markInFlight(epoch: state.device.epoch)
    guard var marked = record.rows.first else { return row }
    if marked.bytes.isEmpty { marked.bytes = marked.operation.withoutBases().encoded() }
    return marked
  }

  /// Takes note that the round brought no answer, or one that says that nothing was settled.
  func abandonRound(settledNothing: Bool) throws(StoreError) {
    state.device.nonce = nil
    if settledNothing { try noteUnsettled() }
    round = []
  }

  /// Takes back the marks of operations of which the server said that it settled none.
  func noteUnsettled() throws(StoreError) {
    for row in try rows(where: "in_flight = 1") where round.contains(row.operation.id) {
      var record = DeviceRecord(
        key: row.operation.key, feed: row.operation.feed, rows: [row])
      record.noteUnsettled()
      try save(record.rows, was: [row])
    }
  }
}
