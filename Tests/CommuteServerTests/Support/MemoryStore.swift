import CommuteCore
import CommuteServer

/// A store that keeps everything in memory: the second implementation of the suite, and simpler.
///
/// It settles on the whole state of a tenant and cuts pages by sorting.
actor MemoryStore: ServerStore {
  private struct Tenant {
    var state: ServerState
    var names: [ReplicaID: (name: String, user: String)] = [:]
  }

  private let settlement: Settlement
  private let epoch = Epoch(rawValue: 0xE)
  private var clock = HybridClock(replica: ReplicaID(rawValue: 0x5E))
  private var tenants: [Key: Tenant] = [:]
  private var isClosed = false

  init(rules: ServerRules = ServerRules()) {
    settlement = rules.settlement
  }

  func identity() throws(ServerStoreError) -> ServerIdentity {
    guard !isClosed else { throw .closed }
    return ServerIdentity(server: 1, epoch: epoch)
  }

  func close() { isClosed = true }

  func answer(
    _ request: SyncRequest, of account: Account, time: Int64
  ) throws(ServerStoreError) -> SyncAnswer {
    guard !isClosed else { throw .closed }
    let place = Key(account.tenant)
    var tenant = tenants[place] ?? Tenant(state: ServerState(epoch: epoch, clock: clock))
    tenant.state.clock = clock
    if let owner = tenant.names[request.replica], Key(owner.user) != Key(account.user) {
      tenant.state.requests[request.replica] = LastRequest(
        number: .max, nonce: Nonce(high: 0, low: 0))
    } else {
      tenant.names[request.replica] = (request.device, account.user)
    }
    let outcome = settlement.settle(
      request, in: &tenant.state, time: time, user: account.user)
    clock = tenant.state.clock
    tenants[place] = tenant
    var answer = SyncAnswer(
      epoch: epoch, time: time, nonce: request.nonce, verdicts: outcome.verdicts)
    if outcome.renews { answer.renew = [] }
    guard outcome.isSettled else { return answer }
    answer.feeds = pages(request, of: tenant, verdicts: outcome.verdicts)
    for replica in StampedReplicas(of: answer).found {
      let name = tenant.names[replica]?.name ?? (replica == clock.replica ? "server" : nil)
      if let name { answer.devices.append(SyncAnswer.Device(replica: replica, name: name)) }
    }
    return answer
  }

  private func pages(
    _ request: SyncRequest, of tenant: Tenant, verdicts: [Verdict]
  ) -> [SyncAnswer.Feed] {
    var pages = AnswerPages(
      request, heads: tenant.state.heads, verdicts: verdicts, epoch: epoch)
    pages.fill { (span, page) throws(Never) in
      let records = tenant.state.records.compactMap { key, stored -> RecordMessage? in
        guard stored.feed == span.feed, let number = stored.state.revision?.number,
          number > span.after, number <= span.through
        else { return nil }
        return RecordMessage(key: key, state: stored.state)
      }
      for record in records.sorted(by: { Self.number(of: $0) < Self.number(of: $1) }) {
        let number = Self.number(of: record)
        switch page.decide(revision: number, bytes: record.encodedJSON().count) {
        case .take: page.add(record, revision: number)
        case .pass: continue
        case .stop: return
        }
      }
    }
    return pages.feeds
  }

  private static func number(of record: RecordMessage) -> UInt64 {
    record.state.revision?.number ?? 0
  }
}
