import CommuteCore
import CommuteStore

/// The server, whose settling is a value: its rows, pages, backups and purges.
struct MemoryServer {
  var state: ServerState
  let settlement: Settlement
  /// How far the devices have come.
  private var progress: [Purge.Progress] = []
  /// When the latest change of each record was settled.
  private var changedAt: [RecordKey: Int64] = [:]
  /// A copy of its files, and the edits that were taken by then.
  private var backup: (state: ServerState, applied: Set<Int>)?
  private var epochs: UInt64 = 0

  init() {
    state = ServerState(
      epoch: Epoch(rawValue: 0xE1), clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    let tables: FieldMap<TableSchema> = FieldMap([
      (Key("book"), Book.table.schema), (Key("memo"), Memo.table.schema),
    ])
    settlement = Settlement(tables: tables, takesOffers: true) { proposal in
      for name: Key in ["title", "body"] {
        if case .text(let text)? = proposal.after.fields[name]?.value, text.hasPrefix("bad") {
          return .invalid("nothing bad is taken")
        }
      }
      return nil
    }
  }

  /// Answers a request.
  mutating func answer(
    _ request: SyncRequest, time: Int64
  ) -> (answer: SyncAnswer, outcome: Settlement.Outcome) {
    let outcome = settlement.settle(request, in: &state, time: time, user: "ada")
    for key in outcome.changedRecords { changedAt[key] = time }
    noteProgress(of: request, time: time)
    var answer = SyncAnswer(
      epoch: state.epoch,
      renew: outcome.renews ? Settlement.renewal(of: request, in: state) : nil, time: time,
      nonce: request.nonce, verdicts: outcome.verdicts,
      feeds: outcome.isSettled ? pages(for: request, outcome) : [])
    if let epoch = request.epoch, epoch != state.epoch { answer.ancestry = state.ancestry }
    return (answer, outcome)
  }

  // MARK: - Pages

  private func pages(for request: SyncRequest, _ outcome: Settlement.Outcome) -> [SyncAnswer.Feed] {
    var told: [RecordKey: Revision] = [:]
    for (sent, verdict) in zip(
      request.operations, outcome.verdicts.dropFirst(request.offers.count))
    where verdict.kind == .applied || verdict.kind == .duplicate {
      told[sent.operation.key] = verdict.revision
    }
    var budget = PageBudget(limit: request.limit)
    var parts: [SyncAnswer.Feed] = []
    for asked in request.feeds {
      let head = state.heads[asked.feed] ?? FeedHead()
      let reading = FeedReading(asked, head: head)
      let after = reading.after ?? 0
      var records: [RecordMessage] = []
      for (key, stored) in state.records where stored.feed == asked.feed {
        guard let revision = stored.state.revision, revision.number > after,
          told[key] != revision
        else { continue }
        records.append(RecordMessage(key: key, state: stored.state))
      }
      records.sort { $0.state.revision?.number ?? 0 < $1.state.revision?.number ?? 0 }
      var taken = 0
      while taken < records.count, budget.take(1) { taken += 1 }
      let more = taken < records.count
      records.removeLast(records.count - taken)
      let cursor = FeedReading.cursor(
        head: head.head, lastSent: records.last?.state.revision?.number, after: after, more: more)
      parts.append(
        SyncAnswer.Feed(
          feed: asked.feed, grant: head.grant, cursor: cursor, fence: head.fence,
          records: records, more: more, reset: reading.fence))
    }
    return parts
  }

  // MARK: - Long time

  mutating func makeBackup(applied: Set<Int>) { backup = (state, applied) }

  var hasBackup: Bool { backup != nil }

  /// Puts the backup in the place of the files, under another epoch.
  ///
  /// - Returns: The edits that were taken by then; nil without a backup.
  mutating func putBack(time: Int64, replica: ReplicaID) -> Set<Int>? {
    guard let backup else { return nil }
    epochs += 1
    state = backup.state
    var heads = FieldMap<UInt64>()
    for (feed, head) in state.heads { heads[feed] = head.head }
    state.ancestry.append(SyncAnswer.Ancestor(epoch: state.epoch, ended: time, heads: heads))
    state.epoch = Epoch(rawValue: 0xE1 + epochs)
    state.clock.replica = replica
    self.backup = nil
    return backup.applied
  }

  /// Three months later tombstones and memories go; a backup that old is not put back.
  mutating func purge(time: Int64) {
    backup = nil
    let purge = Purge(time: time, devices: progress)
    let changedAt = changedAt
    state.purge(purge) { changedAt[$0] ?? 0 }
  }

  private mutating func noteProgress(of request: SyncRequest, time: Int64) {
    var cursors = FieldMap<UInt64?>()
    for part in request.feeds {
      let isReading = part.reset == nil && request.epoch == state.epoch
      cursors[part.feed] = .some(isReading ? part.cursor : nil)
    }
    for replica in [request.replica] + request.replicas {
      let note = Purge.Progress(replica: replica, seenAt: time, cursors: cursors)
      if let index = progress.firstIndex(where: { $0.replica == replica }) {
        progress[index] = note
      } else if replica == request.replica {
        progress.append(note)
      }
    }
  }
}
