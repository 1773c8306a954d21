import CommuteCore
import CommuteSQLite

/// Which rows go with the next request: ``LineUp`` decides, on as much of the line as it needs.
extension WriterCore {
  /// The first row of a record, as far as its turn depends on it.
  private struct Waiting {
    var position: Int64
    var operation: OperationID
    var place: LineUp.Place
  }

  /// What a row must not wait for, to be ready.
  private struct Readiness {
    var wall: Int64
    /// Records whose offer is not part of the request.
    var held: Set<RecordKey>
    /// Feeds that are read anew.
    var resets: Set<Key>
  }

  /// The rows that may go now, in line order, each with what it needs.
  ///
  /// A row goes behind the offer of its record, and not while its feed is read anew: the server
  /// would only put it off. `batch` counts the offers, too.
  func sendable(batch: Int, behind offered: [RecordKey]) throws(StoreError) -> [OutboxRow] {
    let chosen = try lineUp(batch: batch, behind: offered)
    guard !chosen.isEmpty else { return [] }
    let places = chosen.map { String($0.position) }.joined(separator: ",")
    return try rows(where: "position IN (SELECT value FROM json_each(\("[\(places)]")))")
  }

  /// Whether the line holds operations that could go at once and did not in this round.
  func areRowsWaiting() throws(StoreError) -> Bool {
    try lineUp(batch: round.count + 1, behind: []).contains { !round.contains($0.operation) }
  }

  /// Looks at more and more of the line, until the request is full or the line at its end.
  private func lineUp(
    batch: Int, behind offered: [RecordKey]
  ) throws(StoreError) -> [Waiting] {
    let ready = Readiness(
      wall: options.clock.wall(), held: try offeredKeys().subtracting(offered),
      resets: Set(
        state.device.feeds.entries.filter { $0.value.reset != nil }.map(\.name)))
    var line: [Waiting] = []
    var seen: Set<RecordKey> = []
    var after: Int64 = 0
    while true {
      let page = try waiting(
        "position > \(after) ORDER BY position LIMIT 1000", ready: ready)
      for row in page where seen.insert(row.place.key).inserted { line.append(row) }
      let whole = try withNeeded(line, ready: ready)
      let chosen = LineUp.chosen(
        from: whole.map(\.place), batch: batch, offers: offered.count)
      guard let last = page.last, page.count == 1_000, chosen.count + offered.count < batch else {
        return chosen.map { whole[$0] }
      }
      after = last.position
    }
  }

  /// Adds what the rows need and stands further behind in line.
  private func withNeeded(_ line: [Waiting], ready: Readiness) throws(StoreError) -> [Waiting] {
    var whole = line
    var known = Set(line.map(\.place.key))
    var next = 0
    while next < whole.count {
      for key in whole[next].place.needs where known.insert(key).inserted {
        guard let place = try places(of: key).first else { continue }
        whole += try waiting("position = \(place)", ready: ready)
      }
      next += 1
    }
    return whole.count == line.count ? line : whole.sorted { $0.position < $1.position }
  }

  private func waiting(
    _ condition: SQL, ready: Readiness
  ) throws(StoreError) -> [Waiting] {
    let latest = ready.wall &+ OutboxRow.longestDelay
    return try connection.all(
      """
      SELECT position, operation, tbl, id, creates AND told IS NULL, needs, feed, not_before
      FROM c_outbox
      WHERE \(condition)
      """
    ) { (row) throws(StoreError) in
      let key = RecordKey(table: Key(row.text(2)), id: try row.recordID(3))
      let notBefore = row.int64(7)
      let isDue = notBefore <= ready.wall || notBefore > latest
      return Waiting(
        position: row.int64(0), operation: try row.operationID(1),
        place: LineUp.Place(
          key: key, creates: row.int64(4) != 0,
          needs: row.isNull(5) ? [] : try row.unpacked(5, OutboxNeeds.unpack),
          isReady: isDue && !ready.held.contains(key)
            && !ready.resets.contains(Key(row.text(6)))))
    }
  }
}
