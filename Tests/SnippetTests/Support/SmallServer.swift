import CommuteCore
import CommuteStore
import Synchronization

/// A server in memory: the core's own settling, with every message passing as bytes.
final class SmallServer: Sendable {
  private let state: Mutex<ServerState>
  private let tables: FieldMap<TableSchema>
  private let words: @Sendable (Settlement.Proposal) -> String?

  /// A server that knows some tables and may have a rule of its own.
  init(
    _ tables: [TableSchema],
    refusing words: @escaping @Sendable (Settlement.Proposal) -> String? = { _ in nil }
  ) {
    self.tables = tables.reduce(into: FieldMap()) { $0[$1.name] = $1 }
    self.words = words
    let clock = HybridClock(replica: ReplicaID(rawValue: 0xFFFF_0001))
    state = Mutex(ServerState(epoch: Epoch(rawValue: 7), clock: clock))
  }

  /// Answers the bytes of a request with the bytes of an answer.
  func answer(_ bytes: [UInt8], time: Int64) throws -> [UInt8] {
    let request = try SyncRequest(decoding: bytes)
    let words = words
    let answer = state.withLock { state -> SyncAnswer in
      for part in request.feeds where state.heads[part.feed] == nil {
        state.heads[part.feed] = FeedHead()
      }
      let settlement = Settlement(
        tables: tables, takesOffers: true, validate: { words($0).map { .invalid($0) } })
      let outcome = settlement.settle(request, in: &state, time: time, user: "local")
      var answer = SyncAnswer(
        epoch: state.epoch, renew: nil, time: time, nonce: request.nonce,
        verdicts: outcome.verdicts)
      answer.feeds = request.feeds.map { Self.page($0, in: state) }
      answer.devices = [SyncAnswer.Device(replica: request.replica, name: request.device)]
      return answer
    }
    return answer.encoded()
  }

  private static func page(_ asked: SyncRequest.Feed, in state: ServerState) -> SyncAnswer.Feed {
    let head = state.heads[asked.feed] ?? FeedHead()
    let after = FeedReading(asked, head: head).after ?? 0
    let due = state.records
      .filter { $0.value.feed == asked.feed && ($0.value.state.revision?.number ?? 0) > after }
      .sorted { ($0.value.state.revision?.number ?? 0) < ($1.value.state.revision?.number ?? 0) }
    let cursor = FeedReading.cursor(
      head: head.head, lastSent: due.last?.value.state.revision?.number, after: after, more: false)
    return SyncAnswer.Feed(
      feed: asked.feed, grant: head.grant, cursor: cursor, fence: head.fence,
      records: due.map { RecordMessage(key: $0.key, state: $0.value.state) }, more: false)
  }
}

extension Store {
  /// One whole round with a server in memory.
  func sync(with server: SmallServer) async throws {
    let round = try await beginRound(batch: 500)
    let bytes = try server.answer(round.bytes, time: options.clock.wall())
    _ = try await apply(SyncAnswer(decoding: bytes), roundTrip: 20)
  }
}
