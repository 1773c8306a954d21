package import CommuteCore
package import CommuteStore
import Synchronization

/// A server in memory: the core's own settling, with every message passing as bytes.
package final class SmallServer: Sendable {
  private let state: Mutex<ServerState>
  private let refusal = Mutex<String?>(nil)
  private let pageRecords = Mutex<UInt64?>(nil)

  private let tables: FieldMap<TableSchema>
  private let rule: @Sendable (Settlement.Proposal) -> String?

  /// A server that knows some tables and may have a rule of its own; it keeps and relays all other
  /// tables.
  package init(
    tables: [TableSchema] = [],
    refusing rule: @escaping @Sendable (Settlement.Proposal) -> String? = { _ in nil }
  ) {
    self.rule = rule
    self.tables = tables.reduce(into: FieldMap()) { $0[$1.name] = $1 }
    let clock = HybridClock(replica: ReplicaID(rawValue: 0xFFFF_0001))
    state = Mutex(ServerState(epoch: Epoch(rawValue: 7), clock: clock))
  }

  /// Makes every operation be refused from now on; nil ends it.
  package func refuse(_ words: String?) {
    refusal.withLock { $0 = words }
  }

  /// Cuts pages after this many records.
  package func cutPages(after count: UInt64) {
    pageRecords.withLock { $0 = count }
  }

  /// Everything the server holds.
  package var records: [RecordKey: StoredRecord] { state.withLock { $0.records } }

  /// Answers the bytes of a request with the bytes of an answer.
  package func answer(_ bytes: [UInt8], time: Int64) throws -> [UInt8] {
    let request = try SyncRequest(decoding: bytes)
    let words = refusal.withLock { $0 }
    let cut = pageRecords.withLock { $0 }
    let rule = rule
    let answer = state.withLock { state -> SyncAnswer in
      for part in request.feeds where state.heads[part.feed] == nil {
        state.heads[part.feed] = FeedHead()
      }
      let settlement = Settlement(
        tables: tables, takesOffers: true,
        validate: { proposal in (words ?? rule(proposal)).map { .invalid($0) } })
      let outcome = settlement.settle(request, in: &state, time: time, user: "local")
      var answer = SyncAnswer(
        epoch: state.epoch,
        renew: outcome.renews ? Settlement.renewal(of: request, in: state) : nil, time: time,
        nonce: request.nonce,
        verdicts: outcome.verdicts)
      guard outcome.isSettled else {
        if !outcome.renews { answer.ancestry = state.ancestry }
        return answer
      }
      var limit = request.limit
      if let cut { limit.records = cut }
      answer.feeds = request.feeds.map { Self.page($0, limit: limit, in: state) }
      answer.devices = [SyncAnswer.Device(replica: request.replica, name: request.device)]
      return answer
    }
    return answer.encoded()
  }

  private static func page(
    _ asked: SyncRequest.Feed, limit: SyncRequest.Limit, in state: ServerState
  ) -> SyncAnswer.Feed {
    let head = state.heads[asked.feed] ?? FeedHead()
    let reading = FeedReading(asked, head: head)
    guard let after = reading.after else {
      return SyncAnswer.Feed(
        feed: asked.feed, grant: head.grant, cursor: nil, revoked: head.revoked)
    }
    let due = state.records
      .filter { $0.value.feed == asked.feed && ($0.value.state.revision?.number ?? 0) > after }
      .sorted { ($0.value.state.revision?.number ?? 0) < ($1.value.state.revision?.number ?? 0) }
    let sent = due.prefix(Int(limit.records))
    let more = sent.count < due.count
    let cursor = FeedReading.cursor(
      head: head.head, lastSent: sent.last?.value.state.revision?.number, after: after, more: more)
    return SyncAnswer.Feed(
      feed: asked.feed, grant: head.grant, cursor: cursor, fence: head.fence,
      records: sent.map { RecordMessage(key: $0.key, state: $0.value.state) }, more: more,
      reset: reading.fence)
  }

  /// Puts a record into a feed as if another device had sent it.
  package func put(
    _ table: Key, _ id: RecordID, feed: Key, _ fields: FieldMap<FieldValue>, deleted: Bool = false,
    time: Int64 = 1_600_000_000_000
  ) {
    state.withLock { state in
      var head = state.heads[feed] ?? FeedHead()
      head.head += 1
      state.heads[feed] = head
      let key = RecordKey(table: table, id: id)
      let stamp = Stamp(
        milliseconds: UInt64(time), counter: UInt16(head.head), replica: ReplicaID(rawValue: 99))
      var record = state.records[key]?.state ?? RecordState()
      for entry in fields.entries {
        record.fields[entry.name] = FieldState(value: entry.value, stamp: stamp)
      }
      record.deleted = deleted ? stamp : nil
      record.revision = Revision(epoch: state.epoch, number: head.head)
      record.author = "local"
      state.records[key] = StoredRecord(feed: feed, state: record)
    }
  }
}

extension SmallServer {
  /// Everything as it is now, to be put back later.
  package var copy: ServerState { state.withLock { $0 } }

  /// Puts an earlier copy in the place of what is: another epoch begins.
  package func putBack(_ copy: ServerState, epoch: UInt64, time: Int64 = 1_700_000_000_000) {
    state.withLock { state in
      let heads = copy.heads.reduce(into: FieldMap<UInt64>()) { $0[$1.key] = $1.value.head }
      state = copy
      state.ancestry.append(
        SyncAnswer.Ancestor(epoch: copy.epoch, ended: time, heads: heads))
      state.epoch = Epoch(rawValue: epoch)
      state.clock.replica = ReplicaID(rawValue: 0xFFFF_0000 + epoch)
    }
  }

  /// Purges a deleted record, and raises the fence of its feed.
  package func purge(_ table: Key, _ id: RecordID) {
    state.withLock { state in
      let key = RecordKey(table: table, id: id)
      guard let stored = state.records.removeValue(forKey: key) else { return }
      state.stubs.insert(key)
      let number = stored.state.revision?.number ?? 0
      let fence = state.heads[stored.feed]?.fence ?? 0
      state.heads[stored.feed]?.fence = max(fence, number)
    }
  }

  /// Takes a feed away; without a reason it is given again, under another number.
  package func revoke(_ feed: Key, _ reason: String?) {
    state.withLock { state in
      state.heads[feed, default: FeedHead()].revoked = reason
      if reason == nil { state.heads[feed]?.grant += 1 }
    }
  }
}

extension Store {
  /// One whole round with a server in memory.
  @discardableResult
  package func sync(
    with server: SmallServer, time: Int64 = 1_700_000_000_000, batch: Int = 500
  ) async throws -> AppliedRound {
    let round = try await beginRound(batch: batch)
    let bytes = try server.answer(round.bytes, time: time)
    return try await apply(SyncAnswer(decodingPlain: bytes), roundTrip: 20)
  }

  /// Rounds until nothing is left to be said.
  package func syncAll(with server: SmallServer, time: Int64 = 1_700_000_000_000) async throws {
    for _ in 0..<100 {
      let applied = try await sync(with: server, time: time)
      if !applied.more { return }
    }
  }
}
