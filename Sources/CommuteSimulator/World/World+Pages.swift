import CommuteCore

extension World {
  /// A record in the revision that a verdict makes its device hold.
  struct Told {
    var key: RecordKey
    var revision: Revision
  }

  /// The records that the verdicts of an answer tell, one way or another.
  func told(by outcome: Settlement.Outcome, of request: SyncRequest) -> [Told] {
    var told: [Told] = []
    for (index, verdict) in outcome.verdicts.enumerated() {
      let place = index - request.offers.count
      guard place >= 0, let revision = verdict.revision, place < request.operations.count else {
        continue
      }
      switch verdict.kind {
      case .applied, .duplicate:
        told.append(Told(key: request.operations[place].operation.key, revision: revision))
      case .rejected, .later: break
      }
    }
    return told
  }

  /// The pages of an answer: each feed's records after the cursor, as many as fit.
  ///
  /// A record that a verdict of the same answer tells in its present revision is not told again.
  func pages(for request: SyncRequest, told: [Told]) -> [SyncAnswer.Feed] {
    var budget = PageBudget(limit: request.limit)
    var parts: [SyncAnswer.Feed] = []
    parts.reserveCapacity(request.feeds.count)
    for asked in request.feeds {
      let head = server.state.heads[asked.feed] ?? FeedHead()
      let reading = FeedReading(asked, head: head)
      guard let after = reading.after else {
        parts.append(
          SyncAnswer.Feed(
            feed: asked.feed, grant: head.grant, cursor: nil, revoked: head.revoked))
        continue
      }
      var records = after < head.head ? news(of: asked.feed, after: after, told: told) : []
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

  /// The records of a feed after a number, in the order of their numbers.
  private func news(of feed: Key, after: UInt64, told: [Told]) -> [RecordMessage] {
    var records: [RecordMessage] = []
    for number in server.held.indices where roster.feeds[number] == feed {
      let key = roster.keys[number]
      guard let state = server.held[number], let revision = state.revision,
        revision.number > after,
        !told.contains(where: { $0.revision == revision && $0.key == key })
      else { continue }
      var index = records.count
      while index > 0, let before = records[index - 1].state.revision,
        before.number > revision.number
      {
        index -= 1
      }
      records.insert(RecordMessage(key: key, state: state), at: index)
    }
    return records
  }
}
