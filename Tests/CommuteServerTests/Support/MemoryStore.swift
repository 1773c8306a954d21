import CommuteCore
import CommuteServer

/// A store that keeps everything in memory: the second implementation of the suite, and simpler.
///
/// It settles on the whole state of a tenant and cuts pages by sorting.
actor MemoryStore: ServerStore {
  private struct Tenant {
    var state: ServerState
    var rights: [Key: [Key: FeedRight]] = [:]
    var names: [ReplicaID: (name: String, user: String)] = [:]
  }

  private let rules: ServerRules
  private let settlement: Settlement
  private let epoch = Epoch(rawValue: 0xE)
  private var clock = HybridClock(replica: ReplicaID(rawValue: 0x5E))
  private var tenants: [Key: Tenant] = [:]
  private var isClosed = false

  init(rules: ServerRules = ServerRules()) {
    self.rules = rules
    var settlement = rules.settlement
    settlement.takesOffers = true
    self.settlement = settlement
  }

  func identity() throws(ServerStoreError) -> ServerIdentity {
    guard !isClosed else { throw .closed }
    return ServerIdentity(server: 1, epoch: epoch)
  }

  func close() { isClosed = true }

  func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key
  ) throws(ServerStoreError) {
    let place = Key(account.tenant)
    var tenant = tenants[place] ?? Tenant(state: ServerState(epoch: epoch, clock: clock))
    let named = tenant.rights[Key(account.user)]?[feed]
    tenant.rights[Key(account.user), default: [:]][feed] = FeedRight(
      access, after: named ?? rules.right(of: account, to: feed))
    tenants[place] = tenant
  }

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
    var raised = request
    let changed = rules.raise(&raised)
    enter(account, request, into: &tenant)
    tenant.state.foreign = Set(
      tenant.names.filter { Key($0.value.user) != Key(account.user) }.map(\.key))
    var outcome = settlement.settle(
      raised, in: &tenant.state, time: time, user: account.user)
    for index in outcome.verdicts.indices where changed.contains(outcome.verdicts[index].id) {
      let id = outcome.verdicts[index].id
      guard outcome.verdicts[index].kind == .applied,
        let key = request.operations.first(where: { $0.operation.id == id })?.operation.key
      else { continue }
      outcome.verdicts[index].record = tenant.state.records[key].map {
        RecordMessage(key: key, state: $0.state)
      }
    }
    clock = tenant.state.clock
    tenants[place] = tenant
    var answer = SyncAnswer(
      epoch: epoch, time: time, nonce: request.nonce, verdicts: outcome.verdicts)
    if outcome.renews { answer.renew = Settlement.renewal(of: raised, in: tenant.state) }
    guard outcome.isSettled else { return answer }
    answer.feeds = pages(request, of: tenant, verdicts: outcome.verdicts)
    for replica in StampedReplicas(of: answer).found {
      let name = tenant.names[replica]?.name ?? (replica == clock.replica ? "server" : nil)
      if let name { answer.devices.append(SyncAnswer.Device(replica: replica, name: name)) }
    }
    return answer
  }

  /// Puts what the user may do into the heads of the feeds that are named.
  private func enter(_ account: Account, _ request: SyncRequest, into tenant: inout Tenant) {
    let feeds =
      request.feeds.map(\.feed) + request.operations.map(\.operation.feed)
      + request.offers.map(\.feed)
    for feed in feeds {
      let head = tenant.state.heads[feed] ?? FeedHead()
      let named = tenant.rights[Key(account.user)]?[feed]
      tenant.state.heads[feed] = FeedHead(
        head: head.head, fence: head.fence, right: named ?? rules.right(of: account, to: feed))
    }
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
